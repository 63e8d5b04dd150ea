// SPDX-License-Identifier: BSD-2-Clause
// The process's Fortuna: seeding, invalidation, its contribution to the fast generator's reseeds, faults, invalid input.
#include "../../support/run.hpp"
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/script.hpp"
#include "../../support/frequent_signals.hpp"
#include "../../support/repeats.hpp"

#include "os/linux/announcements.h"

#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

cprng_strong_info strong_info()
{
	cprng_strong_info info;

	cprng_get_strong_info(&info, sizeof(info));
	return info;
}

std::string state_of(const char *name)
{
	const cprng_strong_info info = strong_info();

	for (unsigned int i = 0; i < info.sources; i++) {
		if (std::strcmp(info.source[i].name, name) == 0)
			return info.source[i].state;
	}
	return "not listed";
}

// The next output of the state, computed on a copy.
class Prediction {
public:
	Prediction() : state(std::make_unique<cprng_fortuna_state>(cprng_process()->strong->state))
	{
	}

	std::vector<std::uint8_t> next(std::size_t len)
	{
		std::vector<std::uint8_t> bytes(len);
		cprng_lease lease;
		cprng_generator_step(&state->generator, len, &lease);
		cprng_lease_expand(&lease, bytes.data(), len, 0);
		return bytes;
	}

private:
	std::unique_ptr<cprng_fortuna_state> state;
};

std::vector<std::uint8_t> strong(std::size_t len)
{
	std::vector<std::uint8_t> bytes(len);

	cprng_strong(bytes.data(), len);
	return bytes;
}

} // namespace

// Catches a read that writes too few or too many bytes, or that repeats output.
TEST_CASE("strong: reads of every kind are filled, and nothing comes twice")
{
	Windows windows(4u << 20);
	std::size_t repeats = 0;

	for (std::size_t len : { 1, 4, 15, 16, 17, 31, 32, 64, 100, 4096, 70001, 1 << 20, (1 << 20) + 5, 1 << 21 }) {
		std::vector<std::uint8_t> bytes(len + 2, 0x5a);
		cprng_strong(bytes.data() + 1, len);
		CHECK(bytes.front() == 0x5a);
		CHECK(bytes.back() == 0x5a);
		CHECK_FALSE(has_zero_window(bytes.data() + 1, len));
		if (len <= 70001)
			repeats += windows.add(bytes.data() + 1, len);
	}
	CHECK(repeats == 0);
	cprng_strong(nullptr, 0);
}

// Catches an event that does not change the key, and a test whose prediction is wrong.
TEST_CASE("strong: what the state predicts holds until an invalidation, a reseed, a seed")
{
	SKIP_IF(!machine::buffered(), "no state to look at");
	// The clock stands still, because a poll would change the state.
	fake_os.nanoseconds = 1000 * FakeOs::second;
	// The thread stays on one CPU, whose buffer is already filled, because a refill would read the state.
	REQUIRE(machine::pin(0, machine::cpus().front()));
	cprng_invalidate();
	(void)cprng_fast64();
	const auto expect = [](bool same, auto event) {
		for (int i = 0; i < 3; i++) {
			strong(1);
			Prediction prediction;
			event();
			CHECK((strong(32) == prediction.next(32)) == same);
		}
	};
	static const std::uint8_t zeros[32] = {};

	expect(true, [] {});
	expect(true, [] { (void)cprng_fast64(); });
	expect(false, [] { cprng_invalidate(); });
	expect(false, [] { CHECK(cprng_reseed() == 0); });
	expect(false, [] { cprng_strong_seed(cprng_process(), zeros, sizeof(zeros)); });
	// Two polls give pool 0 its 64 bytes.
	expect(false, [] {
		for (int i = 0; i < 2; i++) {
			fake_os.seconds_ahead++;
			strong(1);
		}
	});
	fake_os.nanoseconds = 0;
	machine::unpin();
}

