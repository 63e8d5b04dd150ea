// SPDX-License-Identifier: BSD-2-Clause
// The sources of a process, on a machine of which each part can be broken: the program is linked with --wrap for what
// stands below under extern "C".
#include "doctest/doctest.h"

#include "../draw/internals.hpp"
#include "../support/run.hpp"

#include "cpu/cpu.h"
#include "cpu/noise.h"
#include "linux/sources.h"
#include "linux/vmclock.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace {

// What the parts of the machine do; an empty function leaves the real one in place.
struct Machine {
	std::function<long(void *, std::size_t)> getrandom;
	std::function<bool(std::uint64_t *)> seed, random;
	std::function<std::uint64_t()> cycles, nanoseconds;
	std::function<long(const char *)> open;
	std::function<long(int, std::size_t)> map;
	std::uint32_t features_added = 0, features_hidden = 0;
	std::vector<int> closed;
	std::vector<void *> unmapped;
};

Machine *machine; // of the test that runs

} // namespace

extern "C" {
long __real_cprng_sys_getrandom(void *buf, std::size_t len);
bool __real_cprng_cpu_seed(std::uint64_t *word);
bool __real_cprng_cpu_random(std::uint64_t *word);
std::uint64_t __real_cprng_cpu_cycles(void);
std::uint64_t __real_cprng_sys_nanoseconds(void);
std::uint32_t __real_cprng_cpu_features(void);
long __real_cprng_sys_openat(int dir, const char *path, int flags, unsigned int mode);
long __real_cprng_sys_map_file(int fd, std::size_t len);
long __real_cprng_sys_close(int fd);
long __real_cprng_sys_munmap(void *p, std::size_t len);

long __wrap_cprng_sys_getrandom(void *buf, std::size_t len);
bool __wrap_cprng_cpu_seed(std::uint64_t *word);
bool __wrap_cprng_cpu_random(std::uint64_t *word);
std::uint64_t __wrap_cprng_cpu_cycles(void);
std::uint64_t __wrap_cprng_sys_nanoseconds(void);
std::uint32_t __wrap_cprng_cpu_features(void);
long __wrap_cprng_sys_openat(int dir, const char *path, int flags, unsigned int mode);
long __wrap_cprng_sys_map_file(int fd, std::size_t len);
long __wrap_cprng_sys_close(int fd);
long __wrap_cprng_sys_munmap(void *p, std::size_t len);
}

long __wrap_cprng_sys_getrandom(void *buf, std::size_t len)
{
	return machine != nullptr && machine->getrandom ? machine->getrandom(buf, len) :
							  __real_cprng_sys_getrandom(buf, len);
}

bool __wrap_cprng_cpu_seed(std::uint64_t *word)
{
	return machine != nullptr && machine->seed ? machine->seed(word) : __real_cprng_cpu_seed(word);
}

bool __wrap_cprng_cpu_random(std::uint64_t *word)
{
	return machine != nullptr && machine->random ? machine->random(word) : __real_cprng_cpu_random(word);
}

std::uint64_t __wrap_cprng_cpu_cycles(void)
{
	return machine != nullptr && machine->cycles ? machine->cycles() : __real_cprng_cpu_cycles();
}

std::uint64_t __wrap_cprng_sys_nanoseconds(void)
{
	return machine != nullptr && machine->nanoseconds ? machine->nanoseconds() : __real_cprng_sys_nanoseconds();
}

std::uint32_t __wrap_cprng_cpu_features(void)
{
	const std::uint32_t real = __real_cprng_cpu_features();
	return machine != nullptr ? (real | machine->features_added) & ~machine->features_hidden : real;
}

long __wrap_cprng_sys_openat(int dir, const char *path, int flags, unsigned int mode)
{
	return machine != nullptr && machine->open ? machine->open(path) :
						     __real_cprng_sys_openat(dir, path, flags, mode);
}

