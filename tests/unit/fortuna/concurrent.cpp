// SPDX-License-Identifier: BSD-2-Clause
// Concurrent waiting and non-waiting readers, producers, drainers and seeders: no output is served twice, and no thread waits
// without end.  `make check-tsan` runs this under the thread sanitizer.
#include "doctest/doctest.h"

#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <thread>

namespace {

using Block = std::array<std::uint8_t, 16>;

constexpr std::uint8_t unwritten = 0xa7;

struct Progress {
	std::atomic<int> errors{ 0 };
	std::atomic<std::uint64_t> looks{ 0 }; // by the threads that reseed
	std::atomic<bool> done{ false };
};

void pause()
{
	std::this_thread::sleep_for(std::chrono::microseconds(50));
}

// Collects the blocks that this reader received, each read divided from its first byte.  Reads at least this many bytes, then
// continues slowly until several reseeds have happened: on a busy machine the reseeding thread may not run for a while.
void read_all(const cprng_fortuna_core *core, run::Random random, std::size_t bytes, std::size_t most,
	      std::vector<Block> *blocks, Progress *progress)
{
	Bytes out(most);

	for (std::size_t done = 0; done < bytes || progress->looks < 400;) {
		if (done >= bytes)
			pause();
		const std::size_t len = 16 * (1 + random.below(random.below(50) == 0 ? most / 16 : 64));
		std::fill(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(len), unwritten);
		bool good = false;
		if (random.below(4) == 0 && len <= 1 << 16) {
			// It may find the lock held many times, but not without end: the bound is at least a minute.
			for (int tries = 0; !good && tries < 1000000; tries++) {
				good = cprng_fortuna_core_read(core, out.data(), len, CPRNG_NOWAIT) == CPRNG_FORTUNA_OK;
				if (!good)
					pause();
			}
		} else {
			good = cprng_fortuna_core_read(core, out.data(), len, CPRNG_WAIT) == CPRNG_FORTUNA_OK;
		}
		if (!good) {
			progress->errors++;
			return;
		}
		for (std::size_t at = 0; at < len; at += 16) {
			Block block;
			std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(at), 16, block.begin());
			blocks->push_back(block);
		}
		done += len;
	}
}

void check_crowd(const cprng_engine *engine, std::size_t readers, std::size_t bytes, std::size_t most)
{
	Fortuna f(engine);
	std::vector<std::vector<Block>> blocks(readers);
	std::vector<std::thread> reading, others;
	Progress progress;
	std::atomic<std::uint64_t> produced{ 0 }, dropped{ 0 };

	f.seed(Bytes(32, 's'));
	for (std::size_t i = 0; i < readers; i++) {
		const std::string label = "crowd reader " + std::to_string(i);
		reading.emplace_back(read_all, &f.core, run::Random(label.c_str()), bytes, most, &blocks[i], &progress);
	}
	for (unsigned int i = 0; i < 2; i++) {
		others.emplace_back([&, i] {
			run::Random random(i == 0 ? "crowd producer 0" : "crowd producer 1");
			while (!progress.done) {
				const cprng_event event =
					make_event(random.below(256), 128, random.bytes(16 + random.below(17)));
				produced++;
				if (f.put(event) != CPRNG_FORTUNA_OK)
					dropped++;
				std::this_thread::yield();
			}
		});
	}
	others.emplace_back([&] {
		const cprng_event event = make_event(3, 200, Bytes(32, 'd'));
		for (int i = 0; !progress.done; i++) {
			f.time += CPRNG_RESEED_INTERVAL_NS / 2;
			switch (i % 4) {
			case 0:
				cprng_fortuna_core_add_events(&f.core, &event, 1, CPRNG_WAIT);
				produced++;
				break;
			case 1:
				produced += cprng_fortuna_core_add_events(&f.core, &event, 1, CPRNG_NOWAIT) ? 1 : 0;
				break;
			default:
				f.drain();
			}
			progress.looks++;
			std::this_thread::yield();
		}
	});
	others.emplace_back([&] {
		for (int i = 0; !progress.done; i++) {
			f.set_locked_reads(i % 2 == 0);
			if (i % 100 == 0)
				f.seed(Bytes(32, static_cast<std::uint8_t>(i)));
			else if (i % 100 == 50)
				cprng_fortuna_core_seed(&f.core, "seed", 4, CPRNG_NOWAIT);
			std::this_thread::yield();
		}
	});
	for (std::thread &t : reading)
		t.join();
	progress.done = true;
	for (std::thread &t : others)
		t.join();
	f.drain();

	std::vector<Block> all;
	for (const auto &v : blocks)
		all.insert(all.end(), v.begin(), v.end());
	std::sort(all.begin(), all.end());
	Block nothing;
	nothing.fill(unwritten);
	CHECK(progress.errors == 0);
	CHECK(all.size() >= readers * bytes / 16);
	CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
	CHECK_FALSE(std::binary_search(all.begin(), all.end(), nothing));
	CHECK(f.pools().events + dropped == produced);
	CHECK(f.state().harvest.dropped == dropped);
	CHECK(f.pools().reseeds > 0);
	CHECK(f.generator().counter.lo > all.size() * 16 / engine->block_size);
	MESSAGE(std::string(engine->name)
		<< ": " << all.size() << " blocks of 16, " << f.pools().reseeds << " reseeds, " << produced.load()
		<< " events, " << dropped.load() << " dropped");
}

} // namespace

