// SPDX-License-Identifier: BSD-2-Clause
// The entropy sources of a process, each broken in turn.
#include "../../support/polled.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

// Catches a source that is missing, or whose credit or place in the pools is wrong.
TEST_CASE("sources: a poll where everything works")
{
	Polled m("sources: all");
	VmPage page;

	m.process->announcements = &page.announced;
	for (const cprng_source source : { CPRNG_SOURCE_KERNEL, CPRNG_SOURCE_CPU_SEED, CPRNG_SOURCE_CPU_RANDOM,
					   CPRNG_SOURCE_JITTER, CPRNG_SOURCE_VM_GENERATION })
		CHECK(m.reported(source) == "starting");

	CHECK(m.poll() == CPRNG_POOLS + 4);
	std::set<std::string> payloads;
	for (const cprng_event &event : m.events(CPRNG_SOURCE_KERNEL)) {
		CHECK(event.len == CPRNG_EVENT_MAX);
		CHECK(event.entropy_bits == 8 * CPRNG_EVENT_MAX);
		payloads.emplace(reinterpret_cast<const char *>(event.payload), sizeof(event.payload));
	}
	CHECK(payloads.size() == CPRNG_POOLS);
	for (const cprng_source source : { CPRNG_SOURCE_CPU_SEED, CPRNG_SOURCE_CPU_RANDOM }) {
		REQUIRE(m.events(source).size() == 1);
		CHECK(m.events(source)[0].len == CPRNG_EVENT_MAX);
		CHECK(m.events(source)[0].entropy_bits == 0);
	}
	REQUIRE(m.events(CPRNG_SOURCE_VM_GENERATION).size() == 1);
	CHECK(m.reported(CPRNG_SOURCE_VM_GENERATION) == "healthy");
	CHECK(m.state->source[CPRNG_SOURCE_KERNEL].events == CPRNG_POOLS);
	CHECK(m.state->source[CPRNG_SOURCE_KERNEL].health.samples == CPRNG_POOLS * 4);
	CHECK(m.state->source[CPRNG_SOURCE_JITTER].health.samples == CPRNG_EVENT_MAX);

	CHECK(m.poll() == CPRNG_POOLS + 3); // the number of events is unchanged
	CHECK(m.state->source[CPRNG_SOURCE_KERNEL].events == 2 * CPRNG_POOLS);

	CHECK(std::string(cprng_source_name(CPRNG_SOURCE_KERNEL)) == "kernel");
	CHECK(std::string(cprng_source_name(CPRNG_SOURCE_CPU_SEED)) == "cpu-seed");
	CHECK(std::string(cprng_source_name(CPRNG_SOURCE_CPU_RANDOM)) == "cpu-random");
	CHECK(std::string(cprng_source_name(CPRNG_SOURCE_JITTER)) == "jitter");
	CHECK(std::string(cprng_source_name(CPRNG_SOURCE_VM_GENERATION)) == "vm-generation");
}

// Catches a child that keeps its parent's health state, counts or events.
TEST_CASE("sources: what a fork has wiped starts again")
{
	Polled m("sources: wiped");

	fake_os.rdrand = [](std::uint64_t *word) {
		*word = 0;
		return true;
	};
	m.poll();
	CHECK(m.reported(CPRNG_SOURCE_CPU_RANDOM) == "retired");
	std::memset(static_cast<void *>(m.state.get()), 0, sizeof(*m.state));
	CHECK(m.reported(CPRNG_SOURCE_CPU_RANDOM) == "starting");
	fake_os.rdrand = fake_os.rdseed;
	CHECK(m.poll() == CPRNG_POOLS + 3);
}

// ------------------------------------------------------------------------------------------------------------ kernel

