// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab sizes: requests of every size, and the library's time divided by that of the fastest other generator.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "others.hpp"

namespace lab {

namespace {

constexpr const char *ours = "cprng", *cipher = "bare";
constexpr std::uint64_t block = 16; // the block size of the cipher that is shown; a partial block costs a copy

// The peers, and the properties that insecure peers lack.  A secure generator erases served bytes and the state from which
// they were computed, uses all rounds of its cipher, and repeats nothing in a forked child.
constexpr struct peer {
	const char *name, *without;
} peers[] = {
	{ "getrandom", nullptr },
	{ "vdso", nullptr },
	{ "arc4random", nullptr },
	{ "arc4random-newer", nullptr },
	{ "libsodium", nullptr },
	{ "libsodium-internal", nullptr },
	{ "openssl-rand", nullptr },
	{ "rust-aws-lc", nullptr },
	{ "go-crypto-rand", nullptr },
	{ "openssl-ctr-pool", "erases nothing, one key, ignores forks" },
	{ "openssl-chacha20-pool", "erases nothing, one key, ignores forks" },
	{ "rust-threadrng", "erases nothing, ChaCha12, ignores forks" },
	{ "rust-random", "erases nothing, ChaCha12, ignores forks" },
	{ "randp", "3 rounds of AES, one key for 256 KiB" }, // 1,024 refills of 256 bytes; served bytes are erased
};

// Sizes between powers of two are lengths of keys, nonces and identifiers.
std::vector<std::uint64_t> sizes_up_to(std::uint64_t most)
{
	std::vector<std::uint64_t> sizes(std::begin(fixed_lengths), std::end(fixed_lengths));
	sizes.insert(sizes.end(), { 96, 128, 256, 512 });
	for (std::uint64_t size = 1024; size <= most; size *= 2)
		sizes.push_back(size);
	sizes.erase(std::upper_bound(sizes.begin(), sizes.end(), most), sizes.end());
	return sizes;
}

struct fastest {
	std::string name, without;
	std::vector<double> ns; // empty if no peer is available

	lab::cell cell() const
	{
		return ns.empty() ? nothing() : word(name);
	}
};

class comparison {
public:
	explicit comparison(std::vector<const others::fills *> calls) : calls_(std::move(calls))
	{
	}

	// The library's time is that of the first way to call it; a peer's is that of the faster way.
	void report_to(const char *name, const std::string &title, const std::vector<std::uint64_t> &sizes,
		       report &to) const
	{
		table t(name, title,
			{ { "request", "request" },
			  { "bytes", "bytes" },
			  { "cprng", "cprng" },
			  { "bare", "bare\ncipher" },
			  { "secure", "the fastest\nsecure peer" },
			  { "secure_ns", "best\nsecure" },
			  { "over_secure", "cprng /\nsecure" },
			  { "other", "the fastest\nother peer" },
			  { "other_ns", "best\nother" },
			  { "over_other", "cprng /\nother" },
			  { "why", "above 1.0: the other peer" } });
		for (const std::uint64_t size : sizes) {
			const std::vector<double> own = calls_.front()->ns(ours, size);
			const fastest secure = fastest_of(size, true), other = fastest_of(size, false);
			const spread over_other = spread_of(quotients(own, other.ns));
			t.add({ word(size_name(size)), whole(size), measured(own),
				measured(size % block == 0 ? fastest_call(cipher, size) : std::vector<double>()),
				secure.cell(), measured(secure.ns), measured(quotients(own, secure.ns)), other.cell(),
				measured(other.ns), measured(over_other),
				over_other.median > 1 ? word(other.without) : nothing() });
		}
		t.note("ns of CPU time for a request.  Secure peers erase what they have served, have all rounds of their cipher, and repeat\n"
		       "nothing in a forked child.  Ratios are taken within a repetition.  The bare cipher generates whole blocks for each request:\n"
		       "for short requests a generator with a buffer may be faster.");
		t.draw({ plot::axis::request_size,
			 "bytes",
			 { "cprng", "bare", "secure_ns", "other_ns" },
			 "ns for a request" });
		to.add(t, nullptr);
	}

private:
	std::vector<double> fastest_call(const std::string &name, std::uint64_t size) const
	{
		std::vector<double> best;
		for (const others::fills *call : calls_)
			if (const std::vector<double> ns = call->ns(name, size);
			    !ns.empty() && (best.empty() || spread_of(ns).median < spread_of(best).median))
				best = ns;
		return best;
	}

	fastest fastest_of(std::uint64_t size, bool secure) const
	{
		fastest best = {};
		for (const peer &p : peers)
			if ((p.without == nullptr) == secure)
				if (const std::vector<double> ns = fastest_call(p.name, size);
				    !ns.empty() &&
				    (best.ns.empty() || spread_of(ns).median < spread_of(best.ns).median))
					best = { p.name, secure ? "" : p.without, ns };
		return best;
	}

	std::vector<const others::fills *> calls_;
};

void measure_sizes(const others::options &given, report &to)
{
	others::options chosen = given;
	if (chosen.only.empty()) {
		chosen.only = { ours, cipher };
		for (const peer &p : peers)
			chosen.only.emplace_back(p.name);
	}
	others::describe(chosen, to);

	const std::vector<std::uint64_t> sizes = sizes_up_to(chosen.largest);
	const std::vector<std::uint64_t> constants =
		sizes_up_to(std::min<std::uint64_t>(chosen.largest, *std::rbegin(fixed_lengths)));
	const auto constant =
		others::make_fills(chosen, { "sizes_constant_all", "Requests of a size that the compiler knows",
					     constants, work::fixed, true });
	const auto variable =
		others::make_fills(chosen, { "sizes_all", "Requests of any size", sizes, work::fill, true });
	schedule small, large;
	constant->plan(small, false);
	variable->plan(small, false);
	small.run(chosen.repetitions);
	variable->plan(large, true);
	schedule::announce("large requests");
	large.run(std::min(chosen.repetitions, others::large_repetitions));

	comparison({ constant.get(), variable.get() })
		.report_to("sizes_constant", "A size that the compiler knows: cprng and the fastest peers", constants,
			   to);
	comparison({ variable.get() }).report_to("sizes", "Any size: cprng and the fastest peers", sizes, to);
	constant->report_to(to);
	variable->report_to(to);
	to.add_others(small);
	to.add_others(large, "large requests");
}

} // namespace

std::function<void()> add_sizes(CLI::App &app)
{
	const auto chosen = std::make_shared<others::options>();
	chosen->largest = std::uint64_t{ 1 } << 20; // larger requests take longer than all others
	others::add_options(app, *chosen, "these contenders (the library, its cipher, and all peers)", "--most",
			    "1MiB");
	return making_report("sizes", chosen, measure_sizes);
}

} // namespace lab
