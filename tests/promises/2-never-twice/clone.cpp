// SPDX-License-Identifier: BSD-2-Clause
// The virtual machine's generation counter, which some hypervisors show to user space.  These tests substitute their own
// page; tests/vm uses real virtual machines.
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"
#include "../../support/script.hpp"
#include "../../support/trusted_place.hpp"

#include "os/linux/announcements.h"

#include <array>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// The relevant part of struct vmclock_abi: with all flags zero, the counter is at byte 16.
alignas(8) unsigned char page[4096];
const cprng_os_announcements announced = { page, nullptr, nullptr, "none", "" };

void step()
{
	page[CPRNG_VMCLOCK_DISRUPTIONS_AT]++;
}

// The other pages, and all at once.
alignas(8) unsigned char sysgenid[4096], file[4096];
struct Announcement {
	cprng_os_announcements pages;
	unsigned char *counter;
};
Announcement announcements[] = {
	{ announced, &page[CPRNG_VMCLOCK_DISRUPTIONS_AT] },
	{ { nullptr, sysgenid, nullptr, "none", "" }, sysgenid },
	{ { nullptr, nullptr, file, "mapped", "" }, &file[CPRNG_FILE_GENERATION_AT] },
	{ { page, sysgenid, file, "mapped", "" }, &page[CPRNG_VMCLOCK_DISRUPTIONS_AT] },
	{ { page, sysgenid, file, "mapped", "" }, sysgenid },
	{ { page, sysgenid, file, "mapped", "" }, &file[CPRNG_FILE_GENERATION_AT] },
};

// Set up, but nothing drawn yet.
struct cprng_process *process_with_page()
{
	struct cprng_process *p = cprng_process();
	p->announcements = &announced;
	return p;
}

// Catches a draw that opens files, which a sandbox would refuse.
CHILD_TEST_CASE("clone: the generation is sought when the program is loaded, and not by a draw", scenario::check)
{
	REQUIRE_IN_CHILD(announcement_searches == 1);
	(void)cprng_fast64();
	char bytes[600];
	cprng_fast(bytes, sizeof(bytes));
	cprng_strong(bytes, sizeof(bytes));
	REQUIRE_IN_CHILD(announcement_searches == 1);
}

template <std::size_t len> void draw()
{
	unsigned char bytes[len];
	cprng_fast(bytes, len);
}

// Makes `draws` draws of one kind, enough to exhaust the buffer.  By then the step must have been noticed, exactly once.
void noticed_by(const std::function<void()> &draw, std::size_t draws)
{
	struct cprng_process *p = cprng_process();
	machine::pin(0, machine::cpus().front());
	const auto draw_all = [&] {
		for (std::size_t i = 0; i < draws; i++)
			draw();
		return cprng_generation(p);
	};

	for (const Announcement &announcement : announcements) {
		p->announcements = &announcement.pages;
		const std::uint64_t first = draw_all();
		REQUIRE_IN_CHILD(draw_all() == first);
		++*announcement.counter;
		const std::uint64_t second = draw_all();
		REQUIRE_IN_CHILD(second == first + 2);
		REQUIRE_IN_CHILD(draw_all() == second);
	}
}

// Catches a kind of draw that never checks the virtual machine's generation.
CHILD_TEST_CASE("clone: it is noticed at the end of a buffer, by long requests, and by Fortuna",
		scenario::check_buffered)
{
	noticed_by([] { (void)cprng_fast32(); }, CPRNG_BUFFER_SIZE / 4 + 1);
	noticed_by(draw<256>, CPRNG_BUFFER_SIZE / 256 + 1);
	noticed_by(
		[] {
			unsigned char bytes[8];
			cprng_draw_by_refill(cprng_process(), bytes, sizeof(bytes));
		},
		1);
	noticed_by(draw<1000>, 1);
	noticed_by(
		[] {
			unsigned char bytes[8];
			cprng_strong(bytes, sizeof(bytes));
		},
		1);
}

