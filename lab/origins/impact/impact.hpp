// SPDX-License-Identifier: BSD-2-Clause
// A generator's effect on other code.
#ifndef CPRNG_LAB_ORIGINS_IMPACT_IMPACT_HPP
#define CPRNG_LAB_ORIGINS_IMPACT_IMPACT_HPP

#include <memory>

#include "../../common/report.hpp"
#include "../../common/run.hpp"

namespace lab::impact {

// The generators that are compared, and draws that are none.
constexpr const char *names[] = {
	"nothing", "arc4-percpu", "hc128-percpu", "chacha20-percpu", "chacha8-percpu", "cprng"
};

// What the row of nothing allows to say about another row of the same workload: "more", "less" or "none" where all of the row's values
// lie above, below, or among those of nothing; and "no verdict" where nothing, which differs from nothing only by chance, is
// further from 0 than its deviation.
const char *verdict(const spread &of_nothing, const spread &row);

// The workload with draws at a fixed rate, on the same CPU and on another one.
std::unique_ptr<section> make_neighbours(const run_options &chosen);

// The four kernels of STREAM.
std::unique_ptr<section> make_bandwidth(const run_options &chosen);

} // namespace lab::impact

#endif
