/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Second copies of src/engine/engine.c, src/engine/selftest.c, src/api/queries.c and src/numbers/numbers.c, with a ChaCha and
 * number backends that fail their known answers, and with removable answers.  The library's own tables never fail, so they cannot
 * show how it reacts.
 */
#ifndef CPRNG_TESTS_SPOILED_ENGINES_H
#define CPRNG_TESTS_SPOILED_ENGINES_H

#include "cprng/cprng.h"
#include "engine/engine.h"
#include "numbers/numbers.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ChaCha has three backends: "unusable" needs a feature that no CPU has, "broken" fails, and "portable" is correct unless it is
 * made to fail.
 */
extern bool spoiled_portable_fails;
extern bool spoiled_normals_fail; /* in the arithmetic that every machine has */
extern unsigned long spoiled_unusable_calls, spoiled_broken_calls, spoiled_portable_calls;

/* Whether an engine's answers are complete, lack the literal answers, or lack the runs. */
enum spoiled_answers { SPOILED_ANSWERS_WHOLE, SPOILED_ANSWERS_NO_LITERAL, SPOILED_ANSWERS_NO_RUN };
void spoiled_set_answers(const struct cprng_engine *engine, enum spoiled_answers kept);

extern const struct cprng_family spoiled_family_chacha;
extern const struct cprng_engine spoiled_engines[];
const struct cprng_engine *spoiled_engine_find(const char *name);
const struct cprng_backend *spoiled_backend_find(const struct cprng_engine *engine, const char *name);
bool spoiled_backend_usable(const struct cprng_backend *backend);
const struct cprng_backend *spoiled_engine_select(const struct cprng_engine *engine);
bool spoiled_engine_default(const struct cprng_engine **engine, const struct cprng_backend **backend) CPRNG_MUST_CHECK;
int spoiled_engine_selftest(const struct cprng_engine *engine, const struct cprng_backend *backend) CPRNG_MUST_CHECK;

const char *spoiled_version(void);
void spoiled_get_info(struct cprng_info *info, size_t size);
int spoiled_get_engine(unsigned int index, struct cprng_engine_info *info, size_t size);
extern const struct cprng_numbers_backend spoiled_numbers_backends[];
int spoiled_numbers_selftest(const struct cprng_numbers_backend *backend);
const struct cprng_numbers_backend *spoiled_numbers_select(void);
extern uint8_t spoiled_numbers_passed;
const struct cprng_numbers_backend *spoiled_numbers_first_usable(void);
bool spoiled_numbers_usable(const struct cprng_numbers_backend *backend);
bool spoiled_number_normal_valid(double mu, double sigma);
bool spoiled_number_exponential_valid(double mean);
double spoiled_number_normal(uint64_t bits, double mu, double sigma);
double spoiled_number_exponential(uint64_t bits, double mean);
int spoiled_selftest(void (*report)(const struct cprng_selftest_result *result, void *arg), void *arg);
const char *spoiled_strerror(int error);

#ifdef __cplusplus
}
#endif
#endif
