// SPDX-License-Identifier: BSD-2-Clause
#include "subject.hpp"

#include "../../../support/internals.hpp"
#include "../../../support/registers.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iterator>

#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

const char subject::argument[] = "--subject";

namespace {

using channel::Kept;
using channel::Kind;

// Only pieces of a request of a few MiB are logged: enough to find any part that remains.
constexpr std::size_t longest = (1 << 20) + 5, logged_whole = 1 << 16, piece = 64, between_pieces = 4096 - 16;

constexpr unsigned int seconds_to_live = 1200; // after which an abandoned subject ends

unsigned char *memory; // the caller's memory for served bytes

Kept kept = Kept::nowhere;
unsigned char kept_data[64];
thread_local unsigned char kept_by_thread[64];

void wipe(unsigned char *p, std::size_t len)
{
	volatile unsigned char *q = p;

	while (len-- != 0)
		*q++ = 0;
}

void copy(unsigned char *to, const unsigned char *from, std::size_t len)
{
	volatile unsigned char *q = to;

	for (std::size_t i = 0; i < len; i++)
		q[i] = from[i];
}

void tell(const unsigned char *served, std::size_t len)
{
	if (len <= logged_whole) {
		subject::log(Kind::served, served, len);
		return;
	}
	for (std::size_t at = 0; at + piece <= len; at += between_pieces)
		subject::log(Kind::served, served + at, piece);
	subject::log(Kind::served, served + len - piece, piece);
}

// Calls f far down the stack, where later calls do not overwrite what f left.
__attribute__((noinline)) void far_down(void (*f)(unsigned char *, std::size_t), unsigned char *p, std::size_t len)
{
	volatile unsigned char between[16384];

	between[0] = 0;
	f(p, len);
	between[sizeof(between) - 1] = 0;
}

// Stores the registers to the stack, where the examiner finds their contents: snprintf() saves its argument registers,
// used or not.
void stop(const char *doing)
{
	std::snprintf(subject::seams.shared->doing, sizeof(subject::seams.shared->doing), "%s", doing);
	std::raise(SIGSTOP);
}

// Lets f serve len bytes, erases them, and stops for the examiner.
void step(const char *doing, std::size_t len, void (*f)(unsigned char *, std::size_t))
{
	far_down(f, memory, len);
	tell(memory, len);
	wipe(memory, len);
	stop(doing);
}

void fast(unsigned char *p, std::size_t len)
{
	cprng_fast(p, len);
}

void strong(unsigned char *p, std::size_t len)
{
	cprng_strong(p, len);
}

template <typename Number> void numbers(unsigned char *p, std::size_t len, Number (*draw)())
{
	for (std::size_t i = 0; i + sizeof(Number) <= len; i += sizeof(Number)) {
		const Number n = draw();
		std::memcpy(p + i, &n, sizeof(n));
	}
	registers::clear_numbers();
}

// Inlined draws, and the library's functions through pointers that the compiler cannot resolve.
void inlined(unsigned char *p, std::size_t len)
{
	numbers<std::uint64_t>(p, len, [] { return cprng_fast64(); });
}

// Requests of sizes known at compile time.
template <std::size_t len> void inlined_bytes(unsigned char *p, std::size_t)
{
	cprng_fast(p, len);
	registers::clear_numbers();
}

void called(unsigned char *p, std::size_t len)
{
	std::uint64_t (*volatile draw)() = cprng_fast64;
	numbers<std::uint64_t>(p, len, draw);
}

void called32(unsigned char *p, std::size_t len)
{
	std::uint32_t (*volatile draw)() = cprng_fast32;
	numbers<std::uint32_t>(p, len, draw);
}

// Draws that are not logged.
void derived(unsigned char *, std::size_t)
{
	volatile std::uint64_t sink = cprng_uniform64(UINT64_C(3) << 62);
	sink = cprng_range64(5, UINT64_C(1) << 61);
	volatile double real = cprng_double();
	unsigned char cards[52];
	for (unsigned char &c : cards)
		c = static_cast<unsigned char>(&c - cards);
	cprng_shuffle(cards, sizeof(cards), 1);
	real = cprng_normal(0, 1);
	real = cprng_exponential(1);
	std::uint64_t sample[8];
	if (cprng_sample(sample, std::size(sample), 100) != 0 || cprng_sample(sample, std::size(sample), 10) != 0)
		std::abort();
	wipe(reinterpret_cast<unsigned char *>(sample), sizeof(sample));
	sink = 0;
	real = 0;
	(void)sink;
	(void)real;
	registers::clear_numbers();
}

// Arrays of numbers, which are as secret as bytes.
template <auto Fill, class Number = double> void array(unsigned char *p, std::size_t len)
{
	if (Fill(reinterpret_cast<Number *>(p), len / sizeof(Number)) != 0)
		std::abort();
}

int fill_normal(double *out, std::size_t count)
{
	return cprng_fill_normal(out, count, 0, 1);
}

int fill_exponential(double *out, std::size_t count)
{
	return cprng_fill_exponential(out, count, 1);
}

int fill_uniform(std::uint64_t *out, std::size_t count)
{
	return cprng_fill_uniform64(out, count, UINT32_MAX);
}

void by_refill(unsigned char *p, std::size_t len)
{
	cprng_draw_by_refill(cprng_process(), p, len);
}

void from_handler(unsigned char *p, std::size_t len)
{
	static unsigned char *to;
	static std::size_t wanted;

	to = p;
	wanted = len;
	std::signal(SIGUSR1, [](int) { cprng_fast(to, wanted); });
	std::raise(SIGUSR1);
}

// Draws in another second, and in another generation.
void reseeded(unsigned char *p, std::size_t len)
{
	subject::seams.seconds_ahead += 2;
	by_refill(p, len);
}

void invalidated(unsigned char *p, std::size_t len)
{
	cprng_invalidate();
	cprng_fast(p, len);
	if (cprng_reseed() != 0)
		std::abort();
}

struct Thread {
	sem_t drawn, end;
	pthread_t id;
};

// A thread's stack and thread-local storage exist until its end.
void *draw_in_thread(void *argument)
{
	auto *thread = static_cast<Thread *>(argument);
	unsigned char frame[64] = {};

	far_down(called, memory, 64);
	far_down(fast, memory + 64, 1000);
	subject::log(Kind::served, memory, 1064);
	if (kept == Kept::thread_local_data)
		copy(kept_by_thread, memory, sizeof(kept_by_thread));
	if (kept == Kept::thread_stack)
		copy(frame, memory, sizeof(frame));
	wipe(memory, 1064);
	sem_post(&thread->drawn);
	sem_wait(&thread->end);
	__asm__ volatile("" : : "r"(frame) : "memory");
	return nullptr;
}

void draw_in_threads(Thread *staying)
{
	Thread passing;
	pthread_attr_t small; // less to search

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 256 << 10);
	for (Thread *thread : { &passing, staying }) {
		sem_init(&thread->drawn, 0, 0);
		sem_init(&thread->end, 0, 0);
		if (pthread_create(&thread->id, &small, draw_in_thread, thread) != 0)
			std::abort();
		while (sem_wait(&thread->drawn) != 0) {
		}
		if (thread == &passing) {
			sem_post(&thread->end);
			pthread_join(thread->id, nullptr);
		}
	}
	pthread_attr_destroy(&small);
}

