// SPDX-License-Identifier: BSD-2-Clause
// The lab's placements: each returns the engine's own bytes, and none that is meant for use returns bytes twice.
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cprng/cprng.h>

#include "../../../lab/origins/engines/rc4.hpp"
#include "../../../lab/origins/placements/generators.hpp"
#include "../../../lab/origins/placements/outline.hpp"

using namespace lab;

namespace {

constexpr std::uint64_t seed = 7;

// Pinned to one CPU, so that the state in use is known.
class pinned {
public:
	pinned()
	{
		REQUIRE(sched_getaffinity(0, sizeof(before_), &before_) == 0);
		cpu_ = sched_getcpu();
		cpu_set_t one;
		CPU_ZERO(&one);
		CPU_SET(cpu_, &one);
		REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0);
	}

	~pinned()
	{
		sched_setaffinity(0, sizeof(before_), &before_);
	}

	std::uint32_t cpu() const
	{
		return static_cast<std::uint32_t>(cpu_);
	}

private:
	cpu_set_t before_;
	int cpu_;
};

// Requests of lengths that are served differently, and their output.
template <typename Generator> std::vector<unsigned char> some_bytes(Generator &g)
{
	std::vector<unsigned char> all;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 100; i++) {
			const std::uint32_t value = g.next32();
			for (unsigned int n = 0; n < 4; n++)
				all.push_back(static_cast<unsigned char>(value >> 8 * n));
		}
		for (const std::size_t len : { 0, 1, 3, 4, 32, 61, 64, 65, 256, 1000, 4096 }) {
			std::vector<unsigned char> buf(len + 1, 0xa5);
			g.fill(buf.data(), len);
			REQUIRE(buf[len] == 0xa5);
			all.insert(all.end(), buf.begin(), buf.end() - 1);
		}
	}
	return all;
}

// The engine alone, rekeyed when a request would exceed the limit.
template <typename Engine> class reference {
public:
	reference(std::uint32_t index, std::size_t limit) : index_(index), limit_(limit)
	{
		key();
	}

	std::uint32_t next32()
	{
		count(4);
		return engine_.next32();
	}

	void fill(unsigned char *out, std::size_t len)
	{
		count(len);
		engine_.fill(out, len);
	}

private:
	void key()
	{
		unsigned char bytes[64];
		make_key(seed, index_, number_++, bytes, Engine::key_size + Engine::nonce_size);
		engine_.key(bytes, Engine::key_size, bytes + Engine::key_size);
		made_ = 0;
	}

	void count(std::size_t len)
	{
		if (made_ + len > limit_)
			key();
		made_ += len;
	}

	Engine engine_;
	std::uint32_t index_, number_ = 0;
	std::size_t limit_, made_ = 0;
};

// A generator that fails if two users enter it at once: it counts, and yields in the middle.
class careless {
public:
	static constexpr std::size_t key_size = 4, nonce_size = 0;

	void key(const unsigned char *key, std::size_t, const unsigned char *)
	{
		number_ = 0;
		std::memcpy(&high_, key, sizeof(high_));
	}

	std::uint32_t next32()
	{
		return static_cast<std::uint32_t>(next());
	}

	void fill(unsigned char *out, std::size_t len)
	{
		const std::uint64_t value = next();
		std::memcpy(out, &value, len);
	}

private:
	std::uint64_t next()
	{
		const std::uint32_t now = number_;
		if (now % 16 == 0)
			sched_yield();
		number_ = now + 1;
		return std::uint64_t{ high_ } << 32 | now;
	}

	std::uint32_t number_, high_;
};

template <typename Placement> void draws_its_own(const char *what)
{
	CAPTURE(what);
	const pinned here;
	// Reached exactly, within some request, and never.
	for (const std::size_t limit : { std::size_t{ 400 }, std::size_t{ 10000 }, std::size_t{ 1 } << 40 }) {
		Placement placement(seed, static_cast<std::int64_t>(limit));
		const bool per_cpu = std::string(Placement::placement) == "a state a CPU";
		// Without restartable sequences the first free state from the CPU's number on is used.
		reference<typename Placement::engine> own(per_cpu ? here.cpu() : 0, limit);
		const std::vector<unsigned char> wanted = some_bytes(own), got = some_bytes(placement);
		CHECK(got == wanted);
		placement.restart();
		CHECK(some_bytes(placement) == wanted);
	}
}

// A careless engine yields during its step, and on a busy machine each yield costs other programs' time slices: so it draws less.
constexpr std::size_t threads = 6, many = 60000, few = 4000;

