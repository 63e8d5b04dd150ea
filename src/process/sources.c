/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/sources.h"

#include "core/bytes.h"
#include "core/wipe.h"
#include "core/wipe_stack.h"
#include "cpu/cpu.h"
#include "cpu/random_instructions.h"
#include "cpu/registers.h"

enum {
	/* An event of words, or of jitter samples. */
	WORD_SIZE = sizeof(uint64_t),
	EVENT_WORDS = CPRNG_EVENT_MAX / WORD_SIZE,
	/*
	 * Polls in a row without an answer after which an instruction is given up: a hundred seconds, at ten a second.  All
	 * cores that ask at once can make RDSEED fail, but not for so long.
	 */
	SILENT_POLLS_MAX = 1000,
	/* An eighth of a bit per sample: cprng_health_jitter. */
	JITTER_ENTROPY_BITS = CPRNG_EVENT_MAX / 8,
};

_Static_assert(CPRNG_EVENT_MAX % WORD_SIZE == 0, "whole words");
_Static_assert(CPRNG_POOLS + CPRNG_SOURCES_OWN - 1 <= CPRNG_POLL_EVENTS, "the poll's events have room");
_Static_assert(CPRNG_SOURCES_OWN <= CPRNG_SOURCE_APPLICATION, "numbers of their own");

static const char *const names[CPRNG_SOURCES_OWN] = {
	[CPRNG_SOURCE_KERNEL] = "kernel",
	[CPRNG_SOURCE_CPU_SEED] = "cpu-seed",
	[CPRNG_SOURCE_CPU_RANDOM] = "cpu-random",
	[CPRNG_SOURCE_JITTER] = "jitter",
	[CPRNG_SOURCE_VM_GENERATION] = "vm-generation",
};

/* Poll one source.  Returns the number of events, built from s->event[n] on; 0 also when it failed, which *status then records. */
typedef size_t (*poll_function)(struct cprng_process *p, struct cprng_sources *s, struct cprng_source_status *status,
				size_t n);

static struct cprng_event *begin_event(struct cprng_sources *s, size_t n, enum cprng_source source)
{
	struct cprng_event *const event = &s->event[n];

	*event = (struct cprng_event){ .source = (uint8_t)source, .len = CPRNG_EVENT_MAX };
	return event;
}

/* Return true if the words of the event pass the health tests; otherwise the caller retires the source. */
static bool words_pass(struct cprng_source_status *status, const struct cprng_event *event)
{
	for (size_t i = 0; i < event->len; i += WORD_SIZE)
		if (!cprng_health_sample(&status->health, cprng_load_le64(event->payload + i)))
			return false;
	return true;
}

static size_t poll_kernel(struct cprng_process *p, struct cprng_sources *s, struct cprng_source_status *status,
			  size_t n)
{
	/* fork_state is NULL in unit tests. */
	const uint64_t generation = cprng_has_buffers(p) ?
					    __atomic_load_n(&p->fork_state->generation, __ATOMIC_RELAXED) :
					    CPRNG_NO_GENERATION;
	bool passed = cprng_os_entropy(s->kernel, sizeof(s->kernel)) == 0;

	/* A handler that emulates the call has forked, and this is the child: the bytes may be zeros. */
	if (cprng_has_buffers(p) && cprng_generation_changed(p, generation)) {
		cprng_wipe(s->kernel, sizeof(s->kernel));
		return 0;
	}
	for (size_t i = 0; passed && i < CPRNG_POOLS; i++) {
		struct cprng_event *const event = begin_event(s, n + i, CPRNG_SOURCE_KERNEL);

		event->entropy_bits = 8 * CPRNG_EVENT_MAX;
		memcpy(event->payload, s->kernel + i * CPRNG_EVENT_MAX, CPRNG_EVENT_MAX);
		passed = words_pass(status, event);
	}
	cprng_wipe(s->kernel, sizeof(s->kernel));
	status->retired = !passed;
	return passed ? CPRNG_POOLS : 0;
}

static size_t poll_instruction(struct cprng_sources *s, struct cprng_source_status *status, size_t n,
			       enum cprng_source source, bool (*instruction)(uint64_t *word))
{
	struct cprng_event *const event = begin_event(s, n, source);
	uint64_t word = 0;
	bool passed = true;

	for (event->len = 0; event->len < EVENT_WORDS * WORD_SIZE && instruction(&word); event->len += WORD_SIZE)
		cprng_store_le64(event->payload + event->len, word);
	cprng_wipe(&word, sizeof(word));
	if (event->len == 0) {
		status->retired = ++status->silent >= SILENT_POLLS_MAX;
		return 0;
	}
	status->silent = 0;
	passed = words_pass(status, event);
	status->retired = !passed;
	return passed ? 1 : 0;
}

static size_t poll_seed(struct cprng_process *p, struct cprng_sources *s, struct cprng_source_status *status, size_t n)
{
	(void)p;
	return poll_instruction(s, status, n, CPRNG_SOURCE_CPU_SEED, cprng_cpu_rdseed);
}