// Catches events with bytes that the kernel did not return.
TEST_CASE("sources: a kernel that does not answer is retired, and not asked again")
{
	const std::function<long(void *, std::size_t)> faults[] = {
		[](void *, std::size_t) { return static_cast<long>(-ENOSYS); },
		[](void *, std::size_t) { return static_cast<long>(-EPERM); },
		[](void *, std::size_t) { return static_cast<long>(-EINTR); }, // always
		[](void *, std::size_t) { return 0l; },
		[](void *, std::size_t len) { return static_cast<long>(len) + 1; },
		[](void *buf, std::size_t len) {
			const std::vector<std::uint8_t> bytes = run::Random("sources: not the kernel").bytes(len);
			std::memcpy(buf, bytes.data(), len);
			return static_cast<long>(-EIO);
		},
	};

	for (const auto &fault : faults) {
		for (const unsigned int good : { 0u, 1u, 2u, 40u }) { // preceding polls, of one call each
			Polled m("sources: kernel fails");
			const auto works = fake_os.getrandom.instead;

			CAPTURE(good);
			fake_os.getrandom.instead = [&](void *buf, std::size_t len) {
				return fake_os.getrandom.calls <= good ? works(buf, len) : fault(buf, len);
			};
			for (unsigned int i = 0; i < good; i++)
				CHECK(m.poll() == CPRNG_POOLS + 3);
			CHECK(m.poll() == 3);
			m.check_others(CPRNG_SOURCE_KERNEL);
			fake_os.getrandom.calls = 0;
			CHECK(m.poll() == 3);
			CHECK(fake_os.getrandom.calls == 0);
		}
	}
}

// Catches an interruption that counts as a failure.
TEST_CASE("sources: a kernel that is interrupted, or cuts short, is not retired")
{
	Polled m("sources: kernel storm");

	fake_os.getrandom.longest = 1;
	CHECK(m.poll() == CPRNG_POOLS + 3);
	fake_os.getrandom.longest = 3;
	fake_os.getrandom.interruptions = 90;
	CHECK(m.poll() == CPRNG_POOLS + 3);
	CHECK(m.reported(CPRNG_SOURCE_KERNEL) == "starting");
}

