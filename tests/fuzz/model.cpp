// SPDX-License-Identifier: BSD-2-Clause
#include "model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "../support/sha256.hpp"

namespace model {

namespace {

const std::string &page()
{
	static const std::string text = [] {
		std::ifstream file(CPRNG_FUZZ_PAGE);
		return std::string(std::istreambuf_iterator<char>(file), {});
	}();
	return text;
}

std::vector<std::size_t> sizes(const std::string &cell)
{
	std::vector<std::size_t> found;
	std::istringstream words(cell);

	for (std::string word; words >> word;) {
		if (word != "or")
			found.push_back(std::stoul(word));
	}
	return found;
}

// The indented numbers below a line `label:`.
std::vector<double> constants(const std::string &label)
{
	const std::size_t at = page().find("\n" + label + ":\n\n");
	std::vector<double> found;

	if (at == std::string::npos)
		throw std::runtime_error("the page has no constants \"" + label + "\"");
	std::istringstream lines(page().substr(at + label.size() + 4));
	for (std::string line; std::getline(lines, line) && line.compare(0, 4, "    ") == 0;) {
		std::istringstream words(line);
		for (std::string word; words >> word;)
			found.push_back(std::strtod(word.c_str(), nullptr));
	}
	return found;
}

// ----------------------------------------------------------------------------------------------------- floating point

using Coefficients = std::vector<double>;

double polynomial(const Coefficients &c, double x)
{
	const double x2 = x * x, x4 = x2 * x2;

	return ((c[0] + c[1] * x) + (c[2] + c[3] * x) * x2) + ((c[4] + c[5] * x) + (c[6] + c[7] * x) * x2) * x4;
}

double minus_log(double p, const double *near)
{
	static const Coefficients c = constants("logarithm c"), log2 = constants("log 2, high and low");
	static const double root = std::strtod("0x1.6a09e667f3bcdp-1", nullptr);
	int exponent = 0;
	double m = std::frexp(p, &exponent); // in [1/2, 1)

	if (m < root) {
		m *= 2;
		exponent--;
	}
	const double k = exponent, f = exponent == 0 && near != nullptr ? *near : m - 1;
	const double s = f / (2 + f), z = s * s, z2 = z * z, z4 = z2 * z2;
	const double low = (c[0] + c[1] * z) + (c[2] + c[3] * z) * z2, high = (c[4] + c[5] * z) + c[6] * z2;
	const double R = z * (low + high * z4), h = 0.5 * f * f;
	return ((h - (s * (h + R) + k * log2[1])) - f) - k * log2[0];
}

double rational(const std::string &part, double x)
{
	static std::map<std::string, std::pair<Coefficients, Coefficients>> parts;
	auto &[p, q] = parts[part];

	if (p.empty()) {
		p = constants(part + " P");
		q = constants(part + " Q");
	}
	return polynomial(p, x) / polynomial(q, x);
}

// For the number derived from w, which is below 2^63.
double distance(std::uint64_t w)
{
	return std::ldexp(static_cast<double>(w), -64);
}

double tail_log(std::uint64_t w)
{
	return minus_log(std::ldexp(static_cast<double>((std::uint64_t{ 1 } << 63) - w), -64), nullptr);
}

// 0 to 3: centre, near, middle, far.
int part(std::uint64_t w)
{
	const double q = distance(w), r = 0.180625 - q * q;

	if (r >= 0)
		return 0;
	const double L = tail_log(w);
	return L < 8 ? 1 : L < 20 ? 2 : 3;
}

double standard_normal(std::uint64_t bits)
{
	static const Coefficients p = constants("centre P"), q = constants("centre Q");
	const std::uint64_t w = bits | 1, size = w >> 63 != 0 ? 0 - w : w;
	const double sign = w >> 63 != 0 ? -1 : 1, d = distance(size) * sign, r = 0.180625 - d * d;

	switch (part(size)) {
	case 0:
		return d * polynomial(p, r) / polynomial(q, r);
	case 1:
		return sign * rational("near", tail_log(size) - 2.5);
	case 2:
		return sign * rational("middle", tail_log(size) - 8);
	default:
		return sign * rational("far", tail_log(size) - 20);
	}
}

Bytes derived(const Engine &engine, char kind, const Bytes &follows)
{
	const std::string domain = "cprng stream key";
	Bytes message(domain.begin(), domain.end()), name(engine.name.begin(), engine.name.end());

	name.resize(16);
	message.push_back(static_cast<std::uint8_t>(kind));
	message.insert(message.end(), name.begin(), name.end());
	message.insert(message.end(), follows.begin(), follows.end());
	Bytes key = reference::sha256(message);
	key.resize(engine.key_sizes[0]);
	return key;
}

void append(Bytes &to, const Bytes &what)
{
	to.insert(to.end(), what.begin(), what.end());
}

} // namespace

Bytes little(std::uint64_t value, std::size_t size)
{
	Bytes bytes;

	for (std::size_t i = 0; i < size; i++)
		bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i & 0xff));
	return bytes;
}

