// SPDX-License-Identifier: BSD-2-Clause
// The figures of randp's document, compared with this run's.
#include <algorithm>
#include <string>

#include "../../peers/others/others.hpp"

namespace lab::others {

namespace {

constexpr std::uint64_t four_gib = std::uint64_t{ 4 } << 30;

// From 2026-02-27: Linux 6.18.13, 13th Gen Intel Core i9-13980HX, glibc 2.43, gcc 15.2.1, librandp 4.5.
constexpr struct {
	const char *work, *function, *unit;
	double published; // 0: not published
	const char *contender, *key;
} rows[] = {
	{ "4 GiB", "randp_bytes", "ms", 199, "randp", "fill" },
	{ "4 GiB", "randp_bytes", "ms", 199, "randp-design", "fill" },
	{ "4 GiB", "arc4random_buf", "ms", 5154, "arc4random", "fill" },
	{ "4 GiB", "getentropy", "ms", 7905, "getentropy", "fill" },
	{ "4 GiB", "-", "ms", 0, "cprng", "fill" },
	{ "32 bits", "randp_u32", "ns", 6.33, "randp", "bits32" },
	{ "32 bits", "randp_u32", "ns", 6.33, "randp-design", "bits32" },
	{ "32 bits", "arc4random", "ns", 14.5, "arc4random", "bits32" },
	{ "32 bits", "rdrand32", "ns", 288, "rdrand", "bits32" },
	{ "32 bits", "rdseed32", "ns", 1816, "rdseed", "bits32" },
	{ "32 bits", "-", "ns", 0, "cprng", "bits32" },
	{ "below 1 to 2^20", "randp_lt_u32", "ns", 6.32, "randp", "below_many" },
	{ "below 1 to 2^20", "randp_lt_u32", "ns", 6.32, "randp-design", "below_many" },
	{ "below 1 to 2^20", "arc4random_uniform", "ns", 20.3, "arc4random", "below_many" },
	{ "below 1 to 2^20", "-", "ns", 0, "cprng", "below_many" },
};

} // namespace

void report_randp(const options &chosen, const section &numbers, const fills &requests, report &to)
{
	table t("others_randp", "randp's document, and the same here",
		{ { "work", "work" },
		  { "function", "function" },
		  { "published", "published" },
		  { "contender", "contender" },
		  { "measured", "here" },
		  { "unit", "" } });
	for (const auto &row : rows) {
		const std::vector<const contender_info *> all = chosen.chosen();
		if (std::none_of(all.begin(), all.end(),
				 [&row](const auto *info) { return info->name == row.contender; }))
			continue;
		std::vector<double> values = row.key == std::string("fill") ? requests.ns(row.contender, four_gib) :
									      numbers.ns(row.contender, row.key);
		if (row.key == std::string("fill"))
			for (double &value : values)
				value *= 1e-6;
		t.add({ word(row.work), word(row.function), row.published != 0 ? number(row.published) : nothing(),
			word(row.contender), measured(values), word(row.unit) });
	}
	t.note("Published are the medians of 2026-02-27 on a Core i9-13980HX with glibc 2.43 and gcc 15.2, which are not measured\n"
	       "here: another machine, for scale.  randp-design is the lab's, and stands for no randp.");
	to.add(t, nullptr);
}

} // namespace lab::others
