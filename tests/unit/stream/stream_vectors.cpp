// SPDX-License-Identifier: BSD-2-Clause
// Streams bit by bit, compared with tests/vectors/numbers.json, which a model of docs/streams-specification.md made.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"

#include <cprng/cprng.hpp>

#include "core/bytes.h"
#include "core/sha256.h"
#include "numbers/numbers.h"

#include "nlohmann/json.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>

namespace {

using Json = nlohmann::json;

Json read_numbers()
{
	std::ifstream file(CPRNG_TEST_VECTORS "/numbers.json");
	return Json::parse(file);
}

std::string hex_of(const void *data, std::size_t size)
{
	const auto *p = static_cast<const std::uint8_t *>(data);
	std::string s;
	for (std::size_t i = 0; i < size; i++) {
		s += "0123456789abcdef"[p[i] >> 4];
		s += "0123456789abcdef"[p[i] & 15];
	}
	return s;
}

Bytes bytes_of(const std::string &hex)
{
	Bytes v;
	for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
		v.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
	return v;
}

std::uint64_t number(const Json &text)
{
	return std::stoull(text.get<std::string>());
}

std::int64_t signed_number(const Json &text)
{
	return std::stoll(text.get<std::string>());
}

double real(const Json &text)
{
	return std::strtod(text.get<std::string>().c_str(), nullptr);
}

// The file's entry for a refused result.
const Json refused = "refused";

Json result_or_refused(int error, Json result)
{
	REQUIRE((error == 0 || error == CPRNG_ERR_ARGUMENT || error == CPRNG_ERR_RANGE));
	return error == 0 ? result : refused;
}

// A row's stream: engine; seed or checkpoint; path.
cprng_stream open_row(const Json &row)
{
	const std::string engine = row.at("engine");
	cprng_stream s;

	if (row.contains("steps") && row.contains("checkpoint")) {
		const Bytes saved = bytes_of(row.at("checkpoint"));
		REQUIRE(cprng_stream_restore(&s, saved.data(), saved.size()) == 0);
	} else if (row.contains("integer")) {
		REQUIRE(cprng_stream_seed_integer(&s, engine.c_str(), number(row.at("integer"))) == 0);
	} else if (row.contains("string")) {
		REQUIRE(cprng_stream_seed_string(&s, engine.c_str(), row.at("string").get<std::string>().c_str()) == 0);
	} else {
		const Bytes seed = bytes_of(row.at("bytes"));
		REQUIRE(cprng_stream_seed_bytes(&s, engine.c_str(), seed.data(), seed.size()) == 0);
	}
	for (const Json &index : row.at("path"))
		REQUIRE(cprng_stream_child(&s, number(index), &s) == 0);
	return s;
}

std::string saved_text(const cprng_stream &s)
{
	std::uint8_t c[CPRNG_STREAM_CHECKPOINT_SIZE];
	REQUIRE(cprng_stream_save(&s, c, sizeof(c)) == 0);
	return hex_of(c, sizeof(c));
}

// SHA-256 of numbers in little-endian form.
template <class Number> std::string digest(std::vector<Number> v)
{
	cprng_sha256 h;
	std::uint8_t out[CPRNG_SHA256_SIZE];
	auto *p = reinterpret_cast<std::uint8_t *>(v.data());

	if (cprng_le32(1) != 1) {
		for (std::size_t i = 0; i < v.size(); i++)
			std::reverse(p + i * sizeof(Number), p + (i + 1) * sizeof(Number));
	}
	cprng_sha256_init(&h);
	cprng_sha256_update(&h, p, v.size() * sizeof(Number));
	cprng_sha256_final(&h, out);
	return hex_of(out, sizeof(out));
}

// Orders and samples, as strings in the file's format.
template <class Integer> Json strings(const std::vector<Integer> &v)
{
	Json list = Json::array();
	for (Integer x : v)
		list.push_back(std::to_string(x));
	return list;
}

// JSON has no NaN.
Json real_or_nan(double x)
{
	return std::isnan(x) ? Json("nan") : Json(x);
}

// The library's result of a step.
Json perform(cprng_stream *s, const Json &step)
{
	const std::string what = step.at(0);

	if (what == "read") {
		Bytes buf(step.at(1).get<std::size_t>());
		const int error = cprng_stream_read(s, buf.data(), buf.size());
		return result_or_refused(error, hex_of(buf.data(), buf.size()));
	}
	if (what == "seek")
		return result_or_refused(cprng_stream_seek(s, number(step.at(1))), step.at(1));
	if (what == "u8")
		return std::to_string(cprng_stream_u8(s));
	if (what == "u16")
		return std::to_string(cprng_stream_u16(s));
	if (what == "u32")
		return std::to_string(cprng_stream_u32(s));
	if (what == "u64")
		return std::to_string(cprng_stream_u64(s));
	if (what == "bool")
		return std::to_string(cprng_stream_bool(s));
	if (what == "float")
		return static_cast<double>(cprng_stream_float(s));
	if (what == "double")
		return cprng_stream_double(s);
	if (what == "uniform32")
		return std::to_string(cprng_stream_uniform32(s, static_cast<std::uint32_t>(number(step.at(1)))));
	if (what == "uniform64")
		return std::to_string(cprng_stream_uniform64(s, number(step.at(1))));
	if (what == "range64")
		return std::to_string(cprng_stream_range64(s, number(step.at(1)), number(step.at(2))));
	if (what == "int_range")
		return std::to_string(cprng_stream_int_range(s, signed_number(step.at(1)), signed_number(step.at(2))));
	if (what == "normal")
		return real_or_nan(cprng_stream_normal(s, real(step.at(1)), real(step.at(2))));
	if (what == "exponential")
		return real_or_nan(cprng_stream_exponential(s, real(step.at(1))));
	if (what == "shuffle") {
		std::vector<std::uint16_t> v(number(step.at(1)));
		for (std::size_t i = 0; i < v.size(); i++)
			v[i] = static_cast<std::uint16_t>(i);
		cprng_stream_shuffle(s, v.data(), v.size(), sizeof(v[0]));
		return strings(v);
	}
	if (what == "sample") {
		std::vector<std::uint64_t> v(number(step.at(1)));
		const int error = cprng_stream_sample(s, v.data(), v.size(), number(step.at(2)));
		return result_or_refused(error, strings(v));
	}
	if (what == "bernoulli") {
		cprng_stream other = *s;
		int tried = 2;
		REQUIRE(cprng_stream_try_bernoulli(&other, &tried, real(step.at(1))) == 0);
		const int made = cprng_stream_bernoulli(s, real(step.at(1)));
		CHECK(tried == made);
		CHECK(cprng_stream_tell(&other) == cprng_stream_tell(s));
		return std::to_string(made);
	}
	if (what == "bernoulli_ratio")
		return std::to_string(cprng_stream_bernoulli_ratio(s, number(step.at(1)), number(step.at(2))));
	if (what == "weighted") {
		std::vector<std::uint64_t> v;
		for (const Json &weight : step.at(1))
			v.push_back(number(weight));
		std::vector<cprng_alias> table(v.size());
		cprng_weights w;
		REQUIRE(cprng_weights_init(&w, table.data(), v.data(), v.size()) == 0);
		v.resize(step.at(2).get<std::size_t>());
		for (std::uint64_t &x : v)
			x = cprng_stream_weighted(s, &w);
		return strings(v);
	}
	if (what == "text") {
		const Bytes alphabet = bytes_of(step.at(2));
		std::string v(step.at(1).get<std::size_t>() + 1, 'x');
		const int error = cprng_stream_text(s, v.data(), v.size() - 1,
						    reinterpret_cast<const char *>(alphabet.data()), alphabet.size());
		if (error != CPRNG_ERR_ARGUMENT)
			REQUIRE(v[error == 0 ? v.size() - 1 : 0] == '\0');
		return result_or_refused(error, hex_of(v.data(), v.size() - 1));
	}
	if (what == "uuid4" || what == "uuid7") {
		std::uint8_t uuid[16] = {};
		char v[37];
		const int error = what == "uuid4" ? cprng_stream_uuid4(s, uuid) :
						    cprng_stream_uuid7(s, number(step.at(1)), uuid);
		cprng_uuid_text(v, uuid);
		return result_or_refused(error, v);
	}
	if (what == "floats") {
		std::vector<float> v(step.at(1).get<std::size_t>());
		const int error = cprng_stream_fill_float(s, v.data(), v.size());
		return result_or_refused(error, digest(v));
	}
	if (what == "doubles" || what == "normals" || what == "exponentials") {
		std::vector<double> v(step.at(1).get<std::size_t>());
		const int error = what == "doubles" ? cprng_stream_fill_double(s, v.data(), v.size()) :
				  what == "normals" ? cprng_stream_fill_normal(s, v.data(), v.size(), 0, 1) :
						      cprng_stream_fill_exponential(s, v.data(), v.size(), 1);
		return result_or_refused(error, digest(v));
	}
	if (what == "checkpoint")
		return saved_text(*s);
	REQUIRE(what == "tell");
	return std::to_string(cprng_stream_tell(s));
}

} // namespace

