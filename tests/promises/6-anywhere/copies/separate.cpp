// SPDX-License-Identifier: BSD-2-Clause
// Several copies of the library in one process: a binary's calls and inlined draws use only one of them.
#include "doctest/doctest.h"

#include "../../../support/skips.hpp"
#include "memory.hpp"
#include "modules.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using modules::all;
using Sixteen = std::array<unsigned char, 16>;

// "own": per-cpu where each thread registers its own area, so that no copy has a cprng_draw_1.
std::string placement()
{
	cprng_info info;

	all.front()->get_info(&info);
	const std::string placement = info.placement;
	return placement == "per-cpu" && all.front()->own() == nullptr ? "own" : placement;
}

std::string name_of(std::size_t index)
{
	return "module " + std::to_string(index) + " (" + all[index]->library + ")";
}

Sixteen sixteen(const Module *m)
{
	Sixteen bytes;

	m->fill(bytes.data(), bytes.size());
	return bytes;
}

// Fills every copy's buffer enough that a test's draws need no refill.
void fill_buffers()
{
	for (const Module *m : all) {
		if (m->invalidate != nullptr)
			m->invalidate();
	}
	for (const Module *m : all) {
		(void)m->draw();
		for (int i = 0; m->invalidate == nullptr && Page::of(m).left() < 600 && i < 1000; i++)
			(void)sixteen(m);
		(void)sixteen(m);
	}
}

std::vector<Page> pages()
{
	std::vector<Page> found;

	for (const Module *m : all)
		found.push_back(Page::of(m));
	return found;
}

// The value was at the top of the buffer and is gone from there: no slow path, and no other buffer, was used.
bool was_drawn(const Page &before, const Page &after, const void *value, std::size_t len)
{
	return after.left() < before.left() && before.left() - after.left() == len &&
	       std::memcmp(before.out() + after.left(), value, len) == 0 && after.is_zero(after.left(), len);
}

void check_untouched(const std::vector<Page> &before, const Module *by)
{
	for (std::size_t i = 0; i < all.size(); i++) {
		INFO("seen in " << name_of(i));
		if (!modules::share(all[i], by))
			CHECK(Page::of(all[i]) == before[i]);
	}
}

// A preempted draw is aborted and then refills.  That happens to one draw in some hundred thousand, so not to several in
// succession.
template <typename Draw> void check_drawn(std::size_t m, Draw draw)
{
	bool drawn = false;

	for (int i = 0; i < 4 && !drawn; i++) {
		const std::vector<Page> before = pages();
		const auto value = draw();
		drawn = was_drawn(before[m], Page::of(all[m]), &value, sizeof(value));
		check_untouched(before, all[m]);
	}
	CHECK(drawn);
}

// Checks all copies after m's invalidation or reseed.
void check_dropped(const std::vector<Page> &before, const Memory &memory, std::size_t m)
{
	if (!before.empty()) {
		CHECK(Page::of(all[m]).is_zero());
		check_untouched(before, all[m]);
	}
	for (int i = 0; i < 3; i++) {
		const Sixteen next = sixteen(all[m]);
		CHECK(!memory.holds(next.data(), next.size()));
		const std::uint64_t values[] = { all[m]->draw(), all[m]->call(), all[m]->generate() };
		for (const std::uint64_t &value : values)
			CHECK(!memory.holds(&value, sizeof(value)));
	}
	// The other copies keep their bytes.
	for (std::size_t i = 0; i < all.size(); i++) {
		INFO("seen in " << name_of(i));
		if (modules::share(all[i], all[m]))
			continue;
		// A draw that is preempted in its sequence may be made from other bytes, so one of several has to be of the buffer.
		bool kept_value = false, kept_bytes = false;
		for (int attempt = 0; attempt < 20 && !(kept_value && kept_bytes); attempt++) {
			const std::uint64_t value = all[i]->draw();
			const Sixteen next = sixteen(all[i]);
			kept_value |= memory.holds(&value, sizeof(value));
			kept_bytes |= memory.holds(next.data(), next.size());
		}
		CHECK(kept_value);
		CHECK(kept_bytes);
	}
}

} // namespace

// Catches a copy's symbol that binds to another copy.
TEST_CASE("copies: the first draw of one sets up no other")
{
	SKIP_IF(placement() != "per-cpu", "without restartable sequences there is no cprng_draw_1 to look at");
	for (std::size_t m = 0; m < all.size(); m++) {
		unsigned int expected = 0;
		for (std::size_t i = 0; i < all.size(); i++)
			expected |= static_cast<unsigned int>(modules::share(all[i], all[m])) << i;
		INFO("drawn by " << name_of(m));
		CHECK(modules::set_up_by(m) == expected);
	}
}

// Catches an inlined draw from another copy's buffers.
TEST_CASE("copies: what a binary draws, inlined or not, comes from the buffer of its own copy")
{
	SKIP_IF(placement() != "per-cpu", "the buffers cannot be seen from outside");
	for (std::size_t m = 0; m < all.size(); m++) {
		INFO("drawn by " << name_of(m));
		fill_buffers();
		const cprng_draw *const own = all[m]->own();
		REQUIRE(own != nullptr);
		for (std::size_t i = 0; i < all.size(); i++)
			CHECK((all[i]->own()->buffers == own->buffers) == modules::share(all[i], all[m]));
		for (int i = 0; i < 10; i++) {
			for (auto function : { all[m]->draw, all[m]->call, all[m]->generate })
				check_drawn(m, function);
			check_drawn(m, [m] { return sixteen(all[m]); });
		}
	}
}