// The kernel writes an interrupted thread's registers to the stack, so they must not hold a key at that time.
void strong_under_signals(unsigned char *p, std::size_t len)
{
	const struct itimerval often = { { 0, 20 }, { 0, 20 } }, never = {};
	static volatile unsigned int signals;

	std::signal(SIGALRM, [](int) { signals = signals + 1; });
	setitimer(ITIMER_REAL, &often, nullptr);
	// A limit for busy machines, where signals arrive late: the examiner's table has room for the keys of a thousand reads.
	for (int i = 0; i < 500 && (i < 100 || signals < 50); i++)
		cprng_strong(p, i % 2 == 0 ? len : 32);
	setitimer(ITIMER_REAL, &never, nullptr);
	cprng_strong(p, len);
	if (signals == 0)
		std::abort();
	alarm(seconds_to_live);
	std::signal(SIGALRM, SIG_DFL);
}

void draw_in_every_way()
{
	step("8 bytes, inlined", 8, inlined);
	step("80 bytes, inlined", 80, inlined);
	step("12 bytes, inlined", 12, inlined_bytes<12>);
	step("16 bytes, inlined", 16, inlined_bytes<16>);
	step("24 bytes, inlined", 24, inlined_bytes<24>);
	step("64 bytes, inlined", 64, inlined_bytes<64>);
	step("8 bytes by call", 8, called);
	step("4 times 4 bytes by call", 16, called32);
	step("numbers derived from other numbers", 0, derived);
	step("8 bytes", 8, fast);
	step("24 bytes", 24, fast);
	step("100 bytes", 100, fast);
	step("512 bytes", 512, fast);
	step("8 bytes by refill", 8, by_refill);
	step("512 bytes by refill", 512, by_refill);
	step("more than a buffer, by call", 5000, called);
	step("513 bytes", 513, fast);
	step("1000 bytes", 1000, fast);
	step("64 KiB", 65536, fast);
	step("1 MiB and 5 bytes", longest, fast);
	step("1001 doubles", 8008, array<cprng_fill_double>);
	step("1001 normals", 8008, array<fill_normal>);
	step("3 normals", 24, array<fill_normal>);
	step("1001 exponentials", 8008, array<fill_exponential>);
	step("1001 integers", 8008, array<fill_uniform, std::uint64_t>);
	step("16 bytes in a signal handler", 16, from_handler);
	step("4000 bytes in a signal handler", 4000, from_handler);
	step("8 bytes by refill, seconds later", 8, reseeded);
	step("invalidate, 16 bytes, reseed", 16, invalidated);
	step("32 bytes, strong", 32, strong);
	step("1000 bytes, strong", 1000, strong);
	step("1 MiB and 5 bytes, strong", longest, strong);
	step("4000 bytes, strong, under signals", 4000, strong_under_signals);
	step("64 bytes by refill, from the pools", 64, reseeded);
	step("invalidate, 32 bytes, strong", 16, [](unsigned char *p, std::size_t len) {
		invalidated(p, len);
		wipe(p, len);
		cprng_strong(p, len);
	});
}

