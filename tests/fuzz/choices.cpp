// SPDX-License-Identifier: BSD-2-Clause
// Choices, of streams and of draws, and numbers that return a status.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <cprng/cprng.h>

#include "player.hpp"

namespace fuzz {

namespace {

using M = model::Stream;
using S = cprng_stream *;

// Up to eight weights: some are 0, some differ much, and some make the library refuse them.
std::vector<std::uint64_t> some_weights(Input &input)
{
	std::vector<std::uint64_t> weights(input.below(8) + 1);
	const unsigned int shift = static_cast<unsigned int>(input.below(60));

	for (std::uint64_t &w : weights)
		w = input.number() >> shift;
	return weights;
}

// The model's answer: neither the sum nor its product with the count may reach 2^64.
bool are_weights(const std::vector<std::uint64_t> &weights)
{
	unsigned __int128 sum = 0;

	for (const std::uint64_t w : weights)
		sum += w;
	return sum != 0 && (sum * weights.size()) >> 64 == 0;
}

// A table of weights.  The library must accept them exactly if the model does.
struct Table {
	explicit Table(const std::vector<std::uint64_t> &weights) : columns(weights.size())
	{
		const int error = cprng_weights_init(&w, columns.data(), weights.data(), weights.size());
		demand(error == (are_weights(weights) ? CPRNG_OK : CPRNG_ERR_ARGUMENT), "weights");
	}

