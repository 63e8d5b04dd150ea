// SPDX-License-Identifier: BSD-2-Clause
// Random sequences of events, times and reads.  Every output byte and the whole state are compared with an independent
// model's results (tests/vectors/fortuna_model.py).
#include "doctest/doctest.h"

#include "fixture.hpp"
#include "reference.hpp"
#include "../../support/program.hpp"

#include "nlohmann/json.hpp"

#include <cstdio>
#include <fstream>
#include <string>

namespace {

using Json = nlohmann::json;

enum class Mode { locked, concurrent, switching };

const char *name_of(Mode mode)
{
	return mode == Mode::locked ? "locked" : mode == Mode::concurrent ? "concurrent" : "switching";
}

Bytes from_hex(const std::string &s)
{
	Bytes v;

	for (std::size_t i = 0; i + 1 < s.size(); i += 2)
		v.push_back(static_cast<std::uint8_t>(std::stoul(s.substr(i, 2), nullptr, 16)));
	return v;
}

cprng_event event_of(const Json &source, const Json &entropy_bits, const Json &payload)
{
	return make_event(source, entropy_bits, from_hex(payload));
}

// The output as in the file: the bytes themselves or their hash.
std::string shown(const Bytes &out, const std::string &like)
{
	if (like.empty() || like[0] != '#')
		return hex(out.data(), out.size());
	const Bytes digest = reference::sha256(out);
	return "#" + hex(digest.data(), digest.size());
}

class Player {
public:
	Player(const Json &sequence, Mode mode)
	    : sequence(sequence), mode(mode),
	      fortuna(cprng_engine_find(sequence.at("engine").get<std::string>().c_str()), sequence.at("pool_min"),
		      mode != Mode::concurrent)
	{
		fortuna.time = 0;
	}

	void play()
	{
		int line = 0;

		for (const Json &step : sequence.at("steps")) {
			const std::string kind = step.at(0);
			CAPTURE(line);
			CAPTURE(kind);
			if (mode == Mode::switching)
				fortuna.set_locked_reads(line % 2 == 0);
			if (!play(kind, step))
				return; // all later results would be wrong
			line++;
		}
		check_final(sequence.at("final"));
	}

private:
	bool play(const std::string &kind, const Json &step)
	{
		if (kind == "time") {
			fortuna.time = step.at(1);
			return true;
		}
		if (kind == "put")
			return put(step);
		bool good = true;
		if (kind == "drain") {
			good = fortuna.drain() == step.at(1).get<std::size_t>();
		} else if (kind == "add_events") {
			std::vector<cprng_event> events;
			for (const Json &e : step.at(1))
				events.push_back(event_of(e.at(0), e.at(1), e.at(2)));
			cprng_fortuna_core_add_events(&fortuna.core, events.data(), events.size(), CPRNG_WAIT);
		} else if (kind == "seed") {
			fortuna.seed(from_hex(step.at(1)));
		} else {
			good = read(kind, step.at(1), step.at(2));
		}
		CHECK(good);
		return good && check_state(step);
	}

	bool put(const Json &step)
	{
		const std::uint64_t dropped = fortuna.state().harvest.dropped;
		const cprng_event event = event_of(step.at(1), step.at(2), step.at(3));
		const int status = fortuna.put(event);
		const bool full = fortuna.state().harvest.dropped != dropped;

		CHECK(status == (full ? CPRNG_FORTUNA_FULL : CPRNG_FORTUNA_OK));
		return true;
	}

	bool read(const std::string &kind, std::size_t len, const Json &want)
	{
		// Reads go to any address and need not end at a block's end.
		Guarded out(len, len % 64);
		const bool locked = fortuna.core.locked_reads != 0;
		int status;

		// A locked read of more than a piece returns other bytes ("timeline: locked reads ...").
		fortuna.set_locked_reads(locked && len <= 4096);

		if (kind == "try_read")
			status = cprng_fortuna_core_read(&fortuna.core, out.data(), len, CPRNG_NOWAIT) ==
						 CPRNG_FORTUNA_OK ?
					 0 :
					 -1;
		else
			status = cprng_fortuna_core_read(&fortuna.core, out.data(), len, CPRNG_WAIT);
		fortuna.set_locked_reads(locked);
		if (want.is_null())
			return status == CPRNG_FORTUNA_UNSEEDED && out.untouched();
		const std::string output = want;
		return status == CPRNG_FORTUNA_OK && out.intact() &&
		       shown(Bytes(out.data(), out.data() + len), output) == output;
	}