// Catches a poll at each read, and pools that never cause a reseed.
TEST_CASE("strong: sources are polled no more than ten times a second, and pools reseed as they fill")
{
	SKIP_IF(!machine::buffered(), "no pools");
	fake_os.seconds_ahead++;
	strong(1);
	const cprng_strong_info before = strong_info();
	for (int i = 0; i < 20; i++) {
		fake_os.seconds_ahead++;
		strong(1);
	}
	const cprng_strong_info after = strong_info();
	// Each poll adds 32 kernel bytes to a pool, so every second poll reaches 64; real time may add polls.
	CHECK(after.reseeds >= before.reseeds + 10);
	CHECK(after.events >= before.events + 20 * CPRNG_POOLS);
	CHECK(after.dropped == before.dropped);

	const std::uint64_t polled = cprng_process()->strong->polled;
	int polls = 0;
	const std::uint64_t begin = cprng_os_nanoseconds();
	std::uint64_t last = polled;
	for (int i = 0; i < 1000; i++) {
		strong(1);
		polls += cprng_process()->strong->polled != last;
		last = cprng_process()->strong->polled;
	}
	// The end time is read last, so the bound holds however long this took.
	CHECK(static_cast<std::uint64_t>(polls) <= 1 + (cprng_os_nanoseconds() - begin) / 100000000);
}

// A process that has not used Fortuna makes no poll, takes no lock and reads only the coarse clock: a sandbox may need this.
// Catches a poll, a lock or another clock in a process that has not asked for it.
CHILD_TEST_CASE("strong: draws leave the pools alone in a process that never used them", scenario::check)
{
	unsigned char bytes[512];
	for (int i = 0; i < 100; i++) {
		fake_os.seconds_ahead += 2;
		cprng_draw_by_refill(cprng_process(), bytes, sizeof(bytes));
	}
	REQUIRE_IN_CHILD(fake_os.strong_keys == 0);
	if (cprng_process()->strong != nullptr)
		REQUIRE_IN_CHILD(cprng_process()->strong->seeded_in == 0);
}

namespace {

// Uses slots, where a preempted refill keeps its key, and a clock set by the test.
void begin_refills()
{
	fake_os.membarrier.answer = -ENOSYS;
	fake_os.nanoseconds = 1000 * FakeOs::second;
	strong(1);
	REQUIRE_IN_CHILD(machine::placement() == machine::Placement::slots);
}

void refills(int n)
{
	unsigned char bytes[512];

	for (int i = 0; i < n; i++)
		cprng_draw_by_refill(cprng_process(), bytes, sizeof(bytes));
}

// Catches refills that never read the pools, that read them at each reseed, or that fail if the pools give nothing.
CHILD_TEST_CASE("strong: the fast generator's keys take from the pools once a second", scenario::check_buffered)
{
	begin_refills();
	refills(2);
	unsigned long before = fake_os.strong_keys;
	fake_os.seconds_ahead += 2;
	refills(1);
	REQUIRE_IN_CHILD(fake_os.strong_keys == before + 1);
	// Sixteen refills, after which the kernel's bytes are mixed in, take less than a second.
	refills(100);
	REQUIRE_IN_CHILD(fake_os.strong_keys == before + 1);

	// The refill continues without the pools.
	fake_os.pools_silent = true;
	fake_os.seconds_ahead += 2;
	before = fake_os.strong_keys;
	refills(3);
	REQUIRE_IN_CHILD(fake_os.strong_keys == before);
}

// Catches a refill that marks the second as done although the pools were locked.
CHILD_TEST_CASE("strong: a key that a lock kept from a refill comes with the next one", scenario::check_buffered)
{
	begin_refills();
	refills(1);
	fake_os.seconds_ahead += 2;
	refills(1);
	const unsigned long before = fake_os.strong_keys;
	fake_os.seconds_ahead += 2;
	cprng_lock_take(&cprng_process()->strong->poll_lock);
	refills(3);
	REQUIRE_IN_CHILD(fake_os.strong_keys == before);
	cprng_lock_release(&cprng_process()->strong->poll_lock);
	refills(1);
	REQUIRE_IN_CHILD(fake_os.strong_keys == before + 1);
	// Dozens of refills within a second must not delay the next second's read.
	refills(40);
	REQUIRE_IN_CHILD(fake_os.strong_keys == before + 1);
	fake_os.seconds_ahead++;
	refills(40);
	REQUIRE_IN_CHILD(fake_os.strong_keys == before + 2);
}

} // namespace

