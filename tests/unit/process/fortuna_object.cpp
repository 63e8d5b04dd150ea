// SPDX-License-Identifier: BSD-2-Clause
// A program's own Fortuna object: arguments, options, hooks, forks.  (tests/unit/fortuna/ tests its output.)
#include "../../support/run.hpp"
#include "../../support/fake_os.hpp"
#include "../../support/internals.hpp"
#include "../../support/scenario.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#include "cprng/fortuna.h"

#include <csignal>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace fortuna_object_tests {

namespace {

struct Object {
	explicit Object(const cprng_fortuna_options *options = nullptr)
	{
		status = cprng_fortuna_new(&f, options, sizeof(*options));
	}
	~Object()
	{
		cprng_fortuna_free(f);
	}
	Object(const Object &) = delete;
	Object &operator=(const Object &) = delete;

	cprng_fortuna *f = nullptr;
	int status;
};

const unsigned char seed[64] = { 1, 2, 3 };

cprng_fortuna_info info_of(cprng_fortuna *f)
{
	cprng_fortuna_info info;

	REQUIRE(cprng_fortuna_get_info(f, &info, sizeof(info)) == 0);
	return info;
}

std::vector<unsigned char> read(cprng_fortuna *f, std::size_t len)
{
	std::vector<unsigned char> bytes(len);

	REQUIRE(cprng_fortuna_read(f, bytes.data(), len) == 0);
	return bytes;
}

} // namespace

// Catches an object on pages that a fork would copy.
TEST_CASE("object: without wiped pages there is none")
{
	SKIP_IF(machine::buffered(), "pages are wiped here");
	Object o;
	CHECK(o.status == CPRNG_ERR_UNSUPPORTED);
	CHECK(o.f == nullptr);
}

// Catches an ignored option, and an invalid option that is accepted.
TEST_CASE("object: options")
{
	SKIP_IF(!machine::buffered(), "no objects");
	cprng_fortuna_options options = {};
	const auto status = [&options] { return Object(&options).status; };

	CHECK(cprng_fortuna_new(nullptr, nullptr, 0) == CPRNG_ERR_ARGUMENT);
	CHECK(status() == 0);
	for (std::uint32_t bytes : { 1u, 15u, 65537u, ~0u }) {
		options.pool_min = bytes;
		CHECK(status() == CPRNG_ERR_ARGUMENT);
	}
	for (std::uint32_t bytes : { 16u, 65536u }) {
		options.pool_min = bytes;
		CHECK(status() == 0);
	}
	for (const char *engine : { "", "aes128-ctr", "chacha8", "salsa20", "AES256-CTR", "chacha20 " }) {
		options.engine = engine;
		CHECK(status() == CPRNG_ERR_ENGINE);
	}
	for (const char *engine : { "aes256-ctr", "chacha20" }) {
		options.engine = engine;
		Object o(&options);
		REQUIRE(o.status == 0);
		CHECK(info_of(o.f).engine == std::string(engine));
		CHECK(info_of(o.f).pool_min == 65536);
		CHECK(info_of(o.f).locked_reads == 0);
		CHECK(info_of(o.f).seeded == 0);
	}
	options.locked_reads = 1;
	Object o(&options);
	CHECK(info_of(o.f).locked_reads == 1);
	cprng_fortuna_set_locked_reads(o.f, 0);
	CHECK(info_of(o.f).locked_reads == 0);
	cprng_fortuna_set_locked_reads(o.f, 7);
	CHECK(info_of(o.f).locked_reads == 1);

	cprng_fortuna_hooks hooks = {};
	options.hooks = &hooks;
	CHECK(status() == 0);
	hooks.now = [](void *) -> std::uint64_t { return 0; };
	CHECK(status() == CPRNG_ERR_ARGUMENT);
}