long __wrap_cprng_sys_map_file(int fd, std::size_t len)
{
	return machine != nullptr && machine->map ? machine->map(fd, len) : __real_cprng_sys_map_file(fd, len);
}

long __wrap_cprng_sys_close(int fd)
{
	if (machine != nullptr)
		machine->closed.push_back(fd);
	return __real_cprng_sys_close(fd);
}

long __wrap_cprng_sys_munmap(void *p, std::size_t len)
{
	if (machine != nullptr)
		machine->unmapped.push_back(p);
	return __real_cprng_sys_munmap(p, len);
}

namespace {

constexpr std::uint32_t SEED_BITS = CPRNG_CPU_RDSEED | CPRNG_CPU_ARM_RNG;
constexpr std::uint32_t RANDOM_BITS = CPRNG_CPU_RDRAND | CPRNG_CPU_ARM_RNG;

// What the hypervisor shows, as include/uapi/linux/vmclock-abi.h of Linux has it: little-endian, whatever the machine.
class VmPage {
public:
	VmPage()
	{
		put(0, 0x4b4c4356, 4); // magic
		put(4, 4096, 4);       // size
		put(8, 1, 2);          // version
		put(12, 2, 4);         // sequence
		put(24, 1 << 8, 8);    // flags: the generation is there
		put(104, 0, 8);        // generation
	}

	void put(std::size_t at, std::uint64_t value, std::size_t size)
	{
		for (std::size_t i = 0; i < size; i++)
			bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
	}

	// A file with this content, as large as a page of the kernel.
	int file() const
	{
		const int fd = memfd_create("vmclock", MFD_CLOEXEC);
		REQUIRE(fd >= 0);
		REQUIRE(ftruncate(fd, sysconf(_SC_PAGESIZE)) == 0);
		REQUIRE(pwrite(fd, bytes, sizeof(bytes), 0) == static_cast<ssize_t>(sizeof(bytes)));
		return fd;
	}

	alignas(8) std::uint8_t bytes[128] = {};
};

// A machine on which everything works, by numbers that the seed of the run decides: unlike the real ones they are the
// same again, and no test fails because a real source did.
class Polled : public Machine {
public:
	explicit Polled(const char *label) : numbers(label), process(new struct cprng_process), state(new cprng_sources)
	{
		std::memset(static_cast<void *>(process.get()), 0, sizeof(*process));
		std::memset(static_cast<void *>(state.get()), 0, sizeof(*state));
		getrandom = [this](void *buf, std::size_t len) {
			kernel_calls++;
			const std::vector<std::uint8_t> bytes = numbers.bytes(len);
			std::memcpy(buf, bytes.data(), len);
			return static_cast<long>(len);
		};
		seed = random = [this](std::uint64_t *word) {
			*word = numbers.word();
			return true;
		};
		cycles = [this] { return time += 500 + numbers.below(64); };
		features_added = SEED_BITS | RANDOM_BITS;
		machine = this;
	}

	~Polled()
	{
		machine = nullptr;
	}

	Polled(const Polled &) = delete;
	Polled &operator=(const Polled &) = delete;

	std::size_t poll()
	{
		const std::size_t n = cprng_sources_poll(process.get(), state.get());

		REQUIRE(n <= CPRNG_POLL_EVENTS);
		for (std::size_t i = 0; i < n; i++) {
			const cprng_event &event = state->event[i];
			CHECK((event.len >= 1 && event.len <= CPRNG_EVENT_MAX));
			CHECK(event.credit <= 8 * event.len);
			CHECK(event.source < CPRNG_SOURCES_OWN);
		}
		// Nothing is left of an earlier poll, or of a source that failed.
		const auto *rest = reinterpret_cast<const std::uint8_t *>(&state->event[n]);
		const std::size_t size = sizeof(state->event) - n * sizeof(state->event[0]);
		CHECK(std::vector<std::uint8_t>(rest, rest + size) == std::vector<std::uint8_t>(size));
		last = n;
		return n;
	}

