// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab draw: the parts of a 32-bit draw, compared with generators that own their state.
#include <memory>
#include <string>
#include <vector>

#include <cprng/cprng.h>

#include "../contenders/contender.hpp"
#include "../others/others.hpp"

namespace lab {

namespace {

constexpr const char *rows[] = { "draw-chain", "draw-unprotected", "draw-sequence",
				 "cprng",      "xoshiro256pp",     "rust-threadrng" };
constexpr const char *scale = "xoshiro256pp";

// Draws from slots and unbuffered draws use no restartable sequence.
bool restartable()
{
	cprng_fast32();
	return cprng_draw_1.buffers != nullptr;
}

} // namespace

void measure_draw(const run_options &chosen, report &to)
{
	others::options options;
	static_cast<run_options &>(options) = chosen;
	const bool parts = restartable();
	for (const char *name : rows)
		if (const contender_info &info = find_contender(name); info.absent.empty() && (parts || !info.part))
			options.only.emplace_back(name);
	const auto numbers = others::make_numbers(options);
	schedule all;
	numbers->plan(all);
	all.run(chosen.repetitions);

	table t("draw", "A draw of 32 bits, and its parts: ns of CPU time",
		{ { "row", "row" },
		  { "bits32", "32 bits" },
		  { "least", "least" },
		  { "most", "most" },
		  { "over_xoshiro", "/ xoshiro-\n256++" },
		  { "below", "below\na bound" },
		  { "description", "what it is" } });
	nlohmann::ordered_json raw = nlohmann::ordered_json::array();
	const std::vector<double> ours = numbers->ns(scale, "bits32");
	for (const std::string &name : options.only) {
		const std::vector<double> ns = numbers->ns(name, "bits32");
		const std::vector<double> below = numbers->ns(name, "below_one");
		const spread s = spread_of(ns);
		t.add({ word(name), measured(s), number(s.least), number(s.most), measured(quotients(ns, ours)),
			measured(below), word(find_contender(name).description) });
		raw.push_back({ { "row", name }, { "bits32", ns }, { "below_one", below } });
	}
	t.note("Each row adds to the one above it, down to the library's own.  Processes and layouts of code are those of\n"
	       "`others`; ratios are taken within a repetition and a layout.");
	t.draw({ plot::axis::categories, "row", { "bits32" }, "ns for each" });
	to.add(t, raw);
	to.add_others(all);
}

} // namespace lab