const std::vector<Engine> &engines()
{
	static const std::vector<Engine> rows = [] {
		const std::regex row(
			R"(\| `([a-z0-9-]+)` \| (ChaCha|Salsa20|AES) \| (\d+) \| ([\dor ]+) \| ([\dor ]+) \|)");
		std::vector<Engine> found;
		std::istringstream lines(page());
		std::smatch m;
		for (std::string line; std::getline(lines, line);) {
			if (std::regex_match(line, m, row))
				found.push_back({ m[1], m[2], static_cast<unsigned int>(std::stoul(m[3])), sizes(m[4]),
						  sizes(m[5]) });
		}
		return found;
	}();
	return rows;
}

const Engine &engine(const std::string &name)
{
	for (const Engine &row : engines()) {
		if (row.name == name)
			return row;
	}
	throw Refused();
}

double normal(std::uint64_t bits, double mu, double sigma)
{
	return standard_normal(bits) * sigma + mu;
}

const std::vector<std::uint64_t> &seams()
{
	static const std::vector<std::uint64_t> found = [] {
		std::vector<std::uint64_t> least;
		for (int wanted = 1; wanted <= 3; wanted++) {
			std::uint64_t below = 0, from = (std::uint64_t{ 1 } << 63) - 1;
			while (from - below > 1) {
				const std::uint64_t middle = below + (from - below) / 2;
				(part(middle) < wanted ? below : from) = middle;
			}
			least.push_back(from);
		}
		return least;
	}();
	return found;
}

double exponential(std::uint64_t bits, double mean)
{
	const std::uint64_t w = bits | 1;
	const double near = -std::ldexp(static_cast<double>(0 - w), -64);

	return minus_log(std::ldexp(static_cast<double>(w), -64), &near) * mean;
}

double unit(std::uint64_t bits)
{
	return std::ldexp(static_cast<double>(bits / 2048), -53);
}

float unit(std::uint32_t bits)
{
	return std::ldexp(static_cast<float>(bits / 256), -24);
}

Stream::Stream(const std::string &engine_name, const Bytes &stream_key, const Bytes &stream_nonce)
    : row(&engine(engine_name)), key(stream_key), nonce(stream_nonce),
      end(stream_nonce.size() == 12 ? std::uint64_t{ 1 } << 38 : UINT64_MAX)
{
	const auto listed = [](const std::vector<std::size_t> &all, std::size_t one) {
		return std::find(all.begin(), all.end(), one) != all.end();
	};

	if (!listed(row->key_sizes, key.size()) || !listed(row->nonce_sizes, nonce.size()))
		throw Refused();
}

Stream Stream::of_seed(const std::string &engine_name, char kind, const Bytes &seed)
{
	const Engine &row = engine(engine_name);
	Bytes follows = little(seed.size(), 8);

	if ((kind == 's' && seed.empty()) || (kind == 'b' && seed.size() < 16))
		throw Refused();
	append(follows, seed);
	return { engine_name, derived(row, kind, follows), Bytes(row.nonce_sizes[0]) };
}

