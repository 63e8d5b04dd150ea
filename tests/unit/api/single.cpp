// SPDX-License-Identifier: BSD-2-Clause
// UUIDs of version 7 in threads, after forks and with the clocks of a test, and choices from weights that are not set up.
#include "../../support/fake_os.hpp"
#include "../../support/machine.hpp"
#include "../../support/scenario.hpp"

#include <cprng/cprng.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace {

using Uuid = std::array<std::uint8_t, 16>;

Uuid make()
{
	Uuid uuid;
	REQUIRE_IN_CHILD(cprng_uuid7(uuid.data()) == 0);
	return uuid;
}

std::uint64_t time_of(const Uuid &uuid)
{
	std::uint64_t milliseconds = 0;
	for (std::size_t i = 0; i < 6; i++)
		milliseconds = milliseconds << 8 | uuid[i];
	return milliseconds;
}

void show(std::uint64_t milliseconds)
{
	fake_os.unix_milliseconds.instead = [milliseconds](std::uint64_t *to) {
		*to = milliseconds;
		return 0L;
	};
}

const scenario::Scenario no_weights{ "no-weights", [] {
					    cprng_weights w;
					    REQUIRE_IN_CHILD(cprng_weights_init(&w, nullptr, nullptr, 0) ==
							     CPRNG_ERR_ARGUMENT);
					    (void)cprng_weighted(&w);
				    } };
const scenario::Scenario no_weights_of_stream{ "no-stream-weights", [] {
						      cprng_stream s;
						      REQUIRE_IN_CHILD(cprng_stream_seed_integer(&s, nullptr, 1) == 0);
						      (void)cprng_stream_weighted(&s, nullptr);
					      } };

} // namespace

// Catches two threads that take the same stamp, and a thread whose UUIDs are not in order.
TEST_CASE("uuid: threads make different ones, each in order")
{
	const auto each = machine::scaled(100000, 2000);
	std::vector<std::vector<Uuid>> made(4, std::vector<Uuid>(each));
	std::vector<std::thread> threads;
	std::vector<Uuid> all;

	for (std::vector<Uuid> &own : made)
		threads.emplace_back([&own] {
			for (Uuid &uuid : own)
				if (cprng_uuid7(uuid.data()) != 0)
					uuid = {};
		});
	for (std::thread &thread : threads)
		thread.join();
	for (std::vector<Uuid> &own : made) {
		CHECK(std::is_sorted(own.begin(), own.end()));
		for (Uuid &uuid : own) {
			std::fill(uuid.begin() + 8, uuid.end(), std::uint8_t{ 0 }); // the stamps alone must differ
			all.push_back(uuid);
		}
	}
	std::sort(all.begin(), all.end());
	CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

// Catches a stamp that is taken twice when a handler makes a UUID in the middle of another one.
CHILD_TEST_CASE("uuid: a handler makes one while another is made", scenario::check)
{
	static Uuid inner;
	bool nested = false;

	(void)make();
	fake_os.unix_milliseconds.instead = [&nested](std::uint64_t *to) {
		*to = 5; // before the last one, so that the counter decides
		if (!nested) {
			nested = true;
			inner = make();
		}
		return 0L;
	};
	const Uuid outer = make();
	REQUIRE_IN_CHILD(nested);
	REQUIRE_IN_CHILD(!std::equal(outer.begin(), outer.begin() + 8, inner.begin()));
	REQUIRE_IN_CHILD(outer > inner);
}

// Catches a UUID that a process and its child both make.
TEST_CASE("uuid: a process and its child make different ones")
{
	constexpr std::size_t each = 2000;
	auto *const made = static_cast<Uuid *>(machine::shared_memory(2 * each * sizeof(Uuid)));
	const auto fill = [made](std::size_t first) {
		for (std::size_t i = first; i < first + each; i++)
			if (i % 2 == 0)
				cprng_uuid4(made[i].data());
			else if (cprng_uuid7(made[i].data()) != 0)
				made[i] = {};
	};

	fill(0);
	const pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		fill(each);
		_exit(0);
	}
	fill(0);
	CHECK(machine::ended_well(pid));
	std::vector<Uuid> all(made, made + 2 * each);
	munmap(made, 2 * each * sizeof(Uuid));
	std::sort(all.begin(), all.end());
	CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

// Catches a UUID that does not show the clock, one that is not greater than the last, and a time that wraps.
CHILD_TEST_CASE("uuid: the clock goes back, is far ahead, and ends", scenario::check)
{
	constexpr std::uint64_t end = std::uint64_t{ 1 } << 48;
	Uuid last = make();

	for (std::uint64_t now :
	     std::initializer_list<std::uint64_t>{ 2000000000000, 5, 2000000000001, 3000000000000, 0 }) {
		show(now);
		for (int i = 0; i < 5000; i++) {
			const Uuid uuid = make();
			REQUIRE_IN_CHILD(uuid > last);
			if (i == 0 && now > 5)
				REQUIRE_IN_CHILD(time_of(uuid) == std::max<std::uint64_t>(now, time_of(last)));
			last = uuid;
		}
	}
	show(end);
	Uuid kept = last;
	REQUIRE_IN_CHILD(cprng_uuid7(kept.data()) == CPRNG_ERR_RANGE);
	show(end - 1);
	int made = 0;
	while (made < 5000 && cprng_uuid7(kept.data()) == 0) {
		REQUIRE_IN_CHILD(kept > last);
		last = kept;
		made++;
	}
	// The counter starts below 2048 and ends at 4096; then the time would end.
	REQUIRE_IN_CHILD(made >= 2048 && made <= 4096);
	REQUIRE_IN_CHILD(kept == last);
}

// Catches a time that is invented, and an error without its number.
CHILD_TEST_CASE("uuid: without a clock there is none of version 7", scenario::check)
{
	Uuid uuid{};

	fake_os.unix_milliseconds.answer = -EPERM;
	errno = 0;
	REQUIRE_IN_CHILD(cprng_uuid7(uuid.data()) == CPRNG_ERR_SYSTEM);
	REQUIRE_IN_CHILD(errno == EPERM);
	REQUIRE_IN_CHILD(uuid == Uuid{});
	fake_os.unix_milliseconds.answer = 0;
	errno = 7;
	REQUIRE_IN_CHILD(cprng_uuid7(uuid.data()) == 0);
	REQUIRE_IN_CHILD(errno == 7);
}

// Catches a choice from a table that does not exist.
TEST_CASE("weighted: weights that are not set up end the process")
{
	for (const scenario::Scenario *one : { &no_weights, &no_weights_of_stream }) {
		const scenario::Result r = one->run();
		INFO(r.describe());
		CHECK(r.aborted_saying("cprng: a choice was asked of weights that are not set up"));
	}
}