	// Of the last poll.
	std::vector<cprng_event> events(cprng_source source) const
	{
		std::vector<cprng_event> found;

		for (std::size_t i = 0; i < last; i++) {
			if (state->event[i].source == source)
				found.push_back(state->event[i]);
		}
		return found;
	}

	std::string told(cprng_source source) const
	{
		return cprng_source_state(state.get(), source);
	}

	// The sources but this one gave in the last poll what they should.
	void check_others(cprng_source failed) const
	{
		if (failed != CPRNG_SOURCE_KERNEL)
			CHECK(events(CPRNG_SOURCE_KERNEL).size() == CPRNG_POOLS);
		for (const cprng_source source :
		     { CPRNG_SOURCE_CPU_SEED, CPRNG_SOURCE_CPU_RANDOM, CPRNG_SOURCE_JITTER }) {
			if (source != failed) {
				CAPTURE(cprng_source_name(source));
				REQUIRE(events(source).size() == 1);
				CHECK(events(source)[0].credit <= (source == CPRNG_SOURCE_JITTER ? 4 : 0));
				CHECK(told(source) != "retired");
			}
		}
		CHECK(events(failed).empty());
		CHECK(told(failed) == "retired");
	}

	run::Random numbers;
	std::unique_ptr<struct cprng_process> process;
	std::unique_ptr<cprng_sources> state;
	std::uint64_t time = 1000;
	unsigned int kernel_calls = 0;

private:
	std::size_t last = 0;
};

} // namespace

TEST_CASE("sources: a poll where everything works")
{
	Polled m("sources: all");
	VmPage page;

	m.process->vmclock = page.bytes;
	for (const cprng_source source : { CPRNG_SOURCE_KERNEL, CPRNG_SOURCE_CPU_SEED, CPRNG_SOURCE_CPU_RANDOM,
					   CPRNG_SOURCE_JITTER, CPRNG_SOURCE_VM_GENERATION })
		CHECK(m.told(source) == "starting");

	CHECK(m.poll() == CPRNG_POOLS + 4);
	std::set<std::string> payloads;
	for (const cprng_event &event : m.events(CPRNG_SOURCE_KERNEL)) {
		CHECK(event.len == CPRNG_EVENT_MAX);
		CHECK(event.credit == 8 * CPRNG_EVENT_MAX);
		payloads.emplace(reinterpret_cast<const char *>(event.payload), sizeof(event.payload));
	}
	CHECK(payloads.size() == CPRNG_POOLS);
	for (const cprng_source source : { CPRNG_SOURCE_CPU_SEED, CPRNG_SOURCE_CPU_RANDOM }) {
		REQUIRE(m.events(source).size() == 1);
		CHECK(m.events(source)[0].len == CPRNG_EVENT_MAX);
		CHECK(m.events(source)[0].credit == 0);
	}
	REQUIRE(m.events(CPRNG_SOURCE_VM_GENERATION).size() == 1);
	CHECK(m.told(CPRNG_SOURCE_VM_GENERATION) == "healthy");
	CHECK(m.state->source[CPRNG_SOURCE_KERNEL].events == CPRNG_POOLS);
	CHECK(m.state->source[CPRNG_SOURCE_KERNEL].health.samples == CPRNG_POOLS * 4);
	CHECK(m.state->source[CPRNG_SOURCE_JITTER].health.samples == CPRNG_EVENT_MAX);

	CHECK(m.poll() == CPRNG_POOLS + 3); // the number is the same
	CHECK(m.state->source[CPRNG_SOURCE_KERNEL].events == 2 * CPRNG_POOLS);

	CHECK(std::string(cprng_source_name(CPRNG_SOURCE_KERNEL)) == "kernel");
	CHECK(std::string(cprng_source_name(CPRNG_SOURCE_CPU_SEED)) == "cpu-seed");
	CHECK(std::string(cprng_source_name(CPRNG_SOURCE_CPU_RANDOM)) == "cpu-random");
	CHECK(std::string(cprng_source_name(CPRNG_SOURCE_JITTER)) == "jitter");
	CHECK(std::string(cprng_source_name(CPRNG_SOURCE_VM_GENERATION)) == "vm-generation");
}

