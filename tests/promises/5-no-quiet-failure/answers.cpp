// SPDX-License-Identifier: BSD-2-Clause
// No cipher, or no floating-point arithmetic, gives its known answers on this machine.
#include "../../support/fake_os.hpp"
#include "../../support/internals.hpp"
#include "../../support/scenario.hpp"

#include "doctest/doctest.h"

namespace {

const scenario::Scenario no_cipher{ "no-cipher", [] {
					   fake_os.no_cipher = true;
					   (void)cprng_fast32();
				   } };

double numbers[16];

cprng_stream *stream()
{
	static cprng_stream s;

	REQUIRE_IN_CHILD(cprng_stream_seed_integer(&s, nullptr, 1) == CPRNG_OK);
	return &s;
}

// Each function that returns normals or exponentials.
#define WITHOUT_ARITHMETIC(name, call) \
	{ name, [] { \
		 fake_os.no_arithmetic = true; \
		 (void)((call) < 0); \
	 } }
const scenario::Scenario no_arithmetic[] = {
	WITHOUT_ARITHMETIC("no-normal", cprng_normal(0, 1)),
	WITHOUT_ARITHMETIC("no-exponential", cprng_exponential(1)),
	WITHOUT_ARITHMETIC("no-normals", cprng_fill_normal(numbers, 16, 0, 1)),
	WITHOUT_ARITHMETIC("no-exponentials", cprng_fill_exponential(numbers, 16, 1)),
	WITHOUT_ARITHMETIC("no-stream-normal", cprng_stream_normal(stream(), 0, 1)),
	WITHOUT_ARITHMETIC("no-stream-exponential", cprng_stream_exponential(stream(), 1)),
	WITHOUT_ARITHMETIC("no-tried-normal", cprng_stream_try_normal(stream(), numbers, 0, 1)),
	WITHOUT_ARITHMETIC("no-tried-exponential", cprng_stream_try_exponential(stream(), numbers, 1)),
	WITHOUT_ARITHMETIC("no-stream-normals", cprng_stream_fill_normal(stream(), numbers, 16, 0, 1)),
	WITHOUT_ARITHMETIC("no-stream-exponentials", cprng_stream_fill_exponential(stream(), numbers, 16, 1)),
};

// These are exact in any arithmetic, so they need no self-test.
const scenario::Scenario exact{ "exact-numbers", [] {
				       float floats[16];

				       fake_os.no_arithmetic = true;
				       REQUIRE_IN_CHILD(cprng_fill_double(numbers, 16) == CPRNG_OK);
				       REQUIRE_IN_CHILD(cprng_fill_float(floats, 16) == CPRNG_OK);
				       REQUIRE_IN_CHILD(cprng_double() < 1);
				       REQUIRE_IN_CHILD(cprng_stream_fill_double(stream(), numbers, 16) == CPRNG_OK);
				       REQUIRE_IN_CHILD(cprng_stream_double(stream()) < 1);
				       REQUIRE_IN_CHILD(cprng_stream_try_double(stream(), numbers) == CPRNG_OK);
			       } };

} // namespace

// Catches a cipher that is used although it failed its self-test.
TEST_CASE("answers: without a cipher that gives its known answers there is no library")
{
	const scenario::Result r = no_cipher.run();
	INFO(r.describe());
	CHECK(r.aborted_saying("cprng: no cipher gives its known answers on this machine"));
}

// Catches a function that uses arithmetic that failed its self-test, or that returns without having written numbers.
TEST_CASE("answers: without arithmetic that gives its known answers there are no normals and exponentials")
{
	for (const scenario::Scenario &s : no_arithmetic) {
		const scenario::Result r = s.run();
		INFO(s.name << ": " << r.describe());
		CHECK(r.aborted_saying("cprng: no arithmetic of doubles gives its known answers on this machine"));
	}
	scenario::check(exact);
}