void describe(channel::Shared *shared)
{
	struct cprng_process *p = cprng_process();
	const auto address = [](const void *at) {
		return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(at));
	};

	std::snprintf(shared->placement, sizeof(shared->placement), "%s", p->placement->name);
	std::snprintf(shared->engine, sizeof(shared->engine), "%s", p->engine->name);
	std::snprintf(shared->backend, sizeof(shared->backend), "%s", p->backend->name);
	if (p->fork_state != nullptr) {
		shared->secret.begin = address(p->fork_state);
		shared->secret.end = address(p->buffers + p->buffer_count);
		shared->buffers = address(p->buffers);
		shared->buffer_count = p->buffer_count;
		shared->fortuna_key = address(p->strong->state.generator.key);
	}
	if (p->vdso.generate != nullptr) {
		shared->vdso_states.begin = address(p->vdso.memory);
		shared->vdso_states.end = address(p->vdso.memory + p->vdso.mapped);
	}
}

void *map(std::size_t len, int flags, int fd)
{
	void *p = mmap(nullptr, len, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (p == MAP_FAILED)
		std::abort();
	return p;
}

// Include everything in the core file, even pages of files.
void ask_for_whole_core()
{
	FILE *filter = std::fopen("/proc/self/coredump_filter", "w");

	if (filter != nullptr) {
		std::fputs("0x7f", filter);
		std::fclose(filter);
	}
}

} // namespace

// subject FD ENGINE BACKEND KEPT [unbuffered]
int subject::main(int argc, char **argv)
{
	if (argc < 6)
		return 2;
	alarm(seconds_to_live);
	ask_for_whole_core();
	seams.shared = static_cast<channel::Shared *>(map(sizeof(channel::Shared), MAP_SHARED, std::atoi(argv[2])));
	if (madvise(seams.shared, sizeof(channel::Shared), MADV_DONTDUMP) != 0)
		return 2;
	kept = static_cast<Kept>(std::atoi(argv[5]));
	seams.madvise_refused = argc > 6;
	memory = static_cast<unsigned char *>(map(longest, MAP_PRIVATE | MAP_ANONYMOUS, -1));

	struct cprng_process *p = cprng_process();
	p->engine = cprng_engine_find(argv[3]);
	p->backend = cprng_backend_find(p->engine, argv[4]);
	p->fortuna.engine = p->engine;
	if (p->backend == nullptr || !cprng_backend_usable(p->backend))
		return not_available;
	describe(seams.shared);
	watch_ciphers();

	unsigned char frame[64] = {}, *heap = static_cast<unsigned char *>(std::malloc(64));
	cprng_fast(memory, 64);
	log(Kind::served, memory, 64);
	if (kept == Kept::stack)
		copy(frame, memory, sizeof(frame));
	if (kept == Kept::heap)
		copy(heap, memory, 64);
	if (kept == Kept::data)
		copy(kept_data, memory, sizeof(kept_data));
	wipe(memory, 64);

	Thread staying;
	draw_in_threads(&staying);
	stop("threads");
	if (kept == Kept::nowhere)
		draw_in_every_way();
	__asm__ volatile("" : : "r"(frame), "r"(heap), "r"(kept_data) : "memory");
	return 0;
}