TEST_CASE("sources: what a fork has wiped starts anew")
{
	Polled m("sources: wiped");

	m.random = [](std::uint64_t *word) {
		*word = 0;
		return true;
	};
	m.poll();
	CHECK(m.told(CPRNG_SOURCE_CPU_RANDOM) == "retired");
	std::memset(static_cast<void *>(m.state.get()), 0, sizeof(*m.state));
	CHECK(m.told(CPRNG_SOURCE_CPU_RANDOM) == "starting");
	m.random = m.seed;
	CHECK(m.poll() == CPRNG_POOLS + 3);
}

// ------------------------------------------------------------------------------------------------------------ kernel

TEST_CASE("sources: a kernel that does not answer is retired, and not asked again")
{
	const std::function<long(void *, std::size_t)> faults[] = {
		[](void *, std::size_t) { return static_cast<long>(-ENOSYS); },
		[](void *, std::size_t) { return static_cast<long>(-EPERM); },
		[](void *, std::size_t) { return static_cast<long>(-EINTR); }, // for ever
		[](void *, std::size_t) { return 0l; },
		[](void *, std::size_t len) { return static_cast<long>(len) + 1; },
		[](void *buf, std::size_t len) {
			const std::vector<std::uint8_t> bytes = run::Random("sources: not the kernel").bytes(len);
			std::memcpy(buf, bytes.data(), len);
			return static_cast<long>(-EIO);
		},
	};

	for (const auto &fault : faults) {
		for (const unsigned int good : { 0u, 1u, 31u, 32u, 40u }) { // calls before it
			Polled m("sources: kernel fails");
			const auto works = m.getrandom;
			unsigned int calls = 0;

			CAPTURE(good);
			m.getrandom = [&](void *buf, std::size_t len) {
				return calls++ < good ? works(buf, len) : fault(buf, len);
			};
			for (unsigned int i = 0; i < good / CPRNG_POOLS; i++)
				CHECK(m.poll() == CPRNG_POOLS + 3);
			CHECK(m.poll() == 3);
			m.check_others(CPRNG_SOURCE_KERNEL);
			calls = 0;
			CHECK(m.poll() == 3);
			CHECK(calls == 0);
		}
	}
}

TEST_CASE("sources: a kernel that is interrupted, or cuts short, is not retired")
{
	Polled m("sources: kernel storm");
	const auto works = m.getrandom;
	unsigned int calls = 0;

	m.getrandom = [&](void *buf, std::size_t len) { return works(buf, len < 1 ? len : 1); };
	CHECK(m.poll() == CPRNG_POOLS + 3);
	m.getrandom = [&](void *buf, std::size_t len) {
		return ++calls % 91 != 0 ? static_cast<long>(-EINTR) : works(buf, len < 3 ? len : 3);
	};
	CHECK(m.poll() == CPRNG_POOLS + 3);
	CHECK(m.told(CPRNG_SOURCE_KERNEL) == "starting");
}