// User space has noticed the clone, but the kernel still gives every clone the same bytes.
// Catches a key into which the virtual machine's new generation is not mixed.
CHILD_TEST_CASE("clone: clones whose kernels give the same bytes diverge", scenario::check_buffered)
{
	std::array<std::array<unsigned char, 16>, 3> outputs;
	fake_os.vdso_missing = true;
	struct cprng_process *p = process_with_page();
	const auto next = [&](std::array<unsigned char, 16> &output) {
		fake_os.getrandom.instead = script::replay;
		script::replayed = 0;
		cprng_draw_by_refill(cprng_process(), output.data(), output.size());
		fake_os.getrandom.instead = nullptr;
	};

	machine::pin(0, machine::cpus().front());
	(void)cprng_fast64();
	// Without a step both invalidations must give the same bytes; otherwise the test proves nothing.
	cprng_generation_invalidate(p);
	next(outputs[0]);
	cprng_generation_invalidate(p);
	next(outputs[1]);
	REQUIRE_IN_CHILD(outputs[0] == outputs[1]);
	for (auto &output : outputs) {
		step();
		next(output);
	}
	REQUIRE_IN_CHILD(outputs[0] != outputs[1]);
	REQUIRE_IN_CHILD(outputs[1] != outputs[2]);
	REQUIRE_IN_CHILD(outputs[0] != outputs[2]);
	// Invalidations with another cause again give equal bytes.
	for (auto &output : outputs) {
		cprng_generation_invalidate(p);
		next(output);
	}
	REQUIRE_IN_CHILD(outputs[0] == outputs[1]);
}

// Neither the time nor the CPU differs: a hypervisor may restore both.
// Catches a clone number that does not depend on the detected generation.
CHILD_TEST_CASE("clone: the generation alone sets clones apart", scenario::check_buffered)
{
	std::array<std::array<unsigned char, CPRNG_KEY_SIZE>, 3> keys = {};
	const struct cprng_process *p = process_with_page();

	fake_os.nanoseconds = 1000 * FakeOs::second;
	fake_os.cycles = [] { return std::uint64_t{ 5 }; };
	fake_os.rdseed = fake_os.rdrand = [](std::uint64_t *) { return false; };
	(void)cprng_fast64();
	for (auto &key : keys) {
		step();
		REQUIRE_IN_CHILD(cprng_vm_clone_check(cprng_process()));
		cprng_vm_clone_diverge(p, key.data());
	}
	REQUIRE_IN_CHILD(keys[0] != keys[1]);
	REQUIRE_IN_CHILD(keys[1] != keys[2]);
}

// A program's object is read when no draw has checked the generation since the step.
const scenario::Scenario unseeded_object("clone: object", [] {
	process_with_page();
	cprng_fortuna *f = nullptr;
	unsigned char bytes[32] = {};
	REQUIRE_IN_CHILD(cprng_fortuna_new(&f, nullptr, 0) == 0);
	for (int i = 0; i < 3; i++) {
		REQUIRE_IN_CHILD(cprng_fortuna_seed(f, bytes, sizeof(bytes)) == 0);
		REQUIRE_IN_CHILD(cprng_fortuna_read(f, bytes, sizeof(bytes)) == 0);
		REQUIRE_IN_CHILD(cprng_fortuna_read(f, bytes, sizeof(bytes)) == 0);
		step();
		REQUIRE_IN_CHILD(cprng_fortuna_read(f, bytes, sizeof(bytes)) == CPRNG_ERR_UNSEEDED);
	}
	cprng_fortuna_free(f);
});

// The same before any draw or read has checked the generation.  `in_child`: in a child whose parent has checked it.
void first_of_an_object(bool in_child, bool by_events)
{
	process_with_page();
	cprng_fortuna *f = nullptr;
	unsigned char bytes[32] = {};
	REQUIRE_IN_CHILD(cprng_fortuna_new(&f, nullptr, 0) == 0);
	if (in_child) {
		cprng_fast(bytes, sizeof(bytes));
		const pid_t child = fork();
		if (child != 0)
			_exit(machine::status_of(child) == 0 ? 0 : 1);
	}
	for (const bool cloned : { true, false }) {
		if (!by_events)
			REQUIRE_IN_CHILD(cprng_fortuna_seed(f, bytes, sizeof(bytes)) == 0);
		// Three events for pool 0; events go to the 32 pools in turn.
		for (unsigned int i = 0; by_events && i < 3 * 32; i++) {
			REQUIRE_IN_CHILD(cprng_fortuna_add(f, 0, bytes, sizeof(bytes), 8 * sizeof(bytes)) == 0);
			(void)cprng_fortuna_drain(f);
		}
		if (cloned)
			step();
		REQUIRE_IN_CHILD(cprng_fortuna_read(f, bytes, sizeof(bytes)) == (cloned ? CPRNG_ERR_UNSEEDED : 0));
	}
	cprng_fortuna_free(f);
	_exit(0);
}