	cprng_weights w;
	std::vector<cprng_alias> columns;
};

struct Uuid {
	std::uint8_t bytes[16];
};

Uuid uuid_of(const Bytes &bytes)
{
	Uuid u;

	std::copy(bytes.begin(), bytes.end(), u.bytes);
	return u;
}

void check_fields(const Uuid &u, unsigned int version)
{
	demand(u.bytes[6] >> 4 == version && u.bytes[8] >> 6 == 2, "a drawn UUID");
}

} // namespace

void Player::shuffle()
{
	const std::size_t count = input.below(130), size = input.below(150) + 1;
	Bytes elements(count * size + 1), want;

	for (std::size_t i = 0; i < elements.size(); i++)
		elements[i] = static_cast<std::uint8_t>(i / size + 7 * (i % size));
	// A shuffle that reaches the end of the stream leaves an unspecified order.
	if (!at->m || at->m->end - at->m->offset < 1 << 20)
		return;
	for (std::size_t i : at->m->order(count))
		want.insert(want.end(), elements.begin() + static_cast<std::ptrdiff_t>(i * size),
			    elements.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
	want.push_back(elements.back());
	cprng_stream_shuffle(&at->s, elements.data(), count, size);
	demand(elements == want, "a shuffle");
}

void Player::sample()
{
	const std::size_t k = input.word(2) % 300;
	const std::uint64_t n = input.number();
	std::vector<std::uint64_t> got(k + 1, 0xa5), want(k + 1, 0xa5);

	if (at->m && at->m->end - at->m->offset < 1 << 20)
		return;
	const int error = cprng_stream_sample(&at->s, got.data(), k, n);
	demand((error == 0) == (at->m && k <= n), "a sample's refusal");
	if (error == 0) {
		want = at->m->sample(k, n);
		want.push_back(0xa5);
	}
	demand(got == want, "a sample");
}

// Draws are random: their results are only possible ones.
void Player::single()
{
	switch (input.below(6)) {
	case 0: {
		const double p = parameter();
		const int drawn = cprng_bernoulli(p);
		demand(p > 0 && p < 1 ? drawn == 0 || drawn == 1 : drawn == (p >= 1), "a drawn trial");
		return one<int>([=](S s) { return cprng_stream_bernoulli(s, p); }, [=](M &m) { return m.bernoulli(p); },
				"bernoulli");
	}
	case 1: {
		const std::uint64_t n = input.number(), d = input.number();
		const int drawn = cprng_bernoulli_ratio(n, d);
		demand(n == 0 ? drawn == 0 :
		       n >= d ? drawn == 1 :
				drawn == 0 || drawn == 1,
		       "a drawn trial of a ratio");
		return one<int>([=](S s) { return cprng_stream_bernoulli_ratio(s, n, d); },
				[=](M &m) { return m.bernoulli_ratio(n, d); }, "bernoulli_ratio");
	}
	case 2: {
		const std::vector<std::uint64_t> weights = some_weights(input);
		const Table table(weights);
		if (!are_weights(weights))
			return;
		demand(weights.at(cprng_weighted(&table.w)) != 0, "a drawn choice");
		return one<std::size_t>([&](S s) { return cprng_stream_weighted(s, &table.w); },
					[&](M &m) { return m.weighted(weights); }, "weighted");
	}
	case 3:
		return text();
	case 4: {
		Uuid drawn;
		cprng_uuid4(drawn.bytes);
		check_fields(drawn, 4);
		return tried<Uuid>(
			true, [](S s, Uuid *u) { return cprng_stream_uuid4(s, u->bytes); },
			[](M &m) { return uuid_of(m.uuid4()); }, "uuid4");
	}
	default: {
		const std::uint64_t ms = input.number();
		Uuid drawn[2];
		for (Uuid &u : drawn) {
			demand(cprng_uuid7(u.bytes) == CPRNG_OK, "a UUID of today");
			check_fields(u, 7);
		}
		demand(std::memcmp(&drawn[0], &drawn[1], sizeof(Uuid)) < 0, "UUIDs that rise");
		return tried<Uuid>(
			ms >> 48 == 0, [=](S s, Uuid *u) { return cprng_stream_uuid7(s, ms, u->bytes); },
			[=](M &m) { return uuid_of(m.uuid7(ms)); }, "uuid7");
	}
	}
}

void Player::text()
{
	const std::size_t length = input.below(70);
	const Bytes alphabet = input.bytes(input.word(2) % 260);
	const char *const symbols = reinterpret_cast<const char *>(alphabet.data());
	const bool valid = !alphabet.empty() && alphabet.size() <= 256;
	std::string drawn(length + 2, '\xa5'), got = drawn, want = drawn;
	int error = CPRNG_ERR_ARGUMENT;

	demand(cprng_text(drawn.data(), length, symbols, alphabet.size()) == (valid ? CPRNG_OK : error),
	       "a drawn text");
	demand(drawn[length] == (valid ? '\0' : '\xa5') && drawn[length + 1] == '\xa5', "the end of a drawn text");
	for (std::size_t i = 0; valid && i < length; i++)
		demand(std::memchr(symbols, drawn[i], alphabet.size()) != nullptr, "a drawn character");
	if (at->m && valid) {
		M after = *at->m;
		try {
			const Bytes made = after.text(length, alphabet);
			std::copy(made.begin(), made.end(), want.begin());
			want[length] = '\0';
			*at->m = after;
			error = CPRNG_OK;
		} catch (const model::Refused &) {
			error = CPRNG_ERR_RANGE;
		}
	}
	demand(cprng_stream_text(&at->s, got.data(), length, symbols, alphabet.size()) == error, "a text");
	if (error == CPRNG_ERR_RANGE)
		demand(got[0] == '\0' && got[length + 1] == '\xa5', "a text past the end");
	else
		demand(got == want, "the characters of a text");
}

void Player::attempt()
{
	const std::size_t kind = input.below(10);
	const std::uint64_t a = input.number(), b = input.number();
	const auto a63 = static_cast<std::int64_t>(a), b63 = static_cast<std::int64_t>(b);
	const double p = parameter(), q = parameter();
	const bool valid = std::isfinite(q) && q >= 0;

	switch (kind) {
	case 0:
		return tried<double>(
			true, cprng_stream_try_double, [](M &m) { return model::unit(m.bits(64)); }, "try_double");
	case 1:
		return tried<std::uint64_t>(
			true, [=](S s, std::uint64_t *out) { return cprng_stream_try_uniform64(s, out, a); },
			[=](M &m) { return m.uniform64(a); }, "try_uniform64");
	case 2:
		return tried<std::uint64_t>(
			true, [=](S s, std::uint64_t *out) { return cprng_stream_try_range64(s, out, a, b); },
			[=](M &m) { return m.range64(a, b); }, "try_range64");
	case 3:
		return tried<std::int64_t>(
			true, [=](S s, std::int64_t *out) { return cprng_stream_try_int_range(s, out, a63, b63); },
			[=](M &m) { return m.int_range(a63, b63); }, "try_int_range");
	case 4:
		return tried<double>(
			valid && std::isfinite(p),
			[=](S s, double *out) { return cprng_stream_try_normal(s, out, p, q); },
			[=](M &m) { return model::normal(m.bits(64), p, q); }, "try_normal");
	case 5:
		return tried<double>(
			valid, [=](S s, double *out) { return cprng_stream_try_exponential(s, out, q); },
			[=](M &m) { return model::exponential(m.bits(64), q); }, "try_exponential");
	case 6:
		return tried<int>(
			true, [=](S s, int *out) { return cprng_stream_try_bernoulli(s, out, p); },
			[=](M &m) { return m.bernoulli(p); }, "try_bernoulli");
	case 7:
		return tried<int>(
			true, [=](S s, int *out) { return cprng_stream_try_bernoulli_ratio(s, out, a, b); },
			[=](M &m) { return m.bernoulli_ratio(a, b); }, "try_bernoulli_ratio");
	case 8: {
		const std::vector<std::uint64_t> weights = some_weights(input);
		const Table table(weights);
		return tried<std::size_t>(
			are_weights(weights),
			[&](S s, std::size_t *out) { return cprng_stream_try_weighted(s, out, &table.w); },
			[&](M &m) { return m.weighted(weights); }, "try_weighted");
	}
	default: {
		using Elements = std::array<std::uint16_t, 40>;
		static_assert(sizeof(Elements) == 80);
		return tried<Elements>(
			true,
			[](S s, Elements *out) {
				Elements ordered;
				std::iota(ordered.begin(), ordered.end(), std::uint16_t{ 0 });
				const int error = cprng_stream_try_shuffle(s, ordered.data(), ordered.size(), 2);
				// A shuffle past the end leaves an unspecified order.
				if (error == CPRNG_OK)
					*out = ordered;
				return error;
			},
			[](M &m) {
				Elements ordered;
				const std::vector<std::size_t> order = m.order(ordered.size());
				std::copy(order.begin(), order.end(), ordered.begin());
				return ordered;
			},
			"try_shuffle");
	}
	}
}

} // namespace fuzz
