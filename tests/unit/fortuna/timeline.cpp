// SPDX-License-Identifier: BSD-2-Clause
// The argument for concurrent reads, step by step (in prose in src/fortuna/fortuna.c): the order of expansions does not
// matter, since keys and counters follow the order of the steps.
#include "doctest/doctest.h"

#include "director.hpp"
#include "reference.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace {

// A participant is a reader of some bytes or a reseed.
struct Part {
	std::size_t len;
	Bytes seed; // of a reseed
};

std::vector<Part> random_parts(run::Random &random, std::size_t number)
{
	std::vector<Part> parts;

	for (std::size_t i = 0; i < number; i++) {
		if (random.below(4) == 0)
			parts.push_back({ 0, random.bytes(random.below(100)) });
		else
			parts.push_back({ 1 + random.below(random.coin() ? 100 : 3000), {} });
	}
	return parts;
}

void check_orders(const cprng_engine *engine, const Bytes &seed, const std::vector<Part> &parts,
		  const std::vector<std::size_t> &order)
{
	cprng_generator g;
	reference::Generator model(engine);
	std::vector<cprng_lease> leases(parts.size());
	std::vector<Bytes> want(parts.size());

	cprng_generator_init(&g, engine, cprng_engine_select(engine));
	cprng_generator_reseed(&g, seed.data(), seed.size());
	model.reseed(seed);
	for (std::size_t i = 0; i < parts.size(); i++) {
		if (parts[i].len == 0) {
			cprng_generator_reseed(&g, parts[i].seed.data(), parts[i].seed.size());
			model.reseed(parts[i].seed);
		} else {
			cprng_generator_step(&g, parts[i].len, &leases[i]);
			want[i] = model.piece(parts[i].len);
		}
		CHECK(model.equals(g.key, g.counter));
	}
	for (std::size_t i : order) {
		if (parts[i].len == 0)
			continue;
		Bytes out(parts[i].len);
		cprng_lease_expand(&leases[i], out.data(), out.size(), 0);
		same(out.data(), want[i].data(), out.size(), "reader " + std::to_string(i));
	}
	CHECK(model.equals(g.key, g.counter));
}

} // namespace

// Catches output that a later step or reseed changes.
TEST_CASE("timeline: any number of readers and reseeds, expanded in any order")
{
	run::Random random("timeline any");

	for (const cprng_engine *engine : fortuna_engines()) {
		for (std::size_t i = volume(400, 40); i != 0; i--) {
			const auto parts = random_parts(random, 2 + random.below(7));
			std::vector<std::size_t> order(parts.size());
			std::iota(order.begin(), order.end(), std::size_t{ 0 });
			for (std::size_t j = order.size(); j > 1; j--)
				std::swap(order[j - 1], order[random.below(j)]);
			check_orders(engine, random.bytes(32), parts, order);
		}
	}
}

// Catches a race between two readers' steps and expansions.
TEST_CASE("timeline: two threads, stopped where they are most in each other's way")
{
	run::Random random("timeline threads");

	for (const cprng_engine *engine : fortuna_engines()) {
		for (bool locked : { false, true }) {
			Directed f(engine, locked);
			const Bytes seed = random.bytes(32);
			f.seed(seed);
			reference::Generator model(engine);
			model.reseed(seed);
			Guarded a(3000), b(500);
			const auto reader = [&f](Guarded &out) {
				return [&f, &out] {
					CHECK(cprng_fortuna_core_read(&f.core, out.data(), out.size(), CPRNG_WAIT) ==
					      CPRNG_FORTUNA_OK);
				};
			};
			f.enter(reader(a));
			f.enter(reader(b));

			// A takes its lease and stops after it has released the lock, with the lease or with all its bytes.
			CHECK(f.go(0) == Directed::before);
			CHECK(f.go(0) == Directed::after);
			CHECK(a.untouched() == !locked);
			const Bytes want_a = model.piece(a.size());
			CHECK(model.equals(f.generator().key, f.generator().counter));
			// B runs completely while A is stopped.
			CHECK(f.go(1) == Directed::before);
			CHECK(f.go(1) == Directed::after);
			CHECK(b.untouched() == !locked);
			const Bytes want_b = model.piece(b.size());
			CHECK(model.equals(f.generator().key, f.generator().counter));
			CHECK(f.go(1) == Directed::finished);
			same(b.data(), want_b.data(), b.size(), "B");
			CHECK(a.untouched() == !locked);
			// A reseed runs completely, too.
			f.seed(seed);
			model.reseed(seed);
			CHECK(f.go(0) == Directed::finished);
			same(a.data(), want_a.data(), a.size(), "A");
			CHECK((a.intact() && b.intact()));
			CHECK(model.equals(f.generator().key, f.generator().counter));
			f.leave();
		}
	}
}

namespace {

// Each thread's task, and the model's prediction of its bytes, which uses only the order of the locks.
struct Play {
	Directed &f;
	reference::Generator model;
	std::vector<Part> parts;
	std::vector<Bytes> want;

	Play(Directed &f, const reference::Generator &model, const std::vector<Part> &parts)
	    : f(f), model(model), parts(parts), want(parts.size())
	{
	}