// Catches a lease that two readers receive, an event that is lost without being counted, and a deadlock.
TEST_CASE("concurrent: readers of both kinds, producers and drainers: no output twice")
{
	for (const cprng_engine *engine : fortuna_engines())
		check_crowd(engine, 3, volume(4 << 20, 1 << 18), 1 << 16);
}

// Catches a read that waits for the pools' lock.
TEST_CASE("concurrent: a reader never waits for the pools")
{
	for (const cprng_engine *engine : fortuna_engines()) {
		for (bool locked : { false, true }) {
			Fortuna f(engine, CPRNG_POOL_MIN_LEAST, locked);
			f.seed(Bytes(32, 's'));
			f.put(make_event(1, 256, Bytes(32, 'e')));
			f.time += CPRNG_RESEED_INTERVAL_NS;
			f.mutex[CPRNG_LOCK_POOLS].lock(); // pretend that another thread uses the pools
			std::thread reader([&] { CHECK(f.read(100).size() == 100); });
			reader.join();
			CHECK(f.pools().reseeds == 0);
			CHECK(f.drain() == 0);
			const cprng_event event = make_event(1, 256, Bytes(32, 'e'));
			CHECK_FALSE(cprng_fortuna_core_add_events(&f.core, &event, 1, CPRNG_NOWAIT));
			CHECK(f.pools().events == 0);
			f.mutex[CPRNG_LOCK_POOLS].unlock();
			f.read(1);
			CHECK(f.pools().reseeds == 1);
		}
	}
}

// Catches a read that finds no key and does not check again after another thread has seeded the generator.
TEST_CASE("concurrent: before the first reseed a reader waits for the pools, and then reads")
{
	struct Seeded : Fortuna {
		using Fortuna::Fortuna;
		// Pretend that another thread seeds the generator while the reader waits.
		void before_lock(cprng_fortuna_lock which) override
		{
			if (which == CPRNG_LOCK_POOLS)
				put(make_event(1, 256, Bytes(32, 'e')));
		}
	};

	for (const cprng_engine *engine : fortuna_engines()) {
		Seeded f(engine);
		CHECK(f.read(100).size() == 100);
		CHECK(f.pools().reseeds == 1);
	}
}

// Catches a try function that waits, or that fails after it has changed something.
TEST_CASE("concurrent: what must not wait does not")
{
	for (const cprng_engine *engine : fortuna_engines()) {
		Fortuna f(engine);
		const cprng_event event = make_event(1, 256, Bytes(32, 'e'));
		Guarded out(100);
		CHECK(cprng_fortuna_core_read(&f.core, out.data(), out.size(), CPRNG_NOWAIT) == CPRNG_FORTUNA_UNSEEDED);
		f.seed(Bytes(32, 's'));
		const cprng_generator before = f.generator();

		f.mutex[CPRNG_LOCK_GENERATOR].lock();
		const std::uint64_t waits = f.waits;
		CHECK(cprng_fortuna_core_read(&f.core, out.data(), out.size(), CPRNG_NOWAIT) == CPRNG_FORTUNA_BUSY);
		CHECK(out.untouched());
		CHECK_FALSE(cprng_fortuna_core_seed(&f.core, "seed", 4, CPRNG_NOWAIT));
		CHECK(std::memcmp(before.key, f.generator().key, sizeof(before.key)) == 0);
		// The event is added, and the reseed stays due.
		CHECK(cprng_fortuna_core_add_events(&f.core, &event, 1, CPRNG_NOWAIT));
		CHECK(f.pools().events == 1);
		CHECK(f.pools().reseeds == 0);
		CHECK(f.pools().pool[0].entropy_bits == 256);
		f.put(event);
		CHECK(f.drain() == 1);
		CHECK(f.pools().reseeds == 0);
		CHECK(std::memcmp(before.key, f.generator().key, sizeof(before.key)) == 0);
		f.mutex[CPRNG_LOCK_GENERATOR].unlock();

		CHECK(cprng_fortuna_core_seed(&f.core, "seed", 4, CPRNG_NOWAIT));
		CHECK(std::memcmp(before.key, f.generator().key, sizeof(before.key)) != 0);
		f.put(event);
		CHECK(cprng_fortuna_core_read(&f.core, out.data(), out.size(), CPRNG_NOWAIT) == CPRNG_FORTUNA_OK);
		CHECK(out.intact());
		CHECK(f.waits == waits);
		// It must not change the pools.
		CHECK(f.pools().events == 2);
		CHECK(f.drain() == 1);
		CHECK(f.pools().reseeds == 1);
	}
}
