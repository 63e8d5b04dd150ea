// SPDX-License-Identifier: BSD-2-Clause
// os.h's functions on Linux, with scripted system calls.
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/script.hpp"

#include "os/own_area.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <vector>

#include <linux/membarrier.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

// -------------------------------------------------------------------------------------------------- the vDSO's states

constexpr std::uint32_t state_size = 144, states = 100;
const unsigned char *asked_with;
long answer; // 0: as many as requested
long params_answer;

long answering_vdso(void *, std::size_t len, unsigned int, void *state, std::size_t size)
{
	if (size == ~std::size_t{ 0 }) {
		const struct cprng_vgetrandom_params params = { state_size, 3, 0x22, {} };
		std::memcpy(state, &params, sizeof(params));
		return params_answer;
	}
	REQUIRE_IN_CHILD(size == state_size);
	asked_with = static_cast<unsigned char *>(state);
	std::fill_n(static_cast<unsigned char *>(state), size, static_cast<unsigned char>(0x5a));
	return answer != 0 ? answer : static_cast<long>(len);
}

bool is_zero(const unsigned char *at, std::size_t len)
{
	return std::all_of(at, at + len, [](unsigned char byte) { return byte == 0; });
}

// Catches overlapping states, and a refusal that counts as bytes.
CHILD_TEST_CASE("system: states of the vDSO's generator lie apart, and one that refuses has given nothing",
		scenario::check)
{
	const std::size_t page = cprng_os_page_size();
	struct cprng_os_vdso e;
	std::set<const unsigned char *> places;
	unsigned char bytes[32];

	fake_os.vdso = answering_vdso;
	cprng_os_vdso_open(&e, states);
	REQUIRE_IN_CHILD(e.states == states);
	for (std::uint32_t i = 0; i < states; i++) {
		REQUIRE_IN_CHILD(cprng_os_vdso_read(&e, i, bytes, sizeof(bytes)));
		// Each state is within the mapping, in one page, and disjoint from all others.
		const auto offset = static_cast<std::size_t>(asked_with - e.memory);
		REQUIRE_IN_CHILD(offset + state_size <= e.mapped);
		REQUIRE_IN_CHILD(offset % page + state_size <= page);
		REQUIRE_IN_CHILD(offset % page % state_size == 0);
		REQUIRE_IN_CHILD(places.insert(asked_with).second);
		// Only this state may be wiped.
		if (i == 0)
			continue;
		const unsigned char *const before = *std::prev(places.end(), 2);
		cprng_os_vdso_wipe(&e, i);
		REQUIRE_IN_CHILD(is_zero(asked_with, state_size));
		REQUIRE_IN_CHILD(!is_zero(before, 1) && !is_zero(before + state_size - 1, 1));
		REQUIRE_IN_CHILD(cprng_os_vdso_read(&e, i, bytes, sizeof(bytes)));
	}
	// A function that fails, or returns fewer bytes than requested.
	for (const long refused : { -1L, -EAGAIN + 0L, 31L, 33L }) {
		answer = refused;
		REQUIRE_IN_CHILD(!cprng_os_vdso_read(&e, 0, bytes, sizeof(bytes)));
	}
	cprng_os_vdso_close(&e);
	REQUIRE_IN_CHILD(e.states == 0 && e.memory == nullptr);
	params_answer = -1;
	cprng_os_vdso_open(&e, states);
	REQUIRE_IN_CHILD(e.states == 0);
}

// ------------------------------------------------------------------------------------------------------------- memory