// Catches a refill that waits for the pools' lock.
TEST_CASE("strong: a draw does not wait for the holder of a lock of the pools")
{
	SKIP_IF(!machine::buffered(), "no locks");
	struct cprng_process_fortuna *const s = cprng_process()->strong;
	std::uint8_t key[32];

	strong(1);
	CHECK(cprng_strong_try_key(cprng_process(), key));
	for (cprng_lock *lock : { &s->lock[CPRNG_LOCK_POOLS], &s->lock[CPRNG_LOCK_GENERATOR], &s->poll_lock }) {
		cprng_lock_take(lock);
		fake_os.seconds_ahead++;
		// If the pools are locked, the poll's events are lost, and the key is as good as before.
		const bool got = cprng_strong_try_key(cprng_process(), key);
		cprng_lock_release(lock);
		CHECK(got == (lock == &s->lock[CPRNG_LOCK_POOLS]));
	}
	CHECK(cprng_strong_try_key(cprng_process(), key));
}

namespace {

std::atomic<std::uint64_t> in_handlers{ 0 };
thread_local unsigned char handler_bytes[64 * 64];
thread_local unsigned int handler_used;

void read_in_handler(bool)
{
	if (handler_used + 64 > sizeof(handler_bytes))
		return;
	cprng_strong(handler_bytes + handler_used, 64);
	handler_used += 64;
	(void)cprng_add_entropy(7, &handler_used, sizeof(handler_used), 1);
	in_handlers++;
}

} // namespace

// Catches a deadlock between a handler and its thread, and output that both receive.
TEST_CASE("strong: threads and their signal handlers, in both modes")
{
	const std::size_t rounds = machine::scaled(400, 20), readers = 4;
	std::vector<std::vector<unsigned char>> outputs(readers);
	std::vector<std::thread> threads;

	in_handlers = 0;
	for (std::size_t t = 0; t < readers; t++) {
		threads.emplace_back([&, t] {
			frequent_signals::Timer timer;
			frequent_signals::set_handler(read_in_handler);
			timer.start(frequent_signals::interval());
			for (std::size_t i = 0; i < rounds; i++) {
				const std::size_t len = i % 8 == 0 ? 3000 : 48, at = outputs[t].size();
				std::vector<unsigned char> bytes(len);
				cprng_strong(bytes.data(), len);
				if (i % 50 == t)
					cprng_strong_set_locked_reads(i % 100 < 50);
				if (i % 97 == t)
					cprng_invalidate();
				outputs[t].resize(at + len);
				std::memcpy(&outputs[t][at], bytes.data(), len);
			}
			timer.stop();
			frequent_signals::set_handler(nullptr);
			const std::size_t at = outputs[t].size();
			outputs[t].resize(at + handler_used);
			std::memcpy(outputs[t].data() + at, handler_bytes, handler_used);
			handler_used = 0;
		});
	}
	for (std::thread &t : threads)
		t.join();
	cprng_strong_set_locked_reads(0);

	std::size_t bytes = 0, repeats = 0;
	for (const auto &o : outputs)
		bytes += o.size();
	Windows windows(bytes);
	for (const auto &o : outputs) {
		repeats += windows.add(o.data(), o.size());
		CHECK_FALSE(has_zero_window(o.data(), o.size()));
	}
	MESSAGE(bytes << " bytes, " << in_handlers.load() << " reads in handlers");
	CHECK(repeats == 0);
}

// Catches a read that continues from a state that both clones have.
CHILD_TEST_CASE("strong: a clone of the virtual machine is noticed", scenario::check_buffered)
{
	alignas(8) static unsigned char page[4096];
	static const cprng_os_announcements announced = { page, nullptr, nullptr, "none", "" };
	cprng_process()->announcements = &announced;
	strong(1);
	(void)cprng_fast64();
	const std::uint64_t generation = cprng_generation(cprng_process());
	strong(1);
	REQUIRE_IN_CHILD(cprng_generation(cprng_process()) == generation);
	page[CPRNG_VMCLOCK_DISRUPTIONS_AT] = 1;
	Prediction prediction;
	REQUIRE_IN_CHILD(strong(32) != prediction.next(32));
	REQUIRE_IN_CHILD(cprng_generation(cprng_process()) != generation);
	const std::uint64_t second = cprng_generation(cprng_process());
	strong(1);
	REQUIRE_IN_CHILD(cprng_generation(cprng_process()) == second);
}