Stream Stream::of_integer(const std::string &engine_name, std::uint64_t seed)
{
	return of_number(engine_name, little(seed, 8), false);
}

Stream Stream::of_number(const std::string &engine_name, Bytes magnitude, bool is_negative)
{
	while (!magnitude.empty() && magnitude.back() == 0)
		magnitude.pop_back();
	return of_seed(engine_name, is_negative && !magnitude.empty() ? 'n' : 'i', magnitude);
}

Stream Stream::child(std::uint64_t index) const
{
	Bytes follows = { static_cast<std::uint8_t>(key.size()), static_cast<std::uint8_t>(nonce.size()) };

	append(follows, key);
	append(follows, nonce);
	append(follows, little(index, 8));
	return { row->name, derived(*row, 'c', follows), Bytes(row->nonce_sizes[0]) };
}

Bytes Stream::checkpoint() const
{
	const std::string magic = "cprngstr";
	Bytes body(magic.begin(), magic.end());

	body.push_back(1);
	body.push_back(static_cast<std::uint8_t>(key.size()));
	body.push_back(static_cast<std::uint8_t>(nonce.size()));
	body.resize(16);
	body.insert(body.end(), row->name.begin(), row->name.end());
	body.resize(32);
	append(body, key);
	body.resize(64);
	append(body, nonce);
	body.resize(80);
	append(body, little(offset, 8));
	body.resize(96);
	append(body, reference::sha256(body));
	return body;
}

void Stream::seek(std::uint64_t to)
{
	if (to > end)
		throw Refused();
	offset = to;
}

Bytes Stream::read(std::size_t count)
{
	const std::size_t size = row->block_size();
	Bytes out;

	if (count > end - offset)
		throw Refused();
	while (out.size() < count) {
		const std::uint64_t at = offset + out.size();
		if (cache.empty() || cached != at / size) {
			cached = at / size;
			cache = block(*row, key, nonce, cached);
		}
		const std::size_t within = static_cast<std::size_t>(at % size),
				  n = std::min(size - within, count - out.size());
		out.insert(out.end(), cache.begin() + static_cast<std::ptrdiff_t>(within),
			   cache.begin() + static_cast<std::ptrdiff_t>(within + n));
	}
	offset += count;
	return out;
}

std::uint64_t Stream::bits(unsigned int width)
{
	std::uint64_t value = 0;

	for (std::uint8_t byte : read(width / 8)) {
		value = value >> 8 | std::uint64_t{ byte } << 56;
	}
	return value >> (64 - width);
}

// x times bound as four products of halves: high is the integer part of x bound / 2^w, low the rest.
std::uint64_t Stream::lemire(std::uint64_t bound, unsigned int width)
{
	const std::uint64_t half = width / 2, mask = (std::uint64_t{ 1 } << half) - 1,
			    all = ~std::uint64_t{ 0 } >> (64 - width);

	for (;;) {
		const std::uint64_t x = bits(width);
		const std::uint64_t low = (x & mask) * (bound & mask), one = (x >> half) * (bound & mask);
		const std::uint64_t other = (x & mask) * (bound >> half),
				    carry = (low >> half) + (one & mask) + (other & mask);
		const std::uint64_t rest = (low & mask) | (carry & mask) << half;
		const std::uint64_t whole =
			(x >> half) * (bound >> half) + (one >> half) + (other >> half) + (carry >> half);
		// 2^w mod bound
		if (bound < 2 || rest >= (all % bound + 1) % bound)
			return whole;
	}
}

std::uint32_t Stream::uniform32(std::uint32_t bound)
{
	return static_cast<std::uint32_t>(lemire(bound, 32));
}

std::uint64_t Stream::uniform64(std::uint64_t bound)
{
	return lemire(bound, bound >> 32 != 0 ? 64 : 32);
}

std::uint64_t Stream::range64(std::uint64_t lo, std::uint64_t hi)
{
	const auto [least, most] = std::minmax(lo, hi);

	return most - least == UINT64_MAX ? bits(64) : least + uniform64(most - least + 1);
}