static size_t poll_random(struct cprng_process *p, struct cprng_sources *s, struct cprng_source_status *status,
			  size_t n)
{
	(void)p;
	return poll_instruction(s, status, n, CPRNG_SOURCE_CPU_RANDOM, cprng_cpu_rdrand);
}

static size_t poll_jitter(struct cprng_process *p, struct cprng_sources *s, struct cprng_source_status *status,
			  size_t n)
{
	struct cprng_event *const event = begin_event(s, n, CPRNG_SOURCE_JITTER);

	(void)p;
	if (!cprng_jitter_collect(&s->jitter, event->payload, CPRNG_EVENT_MAX)) {
		status->absent = 1;
		return 0;
	}
	for (size_t i = 0; i < CPRNG_EVENT_MAX; i++) {
		if (!cprng_health_sample(&status->health, event->payload[i])) {
			status->retired = 1;
			return 0;
		}
	}
	/* Until the start-up test is over the samples do no harm, and count for nothing. */
	event->entropy_bits = status->health.state == CPRNG_HEALTH_HEALTHY ? JITTER_ENTROPY_BITS : 0;
	return 1;
}

/* Give an event only when the number has changed. */
static size_t poll_vm_generation(struct cprng_process *p, struct cprng_sources *s, struct cprng_source_status *status,
				 size_t n)
{
	const uint64_t generation = cprng_os_vm_generation(p->announcements);
	struct cprng_event *event;

	status->absent = generation == 0;
	if (generation == 0 || generation == s->vm_generation)
		return 0;
	s->vm_generation = generation;
	event = begin_event(s, n, CPRNG_SOURCE_VM_GENERATION);
	event->len = WORD_SIZE;
	cprng_store_le64(event->payload, generation);
	return 1;
}

static const struct {
	poll_function poll;
	const struct cprng_health_limits *limits;
} sources[CPRNG_SOURCES_OWN] = {
	[CPRNG_SOURCE_KERNEL] = { poll_kernel, &cprng_health_word },
	[CPRNG_SOURCE_CPU_SEED] = { poll_seed, &cprng_health_word },
	[CPRNG_SOURCE_CPU_RANDOM] = { poll_random, &cprng_health_word },
	[CPRNG_SOURCE_JITTER] = { poll_jitter, &cprng_health_jitter },
	[CPRNG_SOURCE_VM_GENERATION] = { poll_vm_generation, &cprng_health_word },
};

static void start(struct cprng_sources *s)
{
	const uint32_t features = cprng_cpu_features();

	for (size_t i = 0; i < CPRNG_SOURCES_OWN; i++)
		cprng_health_init(&s->source[i].health, sources[i].limits);
	s->source[CPRNG_SOURCE_CPU_SEED].absent = (features & (CPRNG_CPU_RDSEED | CPRNG_CPU_ARM_RNG)) == 0;
	s->source[CPRNG_SOURCE_CPU_RANDOM].absent = (features & (CPRNG_CPU_RDRAND | CPRNG_CPU_ARM_RNG)) == 0;
}

CPRNG_NOINLINE static size_t poll_all(struct cprng_process *p, struct cprng_sources *s)
{
	size_t n = 0;

	if (s->source[CPRNG_SOURCE_KERNEL].health.limits == NULL)
		start(s);
	for (size_t i = 0; i < CPRNG_SOURCES_OWN; i++) {
		struct cprng_source_status *const status = &s->source[i];
		size_t events;

		/* A fork has wiped this page in the middle; the reader detects the fork. */
		if (status->health.limits == NULL)
			break;
		/* The poll of the virtual machine's page itself detects whether there is one. */
		if (status->retired || (status->absent && i != CPRNG_SOURCE_VM_GENERATION))
			continue;
		events = sources[i].poll(p, s, status, n);
		status->events += events;
		n += events;
	}
	/* A source that failed may have left events. */
	cprng_wipe(&s->event[n], sizeof(s->event) - n * sizeof(s->event[0]));
	return n;
}

CPRNG_DEFINE_WIPE_STACK(sources_wipe_stack, cprng_wipe_unit, CPRNG_FORTUNA_FRAMES / sizeof(cprng_wipe_unit))

size_t cprng_sources_poll(struct cprng_process *p, struct cprng_sources *s)
{
	const size_t n = poll_all(p, s);

	sources_wipe_stack();
	cprng_clear_registers();
	return n;
}

const char *cprng_source_name(enum cprng_source source)
{
	return (unsigned int)source < CPRNG_SOURCES_OWN ? names[source] : "application";
}

const char *cprng_source_state(const struct cprng_sources *s, enum cprng_source source)
{
	const struct cprng_source_status *const status = &s->source[source];

	if (status->retired)
		return "retired";
	if (status->absent)
		return "absent";
	if (source == CPRNG_SOURCE_VM_GENERATION && s->vm_generation != 0)
		return "healthy";
	return status->health.state == CPRNG_HEALTH_HEALTHY ? "healthy" : "starting";
}