const scenario::Scenario mapped_memory("system: memory", [] {
	const std::size_t page = cprng_os_page_size();
	auto *const p = static_cast<unsigned char *>(cprng_os_map(4 * page));

	REQUIRE_IN_CHILD(p != nullptr && is_zero(p, 4 * page));
	// The calls get exactly the pages of the range.
	std::size_t locked = 0;
	fake_os.mlock.before = [&](void *, std::size_t len) { locked = len; };
	REQUIRE_IN_CHILD(cprng_os_lock_memory(p + 1, page - 1));
	REQUIRE_IN_CHILD(locked == page);
	REQUIRE_IN_CHILD(cprng_os_lock_memory(p + page - 1, 2));
	REQUIRE_IN_CHILD(locked == 2 * page);
	fake_os.mlock.answer = -EPERM;
	REQUIRE_IN_CHILD(!cprng_os_lock_memory(p, page));
	cprng_os_unmap(p, 4 * page);
	// Nothing may remain mapped.
	unsigned char present[4];
	REQUIRE_IN_CHILD(mincore(p, 4 * page, present) != 0 && errno == ENOMEM);
	fake_os.mmap.answer = -ENOMEM;
	REQUIRE_IN_CHILD(cprng_os_map(page) == nullptr);
});

// --------------------------------------------------------------------------------------------------------------- CPUs

// Catches a CPU mask size that is read incorrectly.
CHILD_TEST_CASE("system: the bound of the CPUs' numbers", scenario::check)
{
	for (const long bytes : { 1L, 8L, 1024L }) {
		fake_os.cpu_mask_size.answer = bytes;
		REQUIRE_IN_CHILD(cprng_os_cpu_limit() == 8 * static_cast<std::uint32_t>(bytes));
	}
	// More CPUs than the type can represent, and none.
	fake_os.cpu_mask_size.answer = 1L << 30;
	REQUIRE_IN_CHILD(cprng_os_cpu_limit() == UINT32_MAX);
	fake_os.cpu_mask_size.answer = -ENOSYS;
	REQUIRE_IN_CHILD(cprng_os_cpu_limit() == 0);
}

// ---------------------------------------------------------------------------------------------------------- sequences

std::vector<int> commands;

// The kernel refuses an unregistered process, which then registers; the abort must follow.
const scenario::Scenario all_sequences("system: sequences", [] {
	fake_os.membarrier.before = [](int command) { commands.push_back(command); };
	std::ptrdiff_t offset;
	if (!cprng_os_restartable_sequences(&offset))
		_exit(scenario::unavailable);
	commands.clear();
	REQUIRE_IN_CHILD(cprng_os_abort_sequences() == 0);
	constexpr int abort = 1 << 7, registration = 1 << 8;
	REQUIRE_IN_CHILD((commands == std::vector<int>{ abort, registration, abort }));
	commands.clear();
	REQUIRE_IN_CHILD(cprng_os_abort_sequences() == 0);
	REQUIRE_IN_CHILD(commands == std::vector<int>{ abort });
	fake_os.membarrier.before = [](int command) {
		fake_os.membarrier.answer = command == MEMBARRIER_CMD_QUERY ? 0 : -EPERM;
	};
	REQUIRE_IN_CHILD(cprng_os_abort_sequences() == -EPERM);
});

} // namespace

// Catches a length that is not rounded to pages, and a mapping that stays.
TEST_CASE("system: memory is mapped, locked by whole pages, and unmapped")
{
	SKIP_IF(machine::emulated(), "the emulator only pretends to make the calls");
	scenario::check(mapped_memory);
}

// Catches sequences that are not aborted, and a registration at each call.
TEST_CASE("system: a process registers for membarrier once, and then aborts")
{
	SKIP_IF(machine::emulated(), "no sequences");
	scenario::check(all_sequences);
}

// Simulates a thread whose thread-local memory was set up after its first draw.
// Catches a registration of this library's own area that is mistaken for another library's.
CHILD_TEST_CASE("system: a thread whose memory is registered already joins", scenario::check)
{
	(void)cprng_fast64();
	if (!cprng_os_has_joined())
		_exit(scenario::unavailable);
	__atomic_store_n(&cprng_os_own.state, static_cast<std::uint32_t>(CPRNG_OS_NEW), __ATOMIC_RELAXED);
	REQUIRE_IN_CHILD(cprng_os_join_sequences());
	REQUIRE_IN_CHILD(cprng_fast64() != cprng_fast64());
}