TEST_CASE("sources: a kernel that repeats itself is retired, with all of the poll")
{
	const unsigned int words = CPRNG_POOLS * 4;

	// From word `from` on it is stuck, or word `from` equals that of `distance` before.
	for (const unsigned int from : { 1u, 3u, 4u, words / 2, words - 1, words, words + 5 }) {
		for (const unsigned int distance : { 0u, 1u, 2u, 30u, 127u }) {
			Polled m("sources: kernel stuck");
			std::vector<std::uint64_t> given;

			// Only the first word of a window is remembered further back than the word before.
			if (distance > 1 && distance != from)
				continue;
			CAPTURE(from);
			CAPTURE(distance);
			m.getrandom = [&](void *buf, std::size_t len) {
				for (std::size_t at = 0; at < len; at += 8) {
					const auto i = static_cast<unsigned int>(given.size());
					std::uint64_t word = m.numbers.word();
					if (distance == 0 && i >= from)
						word = given[from - 1];
					else if (i == from)
						word = given[i - distance];
					given.push_back(word);
					std::memcpy(static_cast<char *>(buf) + at, &word, 8);
				}
				return static_cast<long>(len);
			};
			if (from >= words)
				CHECK(m.poll() == CPRNG_POOLS + 3);
			CHECK(m.poll() == 3);
			m.check_others(CPRNG_SOURCE_KERNEL);
		}
	}
}

// --------------------------------------------------------------------------------------------- instructions of the CPU

TEST_CASE("sources: an instruction that is stuck is retired")
{
	for (const cprng_source source : { CPRNG_SOURCE_CPU_SEED, CPRNG_SOURCE_CPU_RANDOM }) {
		for (const std::uint64_t stuck :
		     { 0ull, ~0ull, 0x0123456789abcdefull }) { // ~0: AMD families 15h to 17h
			for (const unsigned int good : { 0u, 3u, 7u }) {
				Polled m("sources: instruction stuck");
				auto &instruction = source == CPRNG_SOURCE_CPU_SEED ? m.seed : m.random;
				unsigned int calls = 0;

				instruction = [&](std::uint64_t *word) {
					*word = calls++ < good ? m.numbers.word() : stuck;
					return true;
				};
				// The word that was stuck first passed when it was the last of an event.
				for (unsigned int i = 0; i < (good + 1) / 4; i++)
					CHECK(m.poll() == CPRNG_POOLS + 3);
				CHECK(m.poll() == CPRNG_POOLS + 2);
				m.check_others(source);
				calls = 0;
				CHECK(m.poll() == CPRNG_POOLS + 2);
				CHECK(calls == 0);
			}
		}
	}
}

TEST_CASE("sources: an instruction that does not answer")
{
	for (const cprng_source source : { CPRNG_SOURCE_CPU_SEED, CPRNG_SOURCE_CPU_RANDOM }) {
		Polled m("sources: instruction silent");
		auto &instruction = source == CPRNG_SOURCE_CPU_SEED ? m.seed : m.random;
		const auto works = instruction;
		unsigned int answers = 2;

		instruction = [&](std::uint64_t *word) { return answers != 0 && answers-- != 0 && works(word); };
		CHECK(m.poll() == CPRNG_POOLS + 3);
		REQUIRE(m.events(source).size() == 1);
		CHECK(m.events(source)[0].len == 16);
		for (int i = 16; i < CPRNG_EVENT_MAX; i++)
			CHECK(m.events(source)[0].payload[i] == 0);

		for (int i = 0; i < 999; i++)
			cprng_sources_poll(m.process.get(), m.state.get());
		CHECK(m.told(source) == "starting");
		answers = 1; // and everything counts from the start
		CHECK(m.poll() == CPRNG_POOLS + 3);
		for (int i = 0; i < 999; i++)
			cprng_sources_poll(m.process.get(), m.state.get());
		CHECK(m.told(source) == "starting");
		CHECK(m.poll() == CPRNG_POOLS + 2);
		m.check_others(source);
	}
}

TEST_CASE("sources: instructions that the CPU has not are absent")
{
	Polled m("sources: instruction absent");

	m.features_hidden = SEED_BITS;
	CHECK(m.poll() == CPRNG_POOLS + 1 +
				  ((__real_cprng_cpu_features() & CPRNG_CPU_RDRAND) != 0 ||
						   (m.features_added & CPRNG_CPU_RDRAND & ~SEED_BITS) != 0 ?
					   1 :
					   0));
	CHECK(m.told(CPRNG_SOURCE_CPU_SEED) == "absent");

	std::memset(static_cast<void *>(m.state.get()), 0, sizeof(*m.state));
	m.features_hidden = SEED_BITS | RANDOM_BITS;
	CHECK(m.poll() == CPRNG_POOLS + 1);
	CHECK(m.told(CPRNG_SOURCE_CPU_RANDOM) == "absent");
	CHECK(m.told(CPRNG_SOURCE_CPU_SEED) == "absent");
}