// Catches a key that is derived differently, and a different layout of checkpoints.
TEST_CASE("stream vectors: seeds and children have the stated keys")
{
	const Json rows = read_numbers().at("seeds");

	CHECK(rows.size() == 70);
	for (const Json &row : rows) {
		const cprng_stream s = open_row(row);
		const std::string saved = saved_text(s), key = row.at("key");
		INFO(row.dump());
		CHECK(saved.substr(64, key.size()) == key);
		CHECK(saved == row.at("checkpoint"));
	}
}

namespace {

// The same steps through the C++ class, or through C where the class lacks a function.
Json perform(cprng::stream *s, const Json &step)
{
	const std::string what = step.at(0);

	if (what == "u64")
		return std::to_string((*s)());
	if (what == "double")
		return s->real();
	if (what == "uniform32")
		return std::to_string(s->uniform(static_cast<std::uint32_t>(number(step.at(1)))));
	if (what == "uniform64")
		return std::to_string(s->uniform(number(step.at(1))));
	if (what == "range64")
		return std::to_string(s->range(number(step.at(1)), number(step.at(2))));
	if (what == "int_range")
		return std::to_string(s->range(signed_number(step.at(1)), signed_number(step.at(2))));
	if (what == "normal")
		return s->normal(real(step.at(1)), real(step.at(2)));
	if (what == "exponential")
		return s->exponential(real(step.at(1)));
	if (what == "weighted") {
		std::vector<std::uint64_t> v;
		for (const Json &weight : step.at(1))
			v.push_back(number(weight));
		const cprng::weighted weights(v);
		v.resize(step.at(2).get<std::size_t>());
		for (std::uint64_t &x : v)
			x = s->choose(weights);
		return strings(v);
	}
	if (what == "shuffle") {
		std::vector<std::uint64_t> v(number(step.at(1)));
		std::iota(v.begin(), v.end(), 0);
		s->shuffle(v.begin(), v.end());
		return strings(v);
	}
	if (what == "doubles" || what == "normals" || what == "exponentials") {
		std::vector<double> v(step.at(1).get<std::size_t>());
		try {
			if (what == "doubles")
				s->fill_real(v);
			else if (what == "normals")
				s->fill_normal(v);
			else
				s->fill_exponential(v);
		} catch (const std::out_of_range &) {
			return refused;
		}
		return digest(v);
	}
	const cprng::stream::checkpoint saved = s->save();
	cprng_stream c;
	REQUIRE(cprng_stream_restore(&c, saved.data(), saved.size()) == 0);
	Json result = perform(&c, step);
	s->seek(cprng_stream_tell(&c));
	return result;
}

// Whether the C function for a step cannot return an error: a refusal then aborts the process (stream_processes.cpp).
bool is_fatal(const Json &step)
{
	static const std::set<std::string> reported = { "read",    "seek",         "sample", "floats", "doubles",
							"normals", "exponentials", "text",   "uuid4",  "uuid7" };
	return step.back() == refused && reported.count(step.at(0)) == 0;
}

// The number of steps.
template <class Stream> std::size_t check_sequences(const Json &rows, Stream (*open)(const Json &row))
{
	std::size_t steps = 0;

	for (const Json &row : rows) {
		Stream s = open(row);
		for (const Json &step : row.at("steps")) {
			const Json got = is_fatal(step) ? refused : perform(&s, step);
			INFO(row.dump().substr(0, 300)
			     << ", step " << steps << ": " << step.dump() << ", not " << got.dump());
			if (got.is_number()) {
				REQUIRE(got.get<double>() == real(step.back()));
				REQUIRE(std::signbit(got.get<double>()) == std::signbit(real(step.back())));
			} else {
				REQUIRE(got == step.back());
			}
			steps++;
		}
	}
	return steps;
}

} // namespace