	// The model takes this thread's next piece.  Then its state equals the generator's when the lock was released.
	bool follow(const Directed::Turn &turn, bool locked)
	{
		const Part &part = parts[turn.thread];
		Bytes &out = want[turn.thread];

		if (part.len == 0) {
			model.reseed(part.seed);
		} else {
			const Bytes piece = model.piece(std::min(part.len - out.size(), model.piece_max(locked)));
			out.insert(out.end(), piece.begin(), piece.end());
		}
		return model.equals(turn.key, turn.counter);
	}
};

void check_play(run::Random &random, const cprng_engine *engine, bool locked, std::size_t most)
{
	Directed f(engine, locked);
	const Bytes seed = random.bytes(32);
	std::vector<Part> parts;

	f.seed(seed);
	reference::Generator model(engine);
	model.reseed(seed);
	for (std::size_t i = 0; i < 4; i++)
		parts.push_back({ 1 + random.below(most), {} });
	parts.push_back({ 0, random.bytes(40) });
	Play play(f, model, parts);
	std::vector<Bytes> got(parts.size());
	for (std::size_t i = 0; i < parts.size(); i++) {
		got[i].resize(parts[i].len);
		f.enter([&f, &parts, &got, i] {
			if (parts[i].len == 0)
				f.seed(parts[i].seed);
			else
				CHECK(cprng_fortuna_core_read(&f.core, got[i].data(), got[i].size(), CPRNG_WAIT) ==
				      CPRNG_FORTUNA_OK);
		});
	}

	// Each turn lets a random unfinished thread continue to its next stop.
	std::vector<std::size_t> left(parts.size());
	std::iota(left.begin(), left.end(), std::size_t{ 0 });
	while (!left.empty()) {
		const std::size_t i = random.below(left.size());
		if (f.go(left[i]) == Directed::finished)
			left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
	}
	f.leave();

	std::size_t pieces = 0;
	for (const Directed::Turn &turn : f.turns()) {
		REQUIRE(play.follow(turn, locked));
		pieces++;
	}
	std::size_t expected = 1; // the reseed
	for (std::size_t i = 0; i < parts.size(); i++) {
		CHECK(got[i].size() == play.want[i].size());
		same(got[i].data(), play.want[i].data(), play.want[i].size(), "thread " + std::to_string(i));
		if (parts[i].len != 0)
			expected += (parts[i].len - 1) / std::min(parts[i].len, model.piece_max(locked)) + 1;
	}
	CHECK(pieces == expected);
}

} // namespace

// Catches a key that is not taken in the order of the locks.
TEST_CASE("timeline: threads in any order: keys and bytes are those of the order of the locks")
{
	run::Random random("timeline plays");

	for (const cprng_engine *engine : fortuna_engines()) {
		for (bool locked : { false, true }) {
			for (std::size_t i = volume(60, 4); i != 0; i--)
				check_play(random, engine, locked, locked ? 20000 : 3000);
		}
	}
}

// Catches a locked read that holds the lock from beginning to end, and a locked read that generates outside the lock.
TEST_CASE("timeline: a locked reader lets others in after each page")
{
	run::Random random("timeline pages");
	constexpr std::size_t page = 4096, pages = 3;

	for (const cprng_engine *engine : fortuna_engines()) {
		Bytes a(pages * page - 7), untouched(a.size()), b(50);
		Directed f(engine, true);
		const Bytes seed = random.bytes(32);
		f.seed(seed);
		reference::Generator model(engine);
		model.reseed(seed);
		f.enter([&] {
			CHECK(cprng_fortuna_core_read(&f.core, a.data(), a.size(), CPRNG_WAIT) == CPRNG_FORTUNA_OK);
		});
		for (std::size_t i = 1; i <= pages; i++) {
			const std::size_t end = std::min(a.size(), i * page);
			REQUIRE(f.go(0) == Directed::before);
			REQUIRE(f.go(0) == Directed::after);
			const Bytes want = model.piece(end - (i - 1) * page);
			same(a.data() + (i - 1) * page, want.data(), want.size(), "A");
			CHECK(std::equal(a.begin() + static_cast<std::ptrdiff_t>(end), a.end(), untouched.begin()));
			// The director's own reads never stop.
			CHECK(cprng_fortuna_core_read(&f.core, b.data(), b.size(), CPRNG_WAIT) == CPRNG_FORTUNA_OK);
			CHECK(b == model.piece(b.size()));
		}
		CHECK(f.go(0) == Directed::finished);
		CHECK(model.equals(f.generator().key, f.generator().counter));
		f.leave();
	}
}

// Catches a number drawn for each page, which may take a microsecond on a busy CPU, and a number that changes the block count.
TEST_CASE("timeline: one number moves the upper half of the counter for all pages of a locked read")
{
	static unsigned int asked;
	constexpr std::uint64_t number = 0x8000000000000001, pages = 3;

	for (const cprng_engine *engine : fortuna_engines()) {
		Fortuna f(engine);
		cprng_fortuna_port port = *f.core.port;
		port.apart = [](void *) {
			asked++;
			return number;
		};
		f.core.port = &port;
		f.seed(Bytes(32, 's'));
		asked = 0;
		f.read(pages * CPRNG_LOCKED_PIECE_MAX);
		CHECK(asked == 1);
		CHECK(f.generator().counter.hi == pages * number);
		f.set_locked_reads(false);
		f.read(1);
		f.read(1);
		CHECK(asked == 3);
		CHECK(f.generator().counter.hi == (pages + 2) * number);
	}
}

// Catches a piece without its own key.
TEST_CASE("timeline: AES reads of several MiB: the keys are those of the pieces, in the order of the locks")
{
	run::Random random("timeline pieces");
	const std::size_t mib = 1 << 20;

	// An emulated AES takes a second per MiB.
	for (std::size_t i = volume(3); i != 0; i--)
		check_play(random, cprng_engine_find("aes256-ctr"), false, run::seconds < 1 ? 2 * mib : 4 * mib);
	check_play(random, cprng_engine_find("aes256-ctr"), true, mib / 4);
	check_play(random, cprng_engine_find("chacha20"), false, 2 * mib);
}