// Catches repeated bytes that are credited again.
TEST_CASE("sources: a kernel that repeats itself is retired, with all of the poll")
{
	const unsigned int words = CPRNG_POOLS * 4;

	// From word `from` on the output is stuck, or word `from` equals the word `distance` words earlier.
	for (const unsigned int from : { 1u, 3u, 4u, words / 2, words - 1, words, words + 5 }) {
		for (const unsigned int distance : { 0u, 1u, 2u, 30u, 127u }) {
			Polled m("sources: kernel stuck");
			std::vector<std::uint64_t> given;

			// The health tests compare with the word before, and with the first word of a window.
			if (distance > 1 && distance != from)
				continue;
			CAPTURE(from);
			CAPTURE(distance);
			fake_os.getrandom.instead = [&](void *buf, std::size_t len) {
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

// Catches a repeating instruction that is credited.
TEST_CASE("sources: an instruction that is stuck is retired")
{
	for (const cprng_source source : { CPRNG_SOURCE_CPU_SEED, CPRNG_SOURCE_CPU_RANDOM }) {
		for (const std::uint64_t stuck :
		     { 0ull, ~0ull, 0x0123456789abcdefull }) { // ~0: AMD families 15h to 17h
			for (const unsigned int good : { 0u, 3u, 7u }) {
				Polled m("sources: instruction stuck");
				auto &instruction = source == CPRNG_SOURCE_CPU_SEED ? fake_os.rdseed : fake_os.rdrand;
				unsigned int calls = 0;

				instruction = [&](std::uint64_t *word) {
					*word = calls++ < good ? m.numbers.word() : stuck;
					return true;
				};
				// The stuck word first occurred as the last word of an event, and passed.
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

// Catches the value of an instruction that reported failure.
TEST_CASE("sources: an instruction that does not answer")
{
	for (const cprng_source source : { CPRNG_SOURCE_CPU_SEED, CPRNG_SOURCE_CPU_RANDOM }) {
		Polled m("sources: instruction silent");
		auto &instruction = source == CPRNG_SOURCE_CPU_SEED ? fake_os.rdseed : fake_os.rdrand;
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
		CHECK(m.reported(source) == "starting");
		answers = 1; // and counting starts again
		CHECK(m.poll() == CPRNG_POOLS + 3);
		for (int i = 0; i < 999; i++)
			cprng_sources_poll(m.process.get(), m.state.get());
		CHECK(m.reported(source) == "starting");
		CHECK(m.poll() == CPRNG_POOLS + 2);
		m.check_others(source);
	}
}

// Like RDSEED on a CPU with a broken source: the CPUID flag is set, but every try fails.
// Catches a source that delays other sources or is asked again and again although it has never returned a word.
TEST_CASE("sources: an instruction that never answers")
{
	for (const cprng_source source : { CPRNG_SOURCE_CPU_SEED, CPRNG_SOURCE_CPU_RANDOM }) {
		Polled m("sources: instruction never answers");
		auto &instruction = source == CPRNG_SOURCE_CPU_SEED ? fake_os.rdseed : fake_os.rdrand;
		unsigned int calls = 0;

		instruction = [&calls](std::uint64_t *) {
			calls++;
			return false;
		};
		for (unsigned int i = 0; i < 1000; i++) {
			// Polls contain only events of the other sources, and each poll asks this source once.
			REQUIRE(m.reported(source) == "starting");
			REQUIRE(m.poll() == CPRNG_POOLS + 2);
			REQUIRE(m.events(source).empty());
			REQUIRE(calls == i + 1);
		}
		m.check_others(source);
		CHECK(m.poll() == CPRNG_POOLS + 2);
		CHECK(calls == 1000);
	}
}

// Catches an illegal instruction.
TEST_CASE("sources: instructions that the CPU has not are absent")
{
	Polled m("sources: instruction absent");

	fake_os.features_hidden = SEED_BITS; // RDRAND stays
	CHECK(m.poll() == CPRNG_POOLS + 2);
	CHECK(m.reported(CPRNG_SOURCE_CPU_SEED) == "absent");

	std::memset(static_cast<void *>(m.state.get()), 0, sizeof(*m.state));
	fake_os.features_hidden = SEED_BITS | RANDOM_BITS;
	CHECK(m.poll() == CPRNG_POOLS + 1);
	CHECK(m.reported(CPRNG_SOURCE_CPU_RANDOM) == "absent");
	CHECK(m.reported(CPRNG_SOURCE_CPU_SEED) == "absent");
}

// ------------------------------------------------------------------------------------------------------------ jitter

// Catches jitter that is credited before the end of its start-up test.
TEST_CASE("sources: jitter counts after the start-up test")
{
	Polled m("sources: jitter");

	for (unsigned int i = 1; i <= 40; i++) {
		m.poll();
		REQUIRE(m.events(CPRNG_SOURCE_JITTER).size() == 1);
		CHECK(m.events(CPRNG_SOURCE_JITTER)[0].entropy_bits ==
		      (i < 1024 / 32 ? 0 : 4)); // 32 samples of 1/8 bit
		CHECK(m.reported(CPRNG_SOURCE_JITTER) == (i < 1024 / 32 ? "starting" : "healthy"));
	}
}

// Catches samples that are processed before their health test.
TEST_CASE("sources: jitter is the raw difference of time stamps")
{
	Polled m("sources: jitter raw");
	std::vector<std::uint64_t> stamps;

	fake_os.cycles = [&] {
		stamps.push_back(m.time += 300 + m.numbers.below(1000));
		return stamps.back();
	};
	m.poll();
	REQUIRE(stamps.size() == CPRNG_EVENT_MAX + 1);
	const cprng_event event = m.events(CPRNG_SOURCE_JITTER).at(0);
	for (std::size_t i = 0; i < CPRNG_EVENT_MAX; i++)
		CHECK(event.payload[i] == static_cast<std::uint8_t>(stamps[i + 1] - stamps[i]));
}

// Catches a coarse counter that is credited.
TEST_CASE("sources: jitter that is stuck is retired")
{
	for (const unsigned int good : { 0u, 1u, 40u }) { // preceding polls
		Polled m("sources: jitter stuck");
		const auto works = fake_os.cycles;

		for (unsigned int i = 0; i < good; i++)
			CHECK(m.poll() == CPRNG_POOLS + 3);
		fake_os.cycles = [&] { return m.time += 100; }; // not among the good ones
		// 320 equal samples in a row pass, but not 321.
		for (unsigned int i = 0; i < 320 / CPRNG_EVENT_MAX; i++)
			CHECK(m.poll() == CPRNG_POOLS + 3);
		CHECK(m.poll() == CPRNG_POOLS + 2);
		m.check_others(CPRNG_SOURCE_JITTER);
		fake_os.cycles = works;
		CHECK(m.poll() == CPRNG_POOLS + 2);
	}
}

// Catches jitter that is credited although there is no counter.
TEST_CASE("sources: jitter by the clock where the CPU has no counter, absent without either")
{
	Polled m("sources: jitter clock");

	fake_os.clock = fake_os.cycles;
	fake_os.cycles = [] { return std::uint64_t{ 0 }; };
	CHECK(m.poll() == CPRNG_POOLS + 3);
	CHECK(m.events(CPRNG_SOURCE_JITTER).size() == 1);

	std::memset(static_cast<void *>(m.state.get()), 0, sizeof(*m.state));
	fake_os.clock = fake_os.cycles;
	CHECK(m.poll() == CPRNG_POOLS + 2);
	CHECK(m.reported(CPRNG_SOURCE_JITTER) == "absent");
}

// docs/decisions/0008-entropy-sources.md measures jitter's quality; this only checks that it works.
// Catches jitter that does not vary on this machine.
TEST_CASE("sources: the real jitter")
{
	Polled m("sources: jitter real");
	std::set<unsigned int> values;

	fake_os.cycles = nullptr;
	for (int i = 0; i < 100; i++) {
		m.poll();
		for (const cprng_event &event : m.events(CPRNG_SOURCE_JITTER))
			values.insert(event.payload, event.payload + event.len);
	}
	CHECK(m.reported(CPRNG_SOURCE_JITTER) == "healthy");
	CHECK(values.size() > 2);
}

// ------------------------------------------------------------------------------------------------------ entropy, vDSO

// The vDSO expands bytes from a key in this process's memory, so an attacker who has read that memory knows them.
// Catches entropy from a key in the process's own memory.
TEST_CASE("sources: the kernel by one system call, also where the vDSO has getrandom")
{
	struct cprng_process *const process = cprng_process();
	Polled m("sources: system call");
	std::vector<std::uint8_t> bytes;

	(void)cprng_generation(process); // the vDSO's states belong to a generation
	fake_os.getrandom.instead = nullptr;
	fake_os.getrandom.calls = 0;
	fake_os.getrandom.after = [&](long n, void *buf, std::size_t len) {
		REQUIRE(n == static_cast<long>(len));
		const std::uint8_t *p = static_cast<const std::uint8_t *>(buf);
		bytes.insert(bytes.end(), p, p + n);
	};
	const std::size_t n = cprng_sources_poll(process, m.state.get());
	CHECK(m.reported(CPRNG_SOURCE_KERNEL) == "starting");
	CHECK(fake_os.getrandom.calls == 1);
	// Each pool has its 32 bytes from the system call, and the source keeps none.
	std::vector<cprng_event> events(m.state->event, m.state->event + n);
	events.erase(std::remove_if(events.begin(), events.end(),
				    [](const cprng_event &e) { return e.source != CPRNG_SOURCE_KERNEL; }),
		     events.end());
	REQUIRE(events.size() == CPRNG_POOLS);
	REQUIRE(bytes.size() == CPRNG_POOLS * CPRNG_EVENT_MAX);
	for (std::size_t i = 0; i < events.size(); i++)
		CHECK(std::memcmp(events[i].payload, bytes.data() + i * CPRNG_EVENT_MAX, CPRNG_EVENT_MAX) == 0);
	CHECK(std::all_of(m.state->kernel, m.state->kernel + sizeof(m.state->kernel),
			  [](std::uint8_t b) { return b == 0; }));

	// A failed call must not end the process.
	std::uint8_t few[32];
	fake_os.getrandom.answer = -ENOSYS;
	CHECK(cprng_os_entropy(few, sizeof(few)) == -ENOSYS);
}

// -------------------------------------------------------------------------------------------------------- vm-generation

// Catches a poll without the virtual machine's generation, which makes clones differ.
TEST_CASE("sources: the generation of the virtual machine")
{
	Polled m("sources: vm");
	VmPage page;

	CHECK(m.poll() == CPRNG_POOLS + 3);
	CHECK(m.reported(CPRNG_SOURCE_VM_GENERATION) == "absent");

	m.process->announcements = &page.announced; // found later
	CHECK(m.poll() == CPRNG_POOLS + 4);
	CHECK(m.reported(CPRNG_SOURCE_VM_GENERATION) == "healthy");
	std::vector<std::uint8_t> payload;
	for (const std::uint64_t generation : { 1ull, 2ull, 77ull, ~0ull, 0ull }) {
		page.put(104, generation, 8);
		CHECK(m.poll() == CPRNG_POOLS + 4);
		REQUIRE(m.events(CPRNG_SOURCE_VM_GENERATION).size() == 1);
		const cprng_event event = m.events(CPRNG_SOURCE_VM_GENERATION)[0];
		CHECK(event.len == 8);
		CHECK(event.entropy_bits == 0);
		const std::vector<std::uint8_t> now(event.payload, event.payload + event.len);
		CHECK(now != payload);
		payload = now;
		CHECK(m.poll() == CPRNG_POOLS + 3);
	}
}
