// SPDX-License-Identifier: BSD-2-Clause
// The functions of machine.hpp that are the same on all systems.
#include "machine.hpp"

#include "run.hpp"
#include "internals.hpp"

#include <cstdlib>

machine::Placement machine::placement()
{
	const cprng_placement *p = cprng_process()->placement;

	if (p == &cprng_placement_percpu)
		return Placement::per_cpu;
	return p == &cprng_placement_slots ? Placement::slots : Placement::unbuffered;
}

bool machine::per_cpu()
{
	return placement() == Placement::per_cpu;
}

bool machine::inlined()
{
	return per_cpu() && cprng_process()->draw.rseq_offset != CPRNG_OS_OWN_AREAS;
}

bool machine::buffered()
{
	return placement() != Placement::unbuffered;
}

bool machine::slow()
{
	return emulated() || CPRNG_TESTS_SANITIZED;
}

double machine::scale()
{
	const char *text = std::getenv("CPRNG_TEST_SCALE");
	double factor = text != nullptr ? std::strtod(text, nullptr) : 1;

	if (!run::large())
		factor *= 0.1;
	if (placement() == Placement::slots)
		factor *= 0.2;
	if (placement() == Placement::unbuffered)
		factor *= 0.005;
	if (CPRNG_TESTS_SANITIZED)
		factor *= 0.1;
	return factor;
}

std::size_t machine::scaled(double volume, std::size_t at_least)
{
	const double n = volume * scale();

	return n > static_cast<double>(at_least) ? static_cast<std::size_t>(n) : at_least;
}
