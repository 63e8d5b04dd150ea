// SPDX-License-Identifier: BSD-2-Clause
// <cprng/cprng.hpp> as a module of C++20: `import cprng;`.  A program compiles this file with its own flags, which modules
// require.  A module exports no macros, so the functions of C come with <cprng/cprng.h>.
module;

#include <cprng/cprng.hpp>

export module cprng;

export namespace cprng {

using cprng::generator;
using cprng::generator32;

using cprng::bernoulli;
using cprng::choice;
using cprng::choices;
using cprng::exponential;
using cprng::fill;
using cprng::normal;
using cprng::range;
using cprng::real;
using cprng::sample;
using cprng::shuffle;
using cprng::text;
using cprng::uniform;
using cprng::uuid;
using cprng::uuid4;
using cprng::uuid7;
using cprng::uuid_text;
using cprng::weighted;

using cprng::stream;

namespace alphabet {
using cprng::alphabet::alnum;
using cprng::alphabet::clear;
using cprng::alphabet::digits;
using cprng::alphabet::hex;
using cprng::alphabet::url;
} // namespace alphabet

} // namespace cprng