TEST_CASE("noise: the real instructions")
{
	const std::uint32_t features = cprng_cpu_features();
	std::set<std::uint64_t> words;
	unsigned int answers = 0;

	for (int i = 0; i < 200; i++) {
		std::uint64_t word = 42;
		if (__real_cprng_cpu_random(&word)) {
			words.insert(word);
			answers++;
		} else {
			CHECK(word == 42);
		}
	}
	// Retries make a failure rare, and equal words of 64 bits do not occur.
	CHECK(words.size() == answers);
	CHECK((answers > 100) == ((features & RANDOM_BITS) != 0));

	words.clear();
	answers = 0;
	for (int i = 0; i < 200; i++) {
		std::uint64_t word = 42;
		if (__real_cprng_cpu_seed(&word)) {
			words.insert(word);
			answers++;
		}
	}
	CHECK(words.size() == answers);
	CHECK(((features & SEED_BITS) != 0 || answers == 0));

	std::uint64_t word = 42;
	cprng_cpu_set_ceiling(0);
	CHECK(!__real_cprng_cpu_random(&word));
	CHECK(!__real_cprng_cpu_seed(&word));
	CHECK(word == 42);
	cprng_cpu_set_ceiling(run::ceiling);
}

TEST_CASE("noise: the counter goes on, and a flush leaves memory as it is")
{
	std::vector<std::uint8_t> memory = run::Random("noise: flush").bytes(4096);
	const std::vector<std::uint8_t> copy = memory;
	const std::uint64_t before = cprng_cpu_cycles();

	for (std::size_t i = 0; i < memory.size(); i += 7)
		(void)cprng_cpu_flush(&memory[i]);
	CHECK(memory == copy);
	if (before != 0) {
		std::uint64_t now = before;
		for (int i = 0; i < 1000000 && now == before; i++)
			now = cprng_cpu_cycles();
		CHECK(now > before);
	}
}

// ------------------------------------------------------------------------------------------------------------ jitter

TEST_CASE("sources: jitter counts after the start-up test")
{
	Polled m("sources: jitter");

	for (unsigned int i = 1; i <= 40; i++) {
		m.poll();
		REQUIRE(m.events(CPRNG_SOURCE_JITTER).size() == 1);
		CHECK(m.events(CPRNG_SOURCE_JITTER)[0].credit == (i < 1024 / 32 ? 0 : 4)); // 32 samples of 1/8 bit
		CHECK(m.told(CPRNG_SOURCE_JITTER) == (i < 1024 / 32 ? "starting" : "healthy"));
	}
}

TEST_CASE("sources: jitter is the raw difference of time stamps")
{
	Polled m("sources: jitter raw");
	std::vector<std::uint64_t> stamps;

	m.cycles = [&] {
		stamps.push_back(m.time += 300 + m.numbers.below(1000));
		return stamps.back();
	};
	m.poll();
	REQUIRE(stamps.size() == CPRNG_EVENT_MAX + 1);
	const cprng_event event = m.events(CPRNG_SOURCE_JITTER).at(0);
	for (std::size_t i = 0; i < CPRNG_EVENT_MAX; i++)
		CHECK(event.payload[i] == static_cast<std::uint8_t>(stamps[i + 1] - stamps[i]));
}