// Counts the 8-byte values of concurrent threads that occurred before.
template <typename Placement> std::size_t repeated(std::size_t values_each = many)
{
	Placement placement(seed, no_limit);
	std::vector<std::uint64_t> all(threads * values_each);
	std::vector<std::thread> drawing;
	for (std::size_t t = 0; t < threads; t++)
		drawing.emplace_back([&placement, values_each, to = &all[t * values_each]] {
			for (std::size_t i = 0; i < values_each; i++)
				placement.fill(reinterpret_cast<unsigned char *>(to + i), sizeof(*to));
		});
	for (std::thread &t : drawing)
		t.join();
	std::sort(all.begin(), all.end());
	return all.size() - static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
}

// With the engine's type public, which is private in the placements.
template <typename Engine, template <typename> class Placement> struct known : Placement<Engine> {
	using engine = Engine;
	using Placement<Engine>::Placement;
};

template <typename Engine> using with_mutex = locked<Engine, sleeping_lock>;
template <typename Engine> using with_spin_lock = locked<Engine, spin_lock>;

template <typename Engine> void all_placements(const char *engine)
{
	CAPTURE(engine);
	draws_its_own<known<Engine, with_mutex>>("mutex");
	draws_its_own<known<Engine, with_spin_lock>>("spin lock");
	draws_its_own<known<Engine, unlocked>>("unlocked");
	draws_its_own<known<Engine, plain>>("plain");
	draws_its_own<known<Engine, per_thread>>("per thread");
	draws_its_own<known<Engine, per_cpu>>("per CPU");
}

// The functions that are not inlined are the placement's.
template <typename Placement, typename Engine> struct known_outline : outline<Placement> {
	using engine = Engine;
	using outline<Placement>::outline;
};

template <typename Engine> void same_as_the_library(const char *name)
{
	CAPTURE(name);
	unsigned char key[32], wanted[4096], got[4096];
	make_key(seed, 0, 0, key, sizeof(key));
	cprng_stream stream;
	REQUIRE(cprng_stream_init(&stream, name, key, sizeof(key), nullptr, 0) == 0);
	REQUIRE(cprng_stream_read(&stream, wanted, sizeof(wanted)) == 0);
	Engine engine;
	engine.key(key, sizeof(key), nullptr);
	for (std::size_t at = 0; at < sizeof(got); at += 64)
		engine.fill(got + at, 64);
	CHECK(std::memcmp(got, wanted, sizeof(got)) == 0);
	// A long request: the stream under a key of the next 32 bytes, from its beginning.
	Engine other;
	other.key(key, sizeof(key), nullptr);
	other.fill(got, 1000);
	REQUIRE(cprng_stream_init(&stream, name, wanted, 32, nullptr, 0) == 0);
	unsigned char beyond[1000];
	REQUIRE(cprng_stream_read(&stream, beyond, sizeof(beyond)) == 0);
	CHECK(std::memcmp(got, beyond, sizeof(beyond)) == 0);
}

} // namespace

// Catches a placement that loses, duplicates or reorders its engine's bytes.
TEST_CASE("every placement gives the engine's own bytes")
{
	all_placements<rc4>("rc4");
	all_placements<hc128>("hc128");
	all_placements<salsa20_block>("salsa20");
	all_placements<chacha20_block>("chacha20");
	all_placements<chacha8_block>("chacha8");
	all_placements<lcg>("lcg");
	all_placements<lfsr>("lfsr");
	all_placements<xoshiro256pp>("xoshiro256pp");
}

// Catches an outlined function that draws from another placement.
TEST_CASE("not inlined they give the same")
{
	draws_its_own<known_outline<locked<rc4, sleeping_lock>, rc4>>("rc4, mutex");
	draws_its_own<known_outline<locked<rc4, spin_lock>, rc4>>("rc4, spin lock");
	draws_its_own<known_outline<unlocked<rc4>, rc4>>("rc4, unlocked");
	draws_its_own<known_outline<plain<xoshiro256pp>, xoshiro256pp>>("xoshiro256pp, plain");
	draws_its_own<known_outline<per_thread<rc4>, rc4>>("rc4, per thread");
	draws_its_own<known_outline<per_cpu<hc128>, hc128>>("hc128, per CPU");
	draws_its_own<known_outline<per_cpu<chacha8_block>, chacha8_block>>("chacha8, per CPU");
}

// Catches a model of cprng_fast whose output differs from the library's, or that is larger than stated.
TEST_CASE("a single block of buffer: the ciphers are the library's, in two cache lines")
{
	same_as_the_library<salsa20_block>("salsa20");
	same_as_the_library<chacha20_block>("chacha20");
	same_as_the_library<chacha8_block>("chacha8");
	CHECK(sizeof(state<chacha8_block>) == 128);
	CHECK(sizeof(state<salsa20_block>) == 128);
}

