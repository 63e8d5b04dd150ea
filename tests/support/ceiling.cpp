// SPDX-License-Identifier: BSD-2-Clause
// --cpu-ceiling=LEVEL: hides CPU features beyond that level.
// --unless-all: exits with 77 if the level hides none that an engine or a number uses: the level all is the same then.
#include "program.hpp"
#include "engines.hpp"
#include "run.hpp"

#include <cstdio>
#include <string>

std::uint32_t run::ceiling = ~0u;

namespace {

const struct Level {
	const char *name;
	std::uint32_t mask;
} levels[] = {
	{ "baseline", 0 },
	{ "avx2", CPRNG_CPU_SSSE3 | CPRNG_CPU_AVX2 },
	{ "aesni", CPRNG_CPU_SSSE3 | CPRNG_CPU_AESNI }, // CPUs gained it before AVX2
	{ "vaes256", CPRNG_CPU_SSSE3 | CPRNG_CPU_AVX2 | CPRNG_CPU_AESNI | CPRNG_CPU_VAES },
	{ "vaes512", CPRNG_CPU_SSSE3 | CPRNG_CPU_AVX2 | CPRNG_CPU_AESNI | CPRNG_CPU_VAES | CPRNG_CPU_AVX512 },
	{ "all", ~0u },
};

constexpr std::uint32_t used = CPRNG_CPU_SSSE3 | CPRNG_CPU_AVX2 | CPRNG_CPU_AESNI | CPRNG_CPU_VAES | CPRNG_CPU_AVX512 |
			       CPRNG_CPU_ARM_AES;

std::string wanted = "all";
bool unless_all;

bool takes_ceiling(const std::string &argument)
{
	unless_all |= argument == "--unless-all";
	return argument == "--unless-all" || program::has_value(argument, "--cpu-ceiling=", &wanted);
}

int hide_features(doctest::Context &)
{
	const Level *found = nullptr;

	for (const Level &level : levels) {
		if (wanted == level.name)
			found = &level;
	}
	if (found == nullptr) {
		std::fprintf(stderr, "--cpu-ceiling=%s: no such level\n", wanted.c_str());
		return 2;
	}
	if (unless_all && (cprng_cpu_features() & used & ~found->mask) == 0) {
		std::printf("1 skipped: level %s: the same as all on this processor\n", wanted.c_str());
		return 77;
	}
	run::ceiling = found->mask;
	cprng_cpu_set_ceiling(run::ceiling);

	std::printf("ceiling %s, CPU features %#x\nbackends:", wanted.c_str(), cprng_cpu_features());
	for (const cprng_engine *engine : all_engines()) {
		const cprng_backend *backend = cprng_engine_select(engine);
		std::printf(" %s/%s", engine->name, backend != nullptr ? backend->name : "none");
	}
	std::printf("\n");
	return 0;
}

std::string ceiling_option()
{
	return wanted == "all" ? "" : " --cpu-ceiling=" + wanted;
}

const bool ceiling_added = program::add({ nullptr, takes_ceiling, hide_features, ceiling_option });

} // namespace