// Catches an unchecked argument, and output before seeding.
TEST_CASE("object: bad input")
{
	SKIP_IF(!machine::buffered(), "no objects");
	Object o;
	unsigned char bytes[64] = {};
	cprng_fortuna_info info;

	REQUIRE(o.status == 0);
	CHECK(cprng_fortuna_add(nullptr, 0, bytes, 1, 0) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_fortuna_add(o.f, 0, nullptr, 1, 0) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_fortuna_add(o.f, 0, nullptr, 0, 0) == 0);
	CHECK(cprng_fortuna_add(o.f, 256, bytes, 1, 0) == CPRNG_ERR_SOURCE);
	CHECK(cprng_fortuna_add(o.f, 255, bytes, 1, 8) == 0);
	CHECK(cprng_fortuna_add(o.f, 0, bytes, 33, 0) == CPRNG_ERR_SIZE);
	CHECK(cprng_fortuna_add(o.f, 0, bytes, 1, 9) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_fortuna_drain(nullptr) == 0);
	CHECK(cprng_fortuna_drain(o.f) == 1);
	CHECK(cprng_fortuna_drain(o.f) == 0);
	CHECK(cprng_fortuna_seed(nullptr, bytes, 64) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_fortuna_seed(o.f, nullptr, 64) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_fortuna_seed(o.f, bytes, 31) == CPRNG_ERR_SIZE);
	CHECK(cprng_fortuna_read(nullptr, bytes, 1) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_fortuna_read(o.f, nullptr, 1) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_fortuna_read(o.f, nullptr, 0) == 0);
	std::memset(bytes, 0x77, sizeof(bytes));
	CHECK(cprng_fortuna_read(o.f, bytes, sizeof(bytes)) == CPRNG_ERR_UNSEEDED);
	for (unsigned char b : bytes)
		CHECK(b == 0x77);
	CHECK(cprng_fortuna_get_info(nullptr, &info, sizeof(info)) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_fortuna_get_info(o.f, nullptr, 0) == CPRNG_ERR_ARGUMENT);
	cprng_fortuna_set_locked_reads(nullptr, 1);
	cprng_fortuna_free(nullptr);
	for (int error = 0; error >= CPRNG_ERR_CHECKPOINT; error--)
		CHECK(std::string(cprng_strerror(error)) != "unknown error");
	CHECK(std::string(cprng_strerror(CPRNG_ERR_CHECKPOINT - 1)) == "unknown error");
}

// Catches an object that depends on anything but its seed.
TEST_CASE("object: two of the same seed agree, and differ from the process's")
{
	SKIP_IF(!machine::buffered(), "no objects");
	Object a, b;

	REQUIRE(cprng_fortuna_seed(a.f, seed, sizeof(seed)) == 0);
	REQUIRE(cprng_fortuna_seed(b.f, seed, sizeof(seed)) == 0);
	for (std::size_t len : { 1, 33, 5000, 1 << 20, 3 << 20 })
		CHECK(read(a.f, len) == read(b.f, len));
	// A locked read of several pages equals one read for each page.
	cprng_fortuna_set_locked_reads(b.f, 1);
	for (std::size_t len : { 1, 33, 4096 })
		CHECK(read(a.f, len) == read(b.f, len));
	auto pages = read(a.f, 4096);
	const auto rest = read(a.f, 904);
	pages.insert(pages.end(), rest.begin(), rest.end());
	CHECK(read(b.f, 5000) == pages);
	CHECK(info_of(a.f).seeded == 1);
	CHECK(info_of(a.f).reseeds == 0);
}

namespace {

struct Hooked {
	std::mutex lock[2];
	std::uint64_t clock = 0;
	unsigned int locked = 0, unlocked = 0, wrong_token = 0;
};

cprng_fortuna_hooks hooks_of(Hooked *h)
{
	cprng_fortuna_hooks hooks = {};
	hooks.lock = [](void *arg, int which, std::uint64_t *token) {
		auto *h = static_cast<Hooked *>(arg);
		h->lock[which].lock();
		h->locked++;
		h->wrong_token += (token[0] | token[1]) != 0;
		token[0] = 40 + static_cast<unsigned int>(which);
		token[1] = ~UINT64_C(0);
	};
	hooks.try_lock = [](void *arg, int which, std::uint64_t *token) {
		auto *h = static_cast<Hooked *>(arg);
		if (!h->lock[which].try_lock())
			return 0;
		h->locked++;
		h->wrong_token += (token[0] | token[1]) != 0;
		token[0] = 40 + static_cast<unsigned int>(which);
		token[1] = ~UINT64_C(0);
		return 2;
	};
	hooks.unlock = [](void *arg, int which, const std::uint64_t *token) {
		auto *h = static_cast<Hooked *>(arg);
		h->unlocked++;
		h->wrong_token += token[0] != 40 + static_cast<unsigned int>(which) || token[1] != ~UINT64_C(0);
		h->lock[which].unlock();
	};
	hooks.now = [](void *arg) { return static_cast<Hooked *>(arg)->clock; };
	hooks.arg = h;
	return hooks;
}

} // namespace

