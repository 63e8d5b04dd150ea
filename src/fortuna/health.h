/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Health tests of a noise source: the repetition count test and the adaptive proportion test of NIST SP 800-90B, 4.4.
 *
 * They detect a source that is stuck or heavily biased, and no smaller defect.  An object is for one source, and one
 * caller at a time.
 */
#ifndef CPRNG_FORTUNA_HEALTH_H
#define CPRNG_FORTUNA_HEALTH_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

enum {
	CPRNG_HEALTH_WINDOW = 512,   /* of the adaptive proportion test, for samples of more than one bit (4.4.2) */
	CPRNG_HEALTH_START_UP = 1024 /* samples that must pass before the source counts (4.3, requirement 4) */
};

/*
 * The claim for a source: `entropy`, its min-entropy per sample in sixteenths of a bit; and the cut-offs for that claim: the
 * source fails when so many samples in a row, or so many of a window, equal the first of them.
 * tests/vectors/make-health-limits.py computes them.
 */
struct cprng_health_limits {
	uint16_t entropy;
	uint16_t repetition;
	uint16_t proportion;
};

/* A sample of 8 bits with an eighth of a bit: the timing jitter of a CPU. */
extern const struct cprng_health_limits cprng_health_jitter;
/* A sample of 64 bits of full entropy: the kernel's generator, instructions of the CPU. */
extern const struct cprng_health_limits cprng_health_word;

enum cprng_health_state {
	CPRNG_HEALTH_STARTING, /* fewer samples than CPRNG_HEALTH_START_UP so far: raw noise does not count yet */
	CPRNG_HEALTH_HEALTHY,
	CPRNG_HEALTH_FAILED_REPETITION, /* permanent: the source is retired */
	CPRNG_HEALTH_FAILED_PROPORTION
};

/* All bytes zero, except the limits, is a source that starts. */
struct cprng_health {
	const struct cprng_health_limits *limits;
	uint64_t samples; /* that passed */
	uint64_t last;    /* repetition count test: the last sample, and (repeated) its count in a row */
	uint64_t first;   /* adaptive proportion test: the first sample of the window, and (same) its count there */
	uint32_t repeated;
	uint32_t same;
	uint32_t position; /* in the window */
	uint32_t state;    /* enum cprng_health_state */
};

void cprng_health_init(struct cprng_health *h, const struct cprng_health_limits *limits);

/* Test the next sample.  False when the source has failed, now or before: the caller must not use the sample. */
bool cprng_health_sample(struct cprng_health *h, uint64_t sample) CPRNG_MUST_CHECK;

CPRNG_INLINE bool cprng_health_failed(const struct cprng_health *h)
{
	return h->state >= CPRNG_HEALTH_FAILED_REPETITION;
}

CPRNG_END_DECLARATIONS
#endif
