// SPDX-License-Identifier: BSD-2-Clause
// The entropy sources of a process on a working machine; tests can break each part (fake_os.hpp).
#ifndef CPRNG_TESTS_POLLED_HPP
#define CPRNG_TESTS_POLLED_HPP

#include "doctest/doctest.h"

#include "fake_os.hpp"
#include "internals.hpp"
#include "run.hpp"

#include "cpu/cpu.h"
#include "os/linux/announcements.h"
#include "process/sources.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

constexpr std::uint32_t SEED_BITS = CPRNG_CPU_RDSEED | CPRNG_CPU_ARM_RNG;
constexpr std::uint32_t RANDOM_BITS = CPRNG_CPU_RDRAND | CPRNG_CPU_ARM_RNG;

// The hypervisor's page, as in Linux's include/uapi/linux/vmclock-abi.h: little-endian on all machines.
class VmPage {
public:
	VmPage()
	{
		put(0, 0x4b4c4356, 4); // magic
		put(4, 4096, 4);       // size
		put(8, 1, 2);          // version
		put(12, 2, 4);         // sequence
		put(24, 1 << 8, 8);    // flags: the generation is present
		put(104, 0, 8);        // generation
	}

	void put(std::size_t at, std::uint64_t value, std::size_t size)
	{
		for (std::size_t i = 0; i < size; i++)
			bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
	}

	// A file with this content, the size of a kernel page.
	int file() const
	{
		const int fd = memfd_create("vmclock", MFD_CLOEXEC);
		REQUIRE(fd >= 0);
		REQUIRE(ftruncate(fd, sysconf(_SC_PAGESIZE)) == 0);
		REQUIRE(pwrite(fd, bytes, sizeof(bytes), 0) == static_cast<ssize_t>(sizeof(bytes)));
		return fd;
	}

	alignas(8) std::uint8_t bytes[128] = {};
	cprng_os_announcements announced = { bytes, nullptr, nullptr, "none", "" };
};

// A working machine whose numbers come from the run's seed: they are reproducible, and no test fails because of a real
// source.
class Polled {
public:
	explicit Polled(const char *label) : numbers(label), process(new struct cprng_process), state(new cprng_sources)
	{
		std::memset(static_cast<void *>(process.get()), 0, sizeof(*process));
		std::memset(static_cast<void *>(state.get()), 0, sizeof(*state));
		fake_os.getrandom.instead = [this](void *buf, std::size_t len) {
			const std::vector<std::uint8_t> bytes = numbers.bytes(len);
			std::memcpy(buf, bytes.data(), len);
			return static_cast<long>(len);
		};
		fake_os.rdseed = fake_os.rdrand = [this](std::uint64_t *word) {
			*word = numbers.word();
			return true;
		};
		fake_os.cycles = [this] { return time += 500 + numbers.below(64); };
		fake_os.features_added = SEED_BITS | RANDOM_BITS;
	}

	~Polled()
	{
		fake_os = FakeOs();
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
			CHECK(event.entropy_bits <= 8 * event.len);
			CHECK(event.source < CPRNG_SOURCES_OWN);
		}
		// Resets what an earlier poll or a failed source left.
		const auto *rest = reinterpret_cast<const std::uint8_t *>(&state->event[n]);
		const std::size_t size = sizeof(state->event) - n * sizeof(state->event[0]);
		CHECK(std::vector<std::uint8_t>(rest, rest + size) == std::vector<std::uint8_t>(size));
		last = n;
		return n;
	}

	// Events of the last poll.
	std::vector<cprng_event> events(cprng_source source) const
	{
		std::vector<cprng_event> found;

		for (std::size_t i = 0; i < last; i++) {
			if (state->event[i].source == source)
				found.push_back(state->event[i]);
		}
		return found;
	}

	std::string reported(cprng_source source) const
	{
		return cprng_source_state(state.get(), source);
	}

	// Whether all other sources delivered the expected events in the last poll.
	void check_others(cprng_source failed) const
	{
		if (failed != CPRNG_SOURCE_KERNEL)
			CHECK(events(CPRNG_SOURCE_KERNEL).size() == CPRNG_POOLS);
		for (const cprng_source source :
		     { CPRNG_SOURCE_CPU_SEED, CPRNG_SOURCE_CPU_RANDOM, CPRNG_SOURCE_JITTER }) {
			if (source != failed) {
				CAPTURE(cprng_source_name(source));
				REQUIRE(events(source).size() == 1);
				CHECK(events(source)[0].entropy_bits <= (source == CPRNG_SOURCE_JITTER ? 4 : 0));
				CHECK(reported(source) != "retired");
			}
		}
		CHECK(events(failed).empty());
		CHECK(reported(failed) == "retired");
	}

	run::Random numbers;
	std::unique_ptr<struct cprng_process> process;
	std::unique_ptr<cprng_sources> state;
	std::uint64_t time = 1000;

private:
	std::size_t last = 0;
};

#endif