const scenario::Scenario first_objects[] = {
	{ "clone: object, seeded first", [] { first_of_an_object(false, false); } },
	{ "clone: object, events first", [] { first_of_an_object(false, true); } },
	{ "clone: object, seeded first in a child", [] { first_of_an_object(true, false); } },
	{ "clone: object, events first in a child", [] { first_of_an_object(true, true); } },
};

// The handler of a synchronous signal, for example one that emulates membarrier(2), runs in the middle of an invalidation.
const scenario::Scenario in_the_middle("clone: draws in the middle of the detection", [] {
	static cprng_fortuna *f;
	static int handled;
	unsigned char bytes[600] = {};

	process_with_page();
	cprng_fast(bytes, sizeof(bytes));
	REQUIRE_IN_CHILD(cprng_fortuna_new(&f, nullptr, 0) == 0);
	REQUIRE_IN_CHILD(cprng_fortuna_seed(f, bytes, sizeof(bytes)) == 0);
	fake_os.membarrier.before = [](int) {
		unsigned char drawn[600] = {}, read[64] = {};
		if (handled++ != 0)
			return;
		cprng_fast(drawn, sizeof(drawn));
		cprng_strong(read, 32);
		REQUIRE_IN_CHILD(!has_zero_window(drawn, sizeof(drawn)) && !has_zero_window(read, 32));
		REQUIRE_IN_CHILD(cprng_generation_number() != nullptr);
		REQUIRE_IN_CHILD(cprng_fortuna_read(f, read + 32, 32) == CPRNG_ERR_UNSEEDED);
	};
	step();
	cprng_fast(bytes, sizeof(bytes));
	REQUIRE_IN_CHILD(handled > 0);
});

// The same with kernels that give equal bytes.  Draws in the handler take no key from a buffer.
const scenario::Scenario in_the_middle_alike("clone: short draws in the middle of the detection", [] {
	std::array<std::array<unsigned char, 16>, 2> outputs = {};
	struct cprng_process *p = process_with_page();
	unsigned char bytes[600];

	fake_os.vdso_missing = true;
	cprng_fast(bytes, sizeof(bytes));
	for (auto &output : outputs) {
		bool handled = false;
		const std::uint64_t number = p->fork_state->vm_number;
		fake_os.membarrier.before = [&](int) {
			if (handled)
				return;
			handled = true;
			fake_os.getrandom.instead = script::replay;
			script::replayed = 0;
			cprng_fast(output.data(), output.size());
			fake_os.getrandom.instead = nullptr;
			// A draw in another thread that takes a key after the invalidation already uses this clone's number.
			REQUIRE_IN_CHILD(p->fork_state->vm_number != number);
			// Such a thread does not treat the clone as handled before all buffers are erased.
			REQUIRE_IN_CHILD(!cprng_vm_clone_check(p));
		};
		step();
		cprng_fast(bytes, sizeof(bytes));
		REQUIRE_IN_CHILD(handled);
	}
	REQUIRE_IN_CHILD(outputs[0] != outputs[1]);
});

// A process forks, or starts its generation, in a clone whose kernel has not noticed yet.  Without the page
// (`page_there` false) the outputs are equal, which confirms that the page matters.
void children_of_clones(bool page_there)
{
	std::array<std::array<unsigned char, 16>, 2> outputs;
	fake_os.vdso_missing = true;
	struct cprng_process *p = process_with_page();
	if (!page_there)
		p->announcements = nullptr;

	machine::pin(0, machine::cpus().front());
	(void)cprng_fast64();
	step();
	(void)cprng_fast64();
	for (auto &output : outputs) {
		int ends[2];
		REQUIRE_IN_CHILD(pipe(ends) == 0);
		const pid_t child = fork();
		if (child == 0) {
			fake_os.getrandom.instead = script::replay;
			script::replayed = 0;
			cprng_draw_by_refill(cprng_process(), output.data(), output.size());
			_exit(write(ends[1], output.data(), output.size()) != static_cast<ssize_t>(output.size()));
		}
		REQUIRE_IN_CHILD(read(ends[0], output.data(), output.size()) == static_cast<ssize_t>(output.size()));
		REQUIRE_IN_CHILD(waitpid(child, nullptr, 0) == child);
	}
	REQUIRE_IN_CHILD((outputs[0] != outputs[1]) == page_there);
}