TEST_CASE("sources: jitter that is stuck is retired")
{
	for (const unsigned int good : { 0u, 1u, 40u }) { // polls before
		Polled m("sources: jitter stuck");
		const auto works = m.cycles;

		for (unsigned int i = 0; i < good; i++)
			CHECK(m.poll() == CPRNG_POOLS + 3);
		m.cycles = [&] { return m.time += 100; }; // none of the good ones
		// 320 in a row pass, and not one more.
		for (unsigned int i = 0; i < 320 / CPRNG_EVENT_MAX; i++)
			CHECK(m.poll() == CPRNG_POOLS + 3);
		CHECK(m.poll() == CPRNG_POOLS + 2);
		m.check_others(CPRNG_SOURCE_JITTER);
		m.cycles = works;
		CHECK(m.poll() == CPRNG_POOLS + 2);
	}
}

TEST_CASE("sources: jitter by the clock where the CPU has no counter, absent without either")
{
	Polled m("sources: jitter clock");

	m.nanoseconds = m.cycles;
	m.cycles = [] { return std::uint64_t{ 0 }; };
	CHECK(m.poll() == CPRNG_POOLS + 3);
	CHECK(m.events(CPRNG_SOURCE_JITTER).size() == 1);

	std::memset(static_cast<void *>(m.state.get()), 0, sizeof(*m.state));
	m.nanoseconds = m.cycles;
	CHECK(m.poll() == CPRNG_POOLS + 2);
	CHECK(m.told(CPRNG_SOURCE_JITTER) == "absent");
}

// How good it is has been measured (docs/decisions/0008-entropy-sources.md); here, that it is alive.
TEST_CASE("sources: the real jitter")
{
	Polled m("sources: jitter real");
	std::set<unsigned int> values;

	m.cycles = nullptr;
	for (int i = 0; i < 100; i++) {
		m.poll();
		for (const cprng_event &event : m.events(CPRNG_SOURCE_JITTER))
			values.insert(event.payload, event.payload + event.len);
	}
	CHECK(m.told(CPRNG_SOURCE_JITTER) == "healthy");
	CHECK(values.size() > 2);
}

// ------------------------------------------------------------------------------------------------------ entropy, vDSO

TEST_CASE("sources: the kernel by the vDSO where it has one")
{
	struct cprng_process *const process = cprng_process();
	Polled m("sources: vDSO");
	unsigned int calls = 0;

	REQUIRE(cprng_generation(process) != 0);
	m.getrandom = [&](void *buf, std::size_t len) {
		calls++;
		return __real_cprng_sys_getrandom(buf, len);
	};
	cprng_sources_poll(process, m.state.get());
	CHECK(m.told(CPRNG_SOURCE_KERNEL) == "starting");
	// The vDSO's own calls are not ours; one of ours may find a state that is taken.
	CHECK((calls == 0) == (process->vgetrandom != nullptr));

	// And a failure of the call that stands behind it does not end the process.
	std::uint8_t bytes[32];
	m.getrandom = [](void *, std::size_t) { return static_cast<long>(-ENOSYS); };
	m.process->vgetrandom = nullptr;
	CHECK(cprng_entropy_try(m.process.get(), bytes, sizeof(bytes)) == -ENOSYS);
	CHECK(cprng_entropy_try_call(bytes, sizeof(bytes)) == -ENOSYS);
}

// -------------------------------------------------------------------------------------------------------- vm-generation

TEST_CASE("sources: the generation of the virtual machine")
{
	Polled m("sources: vm");
	VmPage page;

	CHECK(m.poll() == CPRNG_POOLS + 3);
	CHECK(m.told(CPRNG_SOURCE_VM_GENERATION) == "absent");

	m.process->vmclock = page.bytes; // found later
	CHECK(m.poll() == CPRNG_POOLS + 4);
	CHECK(m.told(CPRNG_SOURCE_VM_GENERATION) == "healthy");
	std::vector<std::uint8_t> payload;
	for (const std::uint64_t generation : { 1ull, 2ull, 77ull, ~0ull, 0ull }) {
		page.put(104, generation, 8);
		CHECK(m.poll() == CPRNG_POOLS + 4);
		REQUIRE(m.events(CPRNG_SOURCE_VM_GENERATION).size() == 1);
		const cprng_event event = m.events(CPRNG_SOURCE_VM_GENERATION)[0];
		CHECK(event.len == 8);
		CHECK(event.credit == 0);
		const std::vector<std::uint8_t> now(event.payload, event.payload + event.len);
		CHECK(now != payload);
		payload = now;
		CHECK(m.poll() == CPRNG_POOLS + 3);
	}
}