// Catches a placement without its lock.
TEST_CASE("no 8 bytes are handed out twice")
{
	CHECK(repeated<with_mutex<rc4>>() == 0);
	CHECK(repeated<with_spin_lock<rc4>>() == 0);
	CHECK(repeated<per_thread<rc4>>() == 0);
	CHECK(repeated<per_cpu<rc4>>() == 0);
	CHECK(repeated<with_mutex<hc128>>() == 0);
	CHECK(repeated<per_cpu<hc128>>() == 0);
	CHECK(repeated<per_cpu<chacha8_block>>() == 0);
	CHECK(repeated<per_cpu<salsa20_block>>() == 0);
	CHECK(repeated<per_cpu<xoshiro256pp>>() == 0);
	CHECK(repeated<with_mutex<lfsr>>() == 0); // several states would collide within its short period
}

namespace {

// Three processes draw at once, as those of `cprng-lab cprng-fast` do.
std::size_t repeated_in_processes(generator &g)
{
	constexpr std::size_t children = 3, each = 20000;
	const shared_array<std::uint64_t> all(children * each);
	pid_t drawing[children];
	for (std::size_t c = 0; c < children; c++) {
		drawing[c] = fork();
		if (drawing[c] == 0) {
			for (std::size_t i = 0; i < each; i++)
				g.fill(reinterpret_cast<unsigned char *>(&all[c * each + i]), sizeof(all[0]), 1);
			_exit(0);
		}
		REQUIRE(drawing[c] > 0);
	}
	for (const pid_t child : drawing) {
		int status = 1;
		CHECK(waitpid(child, &status, 0) == child);
		CHECK(status == 0);
	}
	std::sort(&all[0], &all[0] + children * each);
	return children * each - static_cast<std::size_t>(std::unique(&all[0], &all[0] + children * each) - &all[0]);
}

} // namespace

// Catches states that a forked child copies, and a lock or claim that it does not see.
TEST_CASE("processes draw from the same states, and no 8 bytes are handed out twice")
{
	for (const char *name :
	     { "arc4-mtx", "arc4-spin", "arc4-nomtx", "arc4-percpu", "hc128-percpu", "chacha8-percpu" }) {
		CAPTURE(name);
		const generator_info &info = find_generator(name);
		if (std::string(name) != "arc4-nomtx")
			CHECK(repeated_in_processes(*info.make(seed, 100000)) == 0);
		// One after the other, a child's draws are the next of the parent's.
		const pinned here;
		const auto g = info.make(seed, no_limit), alone = info.make(seed, no_limit);
		const shared_array<std::uint32_t> drawn(1);
		CHECK(g->draw() == alone->draw());
		const pid_t child = fork();
		if (child == 0) {
			drawn[0] = g->draw();
			_exit(0);
		}
		CHECK(waitpid(child, nullptr, 0) == child);
		CHECK(drawn[0] == alone->draw());
		CHECK(g->draw() == alone->draw());
	}
}

// Catches a lock that does not cover the whole of a step.
TEST_CASE("nor when others run in the middle of each step")
{
	CHECK(repeated<with_mutex<careless>>(few) == 0);
	CHECK(repeated<with_spin_lock<careless>>(few) == 0);
	CHECK(repeated<per_thread<careless>>(few) == 0);
	CHECK(repeated<per_cpu<careless>>(few) == 0);
}

// Catches a comparison that does not detect repeats.
TEST_CASE("without a lock bytes are handed out twice: exempt, and the test can tell")
{
	std::size_t found = 0;
	// Once suffices unless threads take turns one after the other.
	for (int tries = 0; found == 0 && tries < 20; tries++)
		found = repeated<unlocked<careless>>(few);
	CHECK(found > 0);
}

namespace {

per_cpu<careless> *in_handler;
std::uint64_t handler_values[20000];
volatile std::sig_atomic_t handler_count;

extern "C" void draw_in_handler(int)
{
	const auto n = static_cast<std::size_t>(handler_count);
	if (n == std::size(handler_values))
		return;
	in_handler->fill(reinterpret_cast<unsigned char *>(&handler_values[n]), 8);
	handler_count = handler_count + 1;
}

} // namespace