// Catches an invalidation or a reseed that drops another copy's buffers.
TEST_CASE("copies: an invalidation or a reseed is of the caller's copy, all of it and no other")
{
	SKIP_IF(placement() == "unbuffered", "nothing is buffered");
	for (std::size_t m = 0; m < all.size(); m++) {
		INFO("dropped by " << name_of(m));
		if (all[m]->invalidate == nullptr)
			continue;
		for (const bool reseeds : { false, true }) {
			INFO("by a reseed: " << reseeds);
			fill_buffers();
			const std::vector<Page> before = placement() == "per-cpu" ? pages() : std::vector<Page>();
			const Memory memory;
			if (reseeds)
				CHECK(all[m]->reseed() == 0);
			else
				all[m]->invalidate();
			check_dropped(before, memory, m);
		}
	}
}

namespace {

// Runs in a child process, where doctest must not continue.  Returns the number of the first failed check, 4 if no page is
// found, or 0.
template <typename Check> int in_child(Check check)
{
	const pid_t child = fork();
	int status = 0;

	if (child == 0) {
		try {
			_exit(check());
		} catch (...) {
			_exit(4);
		}
	}
	REQUIRE(waitpid(child, &status, 0) == child);
	REQUIRE(WIFEXITED(status));
	return WEXITSTATUS(status);
}

int frozen_by(std::size_t m)
{
	fill_buffers();
	all[m]->vfork_child();
	for (const Module *other : all) {
		const bool frozen = modules::share(other, all[m]);
		if ((other->own()->cpus == 0) != frozen)
			return 1;
		const Page before = Page::of(other);
		const std::uint64_t value = other->draw();
		const Page after = Page::of(other);
		// From the kernel or the buffer.
		if (frozen && (!(after == before) || value == 0 || other->draw() == value))
			return 2;
		if (!frozen &&
		    (after.left() >= before.left() || std::memcmp(before.out() + after.left(), &value, 8) != 0))
			return 3;
	}
	return 0;
}

} // namespace

// Catches a call that disables another copy's buffers.
TEST_CASE("copies: a child that shares its parent's memory closes the buffers of the caller's copy alone")
{
	SKIP_IF(placement() != "per-cpu", "other placements do not have to close anything");
	for (std::size_t m = 0; m < all.size(); m++) {
		INFO("called by " << name_of(m));
		if (all[m]->invalidate == nullptr)
			continue;
		// Call it in an ordinary child, where it is a mistake and disables the buffers permanently.
		CHECK(in_child([m] { return frozen_by(m); }) == 0);
	}
}

namespace {

// Makes a vfork child that calls cprng_vfork_child() of all copies.
int thawed()
{
	fill_buffers();
	if (vfork() == 0) {
		for (const Module *m : all)
			m->vfork_child();
		_exit(0);
	}
	for (std::size_t i = 0; i < all.size(); i++) {
		(void)all[i]->draw();
		if ((all[i]->own()->cpus != 0) != modules::share(all[i], all.front()))
			return 1;
	}
	return 0;
}

} // namespace

// The kernel clears one word when the child ends.
// Catches buffers that stay disabled after such a child, or are enabled too early.
TEST_CASE("copies: the end of a child that shares its parent's memory is seen by the copy that it called first")
{
	SKIP_IF(placement() != "per-cpu", "other placements do not have to close anything");
	SKIP_IF(all.front()->vfork_child == nullptr, "a module here does nothing but draw");
	CHECK(in_child(thawed) == 0);
}

// Catches a copy that returns information about another copy.
TEST_CASE("copies: each tells about itself")
{
	for (std::size_t m = 0; m < all.size(); m++) {
		INFO("reported by " << name_of(m));
		cprng_info info;
		all[m]->get_info(&info);
		// Where threads register their own areas, the kernel has those of one copy, and the other copies have slots.
		const std::string its = info.placement;
		if (std::getenv("GLIBC_TUNABLES") == nullptr)
			CHECK(its == placement());
		else
			CHECK((its == "per-cpu" || its == "slots"));
		if (placement() == "per-cpu") {
			REQUIRE(all[m]->own() != nullptr);
			CHECK(info.buffers == all[m]->own()->cpus);
		}
	}
}

// 64 bits, at most 5 * 4000 of them: 2^-36.
// Catches a state that two copies share.
TEST_CASE("copies: no two give the same bytes, nor do their children")
{
	std::set<std::uint64_t> seen;
	std::size_t drawn = 0;
	int ends[2];

	auto draw_from_all = [](std::vector<std::uint64_t> &values) {
		for (int i = 0; i < 1000; i++) {
			for (const Module *m : all)
				values.insert(values.end(), { m->draw(), m->call(), m->generate() });
		}
	};
	fill_buffers();
	REQUIRE(pipe(ends) == 0);
	const pid_t child = fork();
	std::vector<std::uint64_t> values;
	draw_from_all(values);
	const std::size_t bytes = values.size() * sizeof(values[0]);
	if (child == 0) {
		for (std::size_t done = 0; done < bytes;) {
			const ssize_t n =
				write(ends[1], reinterpret_cast<const char *>(values.data()) + done, bytes - done);
			if (n <= 0)
				_exit(1);
			done += static_cast<std::size_t>(n);
		}
		_exit(0);
	}
	close(ends[1]);
	std::vector<std::uint64_t> theirs(values.size());
	for (std::size_t done = 0; done < bytes;) {
		const ssize_t n = read(ends[0], reinterpret_cast<char *>(theirs.data()) + done, bytes - done);
		REQUIRE(n > 0);
		done += static_cast<std::size_t>(n);
	}
	close(ends[0]);
	REQUIRE(waitpid(child, nullptr, 0) == child);
	for (const auto &list : { values, theirs }) {
		seen.insert(list.begin(), list.end());
		drawn += list.size();
	}
	CHECK(seen.size() == drawn);
}
