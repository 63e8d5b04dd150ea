/* SPDX-License-Identifier: BSD-2-Clause */
#include "fortuna/health.h"

/*
 * The odds of a false alarm, alpha, are 2^-40 for each sample or window: at the careful end of what SP 800-90B recommends
 * (2^-20 to 2^-40), because an alarm is permanent and there are many samples.  At ten polls a second a process sees 2^33
 * of jitter in a year and 2^35 of the kernel; at 2^-20 every one of its sources would be retired within the hour if it
 * were no better than claimed.  At 2^-40 one jitter source is retired in a hundred years of processes, and none
 * in practice, since the claims are a fraction of the entropy that was measured.
 *
 * The numbers are those of tests/vectors/make-health-limits.py, and a test compares them.
 */
const struct cprng_health_limits cprng_health_jitter = { .entropy = 2, .repetition = 321, .proportion = 506 };
const struct cprng_health_limits cprng_health_word = { .entropy = 1024, .repetition = 2, .proportion = 2 };

void cprng_health_init(struct cprng_health *h, const struct cprng_health_limits *limits)
{
	*h = (struct cprng_health){ .limits = limits };
}

/* SP 800-90B, 4.4.1.  A first sample of 0 equals the initial `last`, and counts as one: `repeated` was 0. */
static bool repetition_passes(struct cprng_health *h, uint64_t sample)
{
	if (sample != h->last) {
		h->last = sample;
		h->repeated = 1;
	} else {
		h->repeated++;
	}
	return h->repeated < h->limits->repetition;
}

/* SP 800-90B, 4.4.2. */
static bool proportion_passes(struct cprng_health *h, uint64_t sample)
{
	if (h->position == 0) {
		h->first = sample;
		h->same = 1;
	} else if (sample == h->first) {
		h->same++;
	}
	h->position = (h->position + 1) % CPRNG_HEALTH_WINDOW;
	return h->same < h->limits->proportion;
}

bool cprng_health_sample(struct cprng_health *h, uint64_t sample)
{
	if (cprng_health_failed(h))
		return false;
	if (!repetition_passes(h, sample))
		h->state = CPRNG_HEALTH_FAILED_REPETITION;
	else if (!proportion_passes(h, sample))
		h->state = CPRNG_HEALTH_FAILED_PROPORTION;
	else if (++h->samples >= CPRNG_HEALTH_START_UP)
		h->state = CPRNG_HEALTH_HEALTHY;
	return !cprng_health_failed(h);
}