// Catches a handler that draws from the state that it interrupted.
TEST_CASE("a signal handler that interrupts a draw has another state")
{
	per_cpu<careless> placement(seed, no_limit);
	in_handler = &placement;
	handler_count = 0;
	struct sigaction action = {}, before;
	action.sa_handler = draw_in_handler;
	action.sa_flags = SA_RESTART;
	REQUIRE(sigaction(SIGALRM, &action, &before) == 0);
	struct itimerval often = {};
	often.it_interval.tv_usec = often.it_value.tv_usec = 50;
	REQUIRE(setitimer(ITIMER_REAL, &often, nullptr) == 0);
	std::vector<std::uint64_t> all(1000000);
	std::size_t drawn = 0;
	for (; drawn < all.size() && handler_count < 300; drawn++)
		placement.fill(reinterpret_cast<unsigned char *>(&all[drawn]), 8);
	often = {};
	REQUIRE(setitimer(ITIMER_REAL, &often, nullptr) == 0);
	REQUIRE(sigaction(SIGALRM, &before, nullptr) == 0);
	CHECK(handler_count > 0);
	all.resize(drawn);
	all.insert(all.end(), handler_values, handler_values + handler_count);
	std::sort(all.begin(), all.end());
	CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

namespace {

void check_generator(generator &g, const std::string &name)
{
	CHECK(g.draw() != g.draw());
	unsigned char out[256] = {};
	g.fill(out, sizeof(out), 3);
	CHECK(std::any_of(std::begin(out), std::end(out), [](unsigned char c) { return c != 0; }));
	g.exhaust();
	g.restart();
	std::vector<std::uint32_t> least(1000, UINT32_MAX);
	tally all, undisturbed;
	g.time(least.size(), least.data(), all, undisturbed);
	CHECK(all.count() == least.size());
	CHECK((undisturbed.count() == least.size() - 8 || undisturbed.count() == 0));
	CHECK(all.percentile(1) >= undisturbed.percentile(1));
	CHECK(std::count(least.begin(), least.end(), UINT32_MAX) == 8);
	CHECK(all.percentile(1) >= *std::max_element(least.begin() + 8, least.end()));
	CHECK(*std::min_element(least.begin(), least.end()) > 0);
	// The library has no buffers where they are unsafe, for example in an emulator.
	cprng_info info;
	cprng_get_info(&info, sizeof(info));
	CHECK((g.memory().state > 0 || (name == "cprng" && info.buffers == 0)));
}

} // namespace

// Catches a row that measures nothing: a generator that does not draw, or whose times are not kept.
TEST_CASE("generators: all that are measured are available by name, and draw")
{
	for (const char *name :
	     { "arc4-mtx",       "arc4-spin",       "arc4-nomtx",    "arc4-plain",     "arc4-thread",
	       "arc4-percpu",    "hc128-plain",     "hc128-thread",  "hc128-percpu",   "hc128-inline",
	       "salsa20-percpu", "chacha20-percpu", "chacha8-plain", "chacha8-thread", "chacha8-percpu",
	       "lcg-percpu",     "lfsr-percpu",     "xoshiro-plain", "xoshiro-thread", "xoshiro-percpu",
	       "buffer-plain",   "buffer-thread",   "buffer-percpu", "cprng" }) {
		const generator_info &info = find_generator(name);
		for (const bool inlined : { false, true }) {
			CAPTURE(name);
			CAPTURE(inlined);
			check_generator(*(inlined ? info.make_inlined : info.make)(seed, 100000), name);
		}
		// Both forms use the same generator.
		if (std::string(name) != "cprng") {
			const pinned here;
			CHECK(info.make(seed, 100000)->draw() == info.make_inlined(seed, 100000)->draw());
		}
	}
	CHECK_THROWS(find_generator("arc5"));
	CHECK(find_generator("getrandom").is_system_call);
	CHECK(!find_generator("cprng").is_system_call);
	const auto kernel = find_generator("getrandom").make(seed, no_limit);
	CHECK((kernel->draw() != kernel->draw() || kernel->draw() != kernel->draw()));
}

// Catches a percentile that is off by one.
TEST_CASE("tally: exact percentiles of short and long times")
{
	tally t;
	CHECK(t.percentile(0.5) == 0);
	for (std::uint64_t i = 1; i <= 100000; i++)
		t.add(i * 7919 % 100000 + 1); // 1 to 100000, shuffled
	CHECK(t.count() == 100000);
	CHECK(t.percentile(0) == 1);
	CHECK(t.percentile(0.5) == 50000);
	CHECK(t.percentile(0.99) == 99000);
	CHECK(t.percentile(0.99999) == 99999);
	CHECK(t.percentile(1) == 100000);
	CHECK(t.mean() == doctest::Approx(50000.5));
	CHECK(t.step() == 1);
	tally steps;
	CHECK(steps.step() == 0);
	for (std::uint64_t i = 2; i < 20; i++)
		steps.add(26 * i);
	CHECK(steps.step() == 26);
}
