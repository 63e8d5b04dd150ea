// SPDX-License-Identifier: BSD-2-Clause
// The stack after an exchange of a seed file.
#include "../../../support/machine.hpp"
#include "../../../support/own_stack.hpp"
#include "place.hpp"

namespace {

const char *path_of_file;
int result;

} // namespace

// Catches the old content, the new one or the seed on the stack.
TEST_CASE("seed file: nothing of it is left on the stack")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "the stack is not the program's alone");
	Place place;
	OwnStack stack;
	calls::Guard guard;

	path_of_file = place.path.c_str();
	stack.call([] { result = cprng_seed_file(path_of_file); });
	REQUIRE(result == CPRNG_OK);
	REQUIRE(watch.drawn.size() >= 1);
	REQUIRE(watch.seeded.size() == 1);
	stack.learn(place.old.data(), place.old.size());
	stack.learn(place.content().data(), file_size);
	stack.learn(watch.drawn[0].data(), watch.drawn[0].size());
	stack.learn(watch.seeded[0].data(), watch.seeded[0].size());
	CHECK(stack.left() == 0);
}
