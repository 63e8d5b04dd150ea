/* SPDX-License-Identifier: BSD-2-Clause */
/* The known answers for spoiled_engines.c; tests can remove them. */
#include "spoiled_engines.h"

#include "engine/known_answers.h"

#include <string.h>

struct cprng_known_answers spoiled_known_answers[CPRNG_ENGINES];

__attribute__((constructor)) static void copy_all(void)
{
	memcpy(spoiled_known_answers, cprng_known_answers, sizeof(spoiled_known_answers));
}

void spoiled_set_answers(const struct cprng_engine *engine, enum spoiled_answers kept)
{
	const size_t i = (size_t)(engine - spoiled_engines);
	struct cprng_known_answers *const known = &spoiled_known_answers[i];

	*known = cprng_known_answers[i];
	if (kept == SPOILED_ANSWERS_NO_LITERAL)
		memset(known->literal, 0, sizeof(known->literal));
	if (kept == SPOILED_ANSWERS_NO_RUN)
		memset(known->run, 0, sizeof(known->run));
}