namespace {

const scenario::Scenario no_kernel("strong: no kernel", [] {
	fake_os.vdso_missing = true;
	fake_os.getrandom.answer = -ENOSYS;
	strong(32);
});

const scenario::Scenario no_kernel_later("strong: no kernel later", [] {
	fake_os.vdso_missing = true;
	strong(32);
	fake_os.getrandom.answer = -EPERM;
	REQUIRE_IN_CHILD(state_of("kernel") != "retired");
	for (int i = 0; i < 3; i++) {
		fake_os.seconds_ahead++;
		REQUIRE_IN_CHILD(!has_zero_window(strong(32).data(), 32));
	}
	REQUIRE_IN_CHILD(state_of("kernel") == "retired");
	REQUIRE_IN_CHILD(state_of("jitter") != "retired");
});

} // namespace

// Catches a first read that succeeds without the kernel, and a later read that aborts without it.
TEST_CASE("strong: without the kernel it does not begin, and then goes on")
{
	CHECK(no_kernel.run().aborted_saying("cprng: no random numbers from the kernel: getrandom: error 38"));

	SKIP_IF(!machine::buffered(), "every read is the kernel's");
	const scenario::Result r = no_kernel_later.run();
	INFO(r.describe());
	CHECK(r.ended_well());
}

namespace {

// Two clones continue from the same memory, and their kernels still return the same bytes.
const scenario::Scenario clones("strong: clones", [] {
	fake_os.vdso_missing = true;
	strong(1);
	cprng_invalidate();
	struct cprng_process_fortuna *const s = cprng_process()->strong;
	const auto saved = std::make_unique<struct cprng_process_fortuna>(*s);
	fake_os.getrandom.instead = script::replay;
	const std::vector<std::uint8_t> one = strong(32);
	const unsigned long asked = script::replayed;
	*s = *saved;
	script::replayed = 0;
	const std::vector<std::uint8_t> other = strong(32);
	REQUIRE_IN_CHILD(script::replayed == asked && asked != 0);
	REQUIRE_IN_CHILD(one != other);
});

} // namespace

// Catches a generation that depends only on the kernel's bytes.
TEST_CASE("strong: clones whose kernels have not noticed have the noise of their own")
{
	SKIP_IF(!machine::buffered(), "every read is the kernel's");
	SKIP_IF(machine::emulated(), "an emulator's time may depend only on the instructions executed");
	const scenario::Result r = clones.run();
	INFO(r.describe());
	CHECK(r.ended_well());
}

// Catches an unchecked argument, and a full queue that is not reported.
TEST_CASE("strong: events of the application")
{
	unsigned char event[64] = { 1 };

	CHECK(cprng_add_entropy(0, nullptr, 1, 0) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_add_entropy(0, nullptr, 0, 0) == 0);
	CHECK(cprng_add_entropy(0, event, 0, 0) == 0);
	CHECK(cprng_add_entropy(0, event, 0, 1) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_add_entropy(0, event, 33, 0) == CPRNG_ERR_SIZE);
	CHECK(cprng_add_entropy(0, event, SIZE_MAX, 0) == CPRNG_ERR_SIZE);
	CHECK(cprng_add_entropy(0, event, 4, 33) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_add_entropy(CPRNG_APPLICATION_SOURCES, event, 4, 0) == CPRNG_ERR_SOURCE);
	CHECK(cprng_add_entropy(~0u, event, 4, 0) == CPRNG_ERR_SOURCE);

	SKIP_IF(!machine::buffered(), "no queue");
	strong(1);
	const cprng_strong_info before = strong_info();
	int full = 0;
	for (int i = 0; i < 300; i++) {
		const int status = cprng_add_entropy(i % CPRNG_APPLICATION_SOURCES, event, 32, 256);
		CHECK((status == 0 || status == CPRNG_ERR_FULL));
		full += status == CPRNG_ERR_FULL;
	}
	CHECK(full == 300 - CPRNG_HARVEST_CELLS);
	strong(1);
	CHECK(cprng_add_entropy(3, event, 32, 256) == 0);
	const cprng_strong_info after = strong_info();
	CHECK(after.dropped == before.dropped + static_cast<unsigned int>(full));
	CHECK(after.events >= before.events + CPRNG_HARVEST_CELLS);
	CHECK(state_of("application") == "used");
	CHECK(std::string(cprng_strerror(CPRNG_ERR_FULL)) != "unknown error");
}