	// The last three fields of a step.
	bool check_state(const Json &step)
	{
		const std::size_t n = step.size();
		const std::uint64_t reseeds = step.at(n - 3), entropy_bits = step.at(n - 2), dropped = step.at(n - 1);

		CHECK(fortuna.pools().reseeds == reseeds);
		CHECK(fortuna.pools().pool[0].entropy_bits == entropy_bits);
		CHECK(fortuna.state().harvest.dropped == dropped);
		return fortuna.pools().reseeds == reseeds && fortuna.pools().pool[0].entropy_bits == entropy_bits;
	}

	void check_final(const Json &want)
	{
		const cprng_generator &g = fortuna.generator();
		char counter[33];
		Bytes pools;
		unsigned int i = 0;

		std::snprintf(counter, sizeof(counter), "%016llx%016llx", static_cast<unsigned long long>(g.counter.hi),
			      static_cast<unsigned long long>(g.counter.lo));
		CHECK(hex(g.key, sizeof(g.key)) == want.at("key").get<std::string>());
		CHECK(counter == want.at("counter").get<std::string>());
		CHECK(fortuna.pools().reseeds == want.at("reseeds").get<std::uint64_t>());
		CHECK(fortuna.pools().events == want.at("events").get<std::uint64_t>());
		CHECK(fortuna.state().harvest.dropped == want.at("dropped").get<std::uint64_t>());
		for (cprng_pool pool : fortuna.pools().pool) {
			std::uint8_t digest[CPRNG_SHA256_SIZE];
			CHECK(pool.entropy_bits == want.at("entropy_bits").at(i++).get<std::uint64_t>());
			cprng_sha256d_final(&pool.hash, digest);
			pools.insert(pools.end(), digest, digest + sizeof(digest));
		}
		CHECK(shown(pools, "#") == "#" + want.at("pools").get<std::string>());
		CHECK(all_zero(fortuna.pools().seed));
		CHECK(fortuna.drain() == want.at("waiting").get<std::size_t>());
	}

	const Json &sequence;
	const Mode mode;
	Fortuna fortuna;
};

} // namespace

// --replay=FILE: plays only the sequences of that file, in the format of tests/vectors/make-fortuna.py.
namespace {

std::string replayed = CPRNG_TEST_VECTORS "/fortuna.json";
bool must_play, played;

bool takes(const std::string &argument)
{
	const bool taken = program::has_value(argument, "--replay=", &replayed);

	must_play = must_play || taken;
	return taken;
}

int begin(doctest::Context &context)
{
	if (run::seconds <= 0)
		run::seconds = 4;
	if (!must_play)
		return 0;
	context.addFilter("test-case", "Fortuna: sequences of the model*");
	// A run that played no sequence fails.
	return std::atexit([] {
		if (!played) {
			std::fprintf(stderr, "--replay: no sequence was played\n");
			std::fflush(stdout);
			std::_Exit(1);
		}
	});
}

const bool added = program::add({ nullptr, takes, begin, nullptr });

} // namespace

// Catches any difference from the model, which was written from the book.
TEST_CASE("Fortuna: sequences of the model")
{
	std::ifstream file(replayed);
	const Json sequences = Json::parse(file).at("sequences");
	std::size_t steps = 0;

	REQUIRE(!sequences.empty());
	for (std::size_t i = 0; i < sequences.size(); i++) {
		CAPTURE(i);
		for (Mode mode : { Mode::locked, Mode::concurrent, Mode::switching }) {
			INFO(std::string(name_of(mode)));
			Player(sequences[i], mode).play();
		}
		steps += sequences[i].at("steps").size();
	}
	played = true;
	MESSAGE(sequences.size() << " sequences, " << steps << " steps, each in 3 modes");
}