std::int64_t Stream::int_range(std::int64_t lo, std::int64_t hi)
{
	const auto [least, most] = std::minmax(lo, hi);
	const auto first = static_cast<std::uint64_t>(least);

	return static_cast<std::int64_t>(first + range64(0, static_cast<std::uint64_t>(most) - first));
}

std::vector<std::size_t> Stream::order(std::size_t n)
{
	std::vector<std::size_t> v(n);

	for (std::size_t i = 0; i < n; i++)
		v[i] = i;
	for (; n >= 2; n--)
		std::swap(v[n - 1], v[static_cast<std::size_t>(uniform64(n))]);
	return v;
}

std::vector<std::uint64_t> Stream::sample(std::size_t k, std::uint64_t n)
{
	std::set<std::uint64_t> taken;

	if (k > n)
		throw Refused();
	if (k > n / 2) {
		for (std::uint64_t i = 0; taken.size() < k; i++) {
			if (uniform64(n - i) < k - taken.size())
				taken.insert(i);
		}
	}
	while (taken.size() < k) {
		for (std::size_t missing = k - taken.size(); missing > 0; missing--)
			taken.insert(uniform64(n));
	}
	const std::vector<std::uint64_t> sorted(taken.begin(), taken.end());
	std::vector<std::uint64_t> out;
	for (std::size_t i : order(k))
		out.push_back(sorted[i]);
	return out;
}

int Stream::bernoulli(double p)
{
	for (p = p > 0 ? std::min(p, 1.0) : 0;;) {
		const double digits = std::ldexp(p, 64), t = std::floor(digits);
		const std::uint64_t x = bits(64);
		// t may be 2^64, which no x reaches.
		if (t == std::ldexp(1, 64) || x < static_cast<std::uint64_t>(t))
			return 1;
		if (x > static_cast<std::uint64_t>(t) || t == digits)
			return 0;
		p = digits - t;
	}
}

int Stream::bernoulli_ratio(std::uint64_t n, std::uint64_t d)
{
	return uniform64(d) < n;
}

std::size_t Stream::weighted(const std::vector<std::uint64_t> &w)
{
	const std::uint64_t n = w.size(), sum = std::accumulate(w.begin(), w.end(), std::uint64_t{ 0 });
	std::vector<std::uint64_t> share(n, sum);
	std::vector<std::size_t> other(n), small, large;

	std::iota(other.begin(), other.end(), 0);
	for (std::size_t i = 0; i < n; i++)
		(n * w[i] > sum ? large : small).push_back(i);
	auto i = small.begin();
	auto j = large.begin();
	std::uint64_t left = j != large.end() ? n * w[*j] : 0;
	while (j != large.end()) {
		if (left > sum) {
			share[*i] = n * w[*i];
			other[*i] = *j;
			left -= sum - share[*i++];
		} else if (j + 1 == large.end()) {
			break;
		} else {
			share[*j] = left;
			other[*j] = j[1];
			left += n * w[j[1]] - sum;
			j++;
		}
	}
	const std::uint64_t r = uniform64(n * sum);
	return static_cast<std::size_t>(r % sum < share[r / sum] ? r / sum : other[r / sum]);
}

Bytes Stream::text(std::size_t length, const Bytes &alphabet)
{
	Bytes made;

	for (std::size_t i = 0; i < length; i++)
		made.push_back(alphabet[static_cast<std::size_t>(lemire(alphabet.size(), 8))]);
	return made;
}

Bytes Stream::uuid(Bytes first, std::uint8_t version)
{
	append(first, read(16 - first.size()));
	first[6] = static_cast<std::uint8_t>(first[6] % 16 + version * 16);
	first[8] = static_cast<std::uint8_t>(first[8] % 64 + 128);
	return first;
}

Bytes Stream::uuid4()
{
	return uuid({}, 4);
}

Bytes Stream::uuid7(std::uint64_t ms)
{
	Bytes time = little(ms, 8);

	std::reverse(time.begin(), time.end());
	if (time[0] != 0 || time[1] != 0)
		throw Refused();
	return uuid(Bytes(time.begin() + 2, time.end()), 7);
}

} // namespace model