TEST_CASE("vmclock: generations are told apart, and are never 0")
{
	VmPage page;
	std::uint64_t before = 0;

	CHECK(cprng_vmclock_generation(nullptr) == 0);
	for (const std::uint64_t generation : { 0ull, 1ull, 2ull, 1ull << 32, 1ull << 63, ~0ull - 1, ~0ull, 0ull }) {
		page.put(104, generation, 8);
		const std::uint64_t now = cprng_vmclock_generation(page.bytes);
		CHECK(now != 0);
		CHECK(now != before);
		CHECK(cprng_vmclock_generation(page.bytes) == now);
		before = now;
	}
}

TEST_CASE("vmclock: a write that is never finished does not hold the reader up")
{
	VmPage page;

	page.put(12, 3, 4);
	page.put(104, 5, 8);
	const std::uint64_t five = cprng_vmclock_generation(page.bytes);
	page.put(104, 6, 8);
	CHECK(cprng_vmclock_generation(page.bytes) != five);
	page.put(104, 5, 8);
	page.put(12, 4, 4);
	CHECK(cprng_vmclock_generation(page.bytes) == five);
}

TEST_CASE("vmclock: the page is mapped, or left alone")
{
	struct Case {
		const char *what;
		std::size_t at, size;
		std::uint64_t value;
		bool good;
	};
	const Case cases[] = {
		{ "as it should be", 4, 4, 4096, true },
		{ "a page of 64 KiB", 4, 4, 65536, true },
		{ "other flags besides", 24, 8, 0x1ff, true },
		{ "just large enough", 4, 4, 112, true },
		{ "too small for the generation", 4, 4, 111, false },
		{ "wrong magic", 0, 4, 0x4b4c4357, false },
		{ "magic of the other byte order", 0, 4, 0x56434c4b, false },
		{ "another version", 8, 2, 2, false },
		{ "no generation", 24, 8, 0xff, false },
		{ "nothing at all", 0, 8, 0, false },
	};

	for (const Case &c : cases) {
		Polled m("vmclock: map");
		VmPage page;
		int fd = -1;

		CAPTURE(c.what);
		page.put(c.at, c.value, c.size);
		page.put(104, 41, 8);
		m.open = [&](const char *path) {
			CHECK(std::string(path) == "/dev/vmclock0");
			fd = page.file();
			return static_cast<long>(fd);
		};
		const void *mapped = cprng_vmclock_map();
		CHECK((mapped != nullptr) == c.good);
		CHECK(m.closed == std::vector<int>{ fd });
		CHECK(m.unmapped.size() == (c.good ? 0 : 1));
		if (mapped != nullptr) {
			page.put(104, 41, 8);
			CHECK(cprng_vmclock_generation(mapped) == cprng_vmclock_generation(page.bytes));
			CHECK(munmap(const_cast<void *>(mapped), static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) == 0);
		}
	}

	Polled m("vmclock: map fails");
	VmPage page;
	m.open = [](const char *) { return static_cast<long>(-ENOENT); };
	CHECK(cprng_vmclock_map() == nullptr);
	CHECK(m.closed.empty());
	m.open = [&](const char *) { return static_cast<long>(page.file()); };
	m.map = [](int, std::size_t len) {
		CHECK(len == static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
		return static_cast<long>(-EAGAIN);
	};
	CHECK(cprng_vmclock_map() == nullptr);
	CHECK(m.closed.size() == 1);
	CHECK(m.unmapped.empty());
}