// Catches a hook that is not called, that is called without its counterpart, or that gets a wrong token.
TEST_CASE("object: locks and clock of the owner")
{
	SKIP_IF(!machine::buffered(), "no objects");
	Hooked h;
	const cprng_fortuna_hooks hooks = hooks_of(&h);
	cprng_fortuna_options options = {};
	options.hooks = &hooks;
	options.pool_min = 16;
	Object o(&options);
	const auto fill_pool_0 = [&o] {
		unsigned char event[32] = { 5 };
		for (int i = 0; i < 32; i++)
			CHECK(cprng_fortuna_add(o.f, 9, event, sizeof(event), 256) == 0);
	};

	REQUIRE(o.status == 0);
	CHECK(h.locked == 0);
	fill_pool_0();
	CHECK(h.locked == 0); // producers take no lock
	read(o.f, 10);
	CHECK(info_of(o.f).reseeds == 1);
	fill_pool_0();
	h.clock = 99999999;
	read(o.f, 10);
	CHECK(info_of(o.f).reseeds == 1);
	h.clock++;
	read(o.f, 10);
	CHECK(info_of(o.f).reseeds == 2);
	CHECK(info_of(o.f).events == 64);
	CHECK(h.locked > 0);
	CHECK(h.locked == h.unlocked);
	CHECK(h.wrong_token == 0);

	// A drain does not wait.
	h.lock[0].lock();
	std::size_t drained = 1;
	std::thread([&] { drained = cprng_fortuna_drain(o.f); }).join();
	h.lock[0].unlock();
	CHECK(drained == 0);
}

// Catches signals that stay blocked because another thread holds the lock.
TEST_CASE("object: a drain that finds the lock taken leaves the signals as they were")
{
	SKIP_IF(!machine::buffered(), "no objects");
	Object o;
	sigset_t before, after;

	REQUIRE(cprng_fortuna_drain(o.f) == 0);
	pthread_sigmask(SIG_SETMASK, nullptr, &before);
	cprng_lock_take(&o.f->secret->lock[CPRNG_LOCK_POOLS]);
	CHECK(cprng_fortuna_drain(o.f) == 0);
	cprng_lock_release(&o.f->secret->lock[CPRNG_LOCK_POOLS]);
	pthread_sigmask(SIG_SETMASK, nullptr, &after);
	for (int signal_number = 1; signal_number < NSIG; signal_number++)
		CHECK(sigismember(&before, signal_number) == sigismember(&after, signal_number));
	pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Catches output, events or options of the parent's object that a child inherits.
TEST_CASE("object: a child finds it unseeded")
{
	SKIP_IF(!machine::buffered(), "no objects");
	Object o;
	unsigned char event[32] = { 1 };

	REQUIRE(cprng_fortuna_seed(o.f, seed, sizeof(seed)) == 0);
	read(o.f, 100);
	CHECK(cprng_fortuna_add(o.f, 1, event, sizeof(event), 256) == 0);
	for (int i = 0; i < 10; i++) {
		const pid_t child = i % 2 != 0 ? fork() : machine::raw_fork();
		REQUIRE(child >= 0);
		if (child == 0) {
			unsigned char bytes[32];
			cprng_fortuna_info info;
			bool good = cprng_fortuna_read(o.f, bytes, sizeof(bytes)) == CPRNG_ERR_UNSEEDED;
			good = good && cprng_fortuna_get_info(o.f, &info, sizeof(info)) == 0 && info.events == 0 &&
			       info.pool_min == 64;
			good = good && cprng_fortuna_drain(o.f) == 0;
			good = good && cprng_fortuna_seed(o.f, seed, sizeof(seed)) == 0;
			good = good && cprng_fortuna_read(o.f, bytes, sizeof(bytes)) == 0;
			_exit(good ? 0 : 1);
		}
		CHECK(machine::ended_well(child));
	}
	read(o.f, 100);
}

// Catches a failed mmap whose result is used as an address.
CHILD_TEST_CASE("object: no memory", scenario::check)
{
	(void)cprng_fast64();
	cprng_fortuna *f = nullptr;
	fake_os.mmap.fail(1, -ENOMEM);
	REQUIRE_IN_CHILD(cprng_fortuna_new(&f, nullptr, 0) == CPRNG_ERR_MEMORY);
	REQUIRE_IN_CHILD(f == nullptr);
}

} // namespace fortuna_object_tests