const scenario::Scenario children_parted("clone: children", [] { children_of_clones(true); });
const scenario::Scenario children_without("clone: children, no page", [] { children_of_clones(false); });

// Processes and threads that have mapped the same file: the parent, a child, a grandchild, and one thread of each.
struct Reader {
	// Prepared before the file changes and checked after it: the next draw, of either kind, steps the generation.
	void begin()
	{
		(void)cprng_fast64();
		(void)cprng_fast64();
		before = cprng_generation(cprng_process());
		REQUIRE_IN_CHILD(before != CPRNG_NO_GENERATION);
	}

	void check(bool by_strong)
	{
		unsigned char bytes[CPRNG_SHORT_MAX + 1];

		if (by_strong)
			cprng_strong(bytes, sizeof(bytes));
		else
			cprng_fast(bytes, sizeof(bytes));
		REQUIRE_IN_CHILD(cprng_generation(cprng_process()) == before + 2);
	}

	std::uint64_t before;
};

void readers_of_a_file(int descendants, int ready, int changed)
{
	Reader reader;
	char byte = 0;
	pid_t child = 0;

	reader.begin();
	if (descendants > 0) {
		child = fork();
		if (child == 0) {
			readers_of_a_file(descendants - 1, ready, changed);
			_exit(0);
		}
	}
	REQUIRE_IN_CHILD(write(ready, &byte, 1) == 1);
	// The parent closes its end when the file has changed.
	REQUIRE_IN_CHILD(read(changed, &byte, 1) == 0);
	std::thread([&] { reader.check(descendants == 1); }).join();
	reader.check(false);
	if (child != 0)
		REQUIRE_IN_CHILD(machine::ended_well(child));
}

const scenario::Scenario noticed_in_a_file("clone: a file", [] {
	constexpr int descendants = 2;
	const TrustedPlace place;
	const std::string name = place.make("generation");
	static cprng_os_announcements mapped = {};
	int ready[2], changed[2];
	char byte;

	mapped.file = cprng_generation_file_map(name.c_str(), &mapped.file_state);
	REQUIRE_IN_CHILD(mapped.file != nullptr);
	cprng_process()->announcements = &mapped;
	REQUIRE_IN_CHILD(pipe(ready) == 0);
	REQUIRE_IN_CHILD(pipe(changed) == 0);
	const pid_t child = fork();
	if (child == 0) {
		close(changed[1]);
		readers_of_a_file(descendants, ready[1], changed[0]);
		_exit(0);
	}
	for (int i = 0; i <= descendants; i++)
		REQUIRE_IN_CHILD(read(ready[0], &byte, 1) == 1);
	TrustedPlace::put(name, 2);
	close(changed[1]);
	REQUIRE_IN_CHILD(machine::ended_well(child));
});

