// SPDX-License-Identifier: BSD-2-Clause
// unit [--seed=N] [--cpu-ceiling=LEVEL] [--seconds=N] [--large] [options of doctest]
//
// --seconds: 0.5, or 4 with --large (support/run.hpp).
#include "doctest/doctest.h"

#include "engines.hpp"
#include "run.hpp"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

std::uint64_t run::seed;
std::uint32_t run::ceiling = ~0u;
double run::seconds;

namespace {

const struct Level {
	const char *name;
	std::uint32_t mask;
} levels[] = {
	{ "baseline", 0 },
	{ "avx2", CPRNG_CPU_SSSE3 | CPRNG_CPU_AVX2 },
	{ "aesni", CPRNG_CPU_SSSE3 | CPRNG_CPU_AESNI }, // CPUs had it before AVX2
	{ "vaes256", CPRNG_CPU_SSSE3 | CPRNG_CPU_AVX2 | CPRNG_CPU_AESNI | CPRNG_CPU_VAES },
	{ "vaes512", CPRNG_CPU_SSSE3 | CPRNG_CPU_AVX2 | CPRNG_CPU_AESNI | CPRNG_CPU_VAES | CPRNG_CPU_AVX512 },
	{ "all", ~0u },
};

const Level *find_level(const std::string &name)
{
	for (const Level &level : levels) {
		if (name == level.name)
			return &level;
	}
	return nullptr;
}

bool value_of(const std::string &argument, const char *option, std::string *value)
{
	if (argument.rfind(option, 0) != 0)
		return false;
	*value = argument.substr(std::strlen(option));
	return true;
}

void print_run(const Level *level)
{
	std::printf("seed %llu, ceiling %s, CPU", static_cast<unsigned long long>(run::seed), level->name);
	const std::uint32_t features = cprng_cpu_features();
	for (int bit = 0; bit < 32; bit++) {
		const char *name = cprng_cpu_feature_name(1u << bit);
		if ((features >> bit & 1) != 0 && name != nullptr)
			std::printf(" %s", name);
	}
	std::printf("\nbackends:");
	for (const cprng_engine *engine : all_engines()) {
		const cprng_backend *backend = cprng_engine_select(engine);
		std::printf(" %s/%s", engine->name, backend != nullptr ? backend->name : "none");
	}
	std::printf("\n");
	std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
	std::random_device device;
	std::vector<char *> rest;
	const Level *level = find_level("all");
	std::string value;

	run::seed = static_cast<std::uint64_t>(device()) << 32 | device();
	run::seconds = 0;
	for (int i = 0; i < argc; i++) {
		const std::string argument = argv[i];
		if (value_of(argument, "--seed=", &value))
			run::seed = std::strtoull(value.c_str(), nullptr, 0);
		else if (value_of(argument, "--seconds=", &value))
			run::seconds = std::strtod(value.c_str(), nullptr);
		else if (value_of(argument, "--cpu-ceiling=", &value))
			level = find_level(value);
		else if (!run::takes_large(argv[i]))
			rest.push_back(argv[i]);
		if (level == nullptr) {
			std::fprintf(stderr, "%s: no such level\n", argv[i]);
			return 2;
		}
	}

	if (run::seconds <= 0)
		run::seconds = run::volume(0.5, 4.0);
	run::ceiling = level->mask;
	cprng_cpu_set_ceiling(run::ceiling);
	print_run(level);

	doctest::Context context(static_cast<int>(rest.size()), rest.data());
	const int status = context.run();
	if (status != 0)
		std::printf("repeat with --seed=%llu --cpu-ceiling=%s\n", static_cast<unsigned long long>(run::seed),
			    level->name);
	return status;
}