// Catches a byte or bit that differs between machines, compilers or versions, and a number on the wrong side of a boundary in
// the specification.
TEST_CASE("stream vectors: sequences of numbers and reads")
{
	CHECK(check_sequences(read_numbers().at("sequences"), open_row) == 1697);
}

// Catches a request beyond a stream's end that aborts, moves the offset or succeeds although its function can report errors,
// and a request that is refused although its bytes are left.
TEST_CASE("stream vectors: the ends of streams")
{
	CHECK(check_sequences(read_numbers().at("ends"), open_row) == 503);
}

// Catches a choice that takes other words, or rejects another one, than the specification says.
TEST_CASE("stream vectors: single choices")
{
	CHECK(check_sequences(read_numbers().at("choices"), open_row) == 953);
}

// Catches a number from the class that differs from the C function's near a boundary.
TEST_CASE("stream vectors: sequences by C++")
{
	cprng::stream (*open)(const Json &) = [](const Json &row) {
		const cprng_stream c = open_row(row);
		cprng::stream::checkpoint saved;
		cprng::stream s;
		REQUIRE(cprng_stream_save(&c, saved.data(), saved.size()) == 0);
		s.restore(saved);
		return s;
	};

	CHECK(check_sequences(read_numbers().at("sequences"), open) == 1697);
	CHECK(check_sequences(read_numbers().at("ends"), open) == 503);
	CHECK(check_sequences(read_numbers().at("choices"), open) == 953);
}

// Catches different rounding in any part of the functions.
TEST_CASE("stream vectors: normals and exponentials of chosen bits")
{
	const Json rows = read_numbers().at("functions");

	CHECK(rows.size() == 113);
	for (const Json &row : rows) {
		INFO(row.dump());
		CHECK(cprng_number_normal(number(row.at("bits")), 0, 1) == real(row.at("normal")));
		CHECK(cprng_number_exponential(number(row.at("bits")), 1) == real(row.at("exponential")));
	}
}