// CRIU 3.17 restores a process like this: its pages are no longer wiped on a fork.
void fork_after_restore(void (*invalidate)())
{
	struct cprng_process *p = cprng_process();
	std::array<std::uint64_t, 8> ours, theirs;
	int ends[2];

	machine::pin(0, machine::cpus().front());
	(void)cprng_fast64();
	REQUIRE_IN_CHILD(madvise(p->fork_state, p->mapped - p->kept, MADV_KEEPONFORK) == 0);
	// The kernel refuses that advice for the vDSO's states; a checkpoint restores them in other memory.
	const cprng_os_vdso &states = p->vdso;
	if (states.states != 0)
		REQUIRE_IN_CHILD(mmap(states.memory, states.mapped, PROT_READ | PROT_WRITE,
				      MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == states.memory);
	invalidate();
	(void)cprng_fast64();
	if (states.states != 0)
		states.memory[0] = 1;
	REQUIRE_IN_CHILD(pipe(ends) == 0);
	const pid_t child = fork();
	for (std::uint64_t &value : ours)
		value = cprng_fast64();
	if (child == 0)
		_exit(write(ends[1], ours.data(), sizeof(ours)) != sizeof(ours) ||
		      (states.states != 0 && states.memory[0] != 0));
	REQUIRE_IN_CHILD(read(ends[0], theirs.data(), sizeof(theirs)) == sizeof(theirs));
	REQUIRE_IN_CHILD(machine::ended_well(child));
	for (std::size_t i = 0; i < ours.size(); i++)
		REQUIRE_IN_CHILD(ours[i] != theirs[i]);
}

const scenario::Scenario forks_after_restore("clone: forks after a restore",
					     [] { fork_after_restore(cprng_invalidate); });
const scenario::Scenario forks_after_reseed("clone: forks after a restore and a reseed", [] {
	fork_after_restore([] { REQUIRE_IN_CHILD(cprng_reseed() == CPRNG_OK); });
});

// The generation number that bindings compare.
const scenario::Scenario number("clone: number", [] {
	const std::uint64_t *const at = cprng_generation_number();
	process_with_page();
	REQUIRE_IN_CHILD(at != nullptr);
	REQUIRE_IN_CHILD(*at % 2 == 0);
	(void)cprng_fast64();
	std::uint64_t before = *at;
	const auto changed = [&] {
		const bool is = *at != before && *at % 2 == 1;
		before = *at;
		return is;
	};
	REQUIRE_IN_CHILD(before % 2 == 1);
	for (int i = 0; i < 100; i++)
		(void)cprng_draw_by_refill(cprng_process(), page + 2048, 64);
	REQUIRE_IN_CHILD(!changed());
	cprng_invalidate();
	REQUIRE_IN_CHILD(changed());
	REQUIRE_IN_CHILD(cprng_reseed() == CPRNG_OK);
	REQUIRE_IN_CHILD(changed());
	// No draw has looked at the page.
	step();
	REQUIRE_IN_CHILD(cprng_generation_number() == at);
	REQUIRE_IN_CHILD(changed());
	const pid_t child = fork();
	if (child == 0) {
		REQUIRE_IN_CHILD(cprng_generation_number() == at);
		REQUIRE_IN_CHILD(*at == 0);
		(void)cprng_fast64();
		_exit(changed() ? 0 : 1);
	}
	REQUIRE_IN_CHILD(machine::ended_well(child));
});

} // namespace

// Catches a process or a thread that continues with its old buffers after the generation file has changed.
TEST_CASE("clone: a change of the generation file is noticed in all processes and threads, at the next long request")
{
	SKIP_IF(!machine::buffered(), "nothing is buffered");
	SKIP_IF(!TrustedPlace().is_there(), "no directory that other users cannot change");
	scenario::check(noticed_in_a_file);
}

// Catches an object that stays seeded in both clones.
TEST_CASE("clone: it leaves an object unseeded, at its next read")
{
	SKIP_IF(!machine::buffered(), "no objects");
	scenario::check(unseeded_object);
	for (const scenario::Scenario &first : first_objects)
		scenario::check(first);
}

// Catches a draw that waits for a lock that its own thread holds, or that serves bytes which both clones have.
TEST_CASE("clone: a handler draws in the middle of the detection")
{
	SKIP_IF(!machine::per_cpu(), "membarrier is asked for restartable sequences alone");
	scenario::check(in_the_middle);
}

// Catches a short draw that returns the kernel's bytes, a clone number taken too late, and a clone marked as handled too early.
TEST_CASE("clone: short draws in the middle of the detection differ where the kernels' bytes are equal")
{
	SKIP_IF(!machine::per_cpu(), "membarrier is asked for restartable sequences alone");
	scenario::check(in_the_middle_alike);
}

// Catches bytes that a binding keeps longer than the library would: after an invalidation, in a clone or in a child.
TEST_CASE("clone: code that keeps bytes sees by one number when to drop them")
{
	if (!machine::buffered()) {
		CHECK(cprng_generation_number() == nullptr);
		return;
	}
	scenario::check(number);
}

// Catches a forked child that does not use its clone's number.
TEST_CASE("clone: children of clones whose kernels give the same bytes diverge")
{
	SKIP_IF(!machine::buffered(), "nothing is buffered");
	scenario::check(children_parted);
	scenario::check(children_without);
}

// Catches an invalidation or a reseed that does not ask the kernel again for wiping on fork.
TEST_CASE("clone: a restored process that has invalidated shares nothing with its children")
{
	SKIP_IF(!machine::buffered(), "nothing is buffered");
	scenario::check(forks_after_restore);
	scenario::check(forks_after_reseed);
}
