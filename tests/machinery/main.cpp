// SPDX-License-Identifier: BSD-2-Clause
// PROGRAM [options of doctest]: for tests that need no preparation.
#include "doctest/doctest.h"

int main(int argc, char **argv)
{
	return doctest::Context(argc, argv).run();
}
