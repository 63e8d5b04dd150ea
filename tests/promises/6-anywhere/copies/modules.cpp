// SPDX-License-Identifier: BSD-2-Clause
// copies [--one-copy] [--global] [PLUGIN...] [options of support/main.cpp]
//
// A program whose binaries contain the library or are linked with it (program.cpp).  --global loads plugins with RTLD_GLOBAL.
#include "doctest/doctest.h"

#include "modules.hpp"

#include "../../../support/program.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

std::vector<const Module *> modules::all;
bool modules::one_copy;

namespace {

std::vector<unsigned int> first_draws;

const Module *load(const char *path, int scope)
{
	void *const plugin = dlopen(path, RTLD_NOW | scope);

	if (plugin == nullptr) {
		std::fprintf(stderr, "%s\n", dlerror());
		std::exit(2);
	}
	const auto function = reinterpret_cast<ModuleFunction *>(dlsym(plugin, "plugin_module"));
	if (function == nullptr) {
		std::fprintf(stderr, "%s\n", dlerror());
		std::exit(2);
	}
	return function();
}

// Pinned to a CPU, so that each copy draws from one page.
void stay_on_one_cpu()
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &set)) {
			CPU_ZERO(&set);
			CPU_SET(cpu, &set);
			sched_setaffinity(0, sizeof(set), &set);
			return;
		}
	}
}

} // namespace

bool modules::share(const Module *a, const Module *b)
{
	return a == b || one_copy ||
	       (std::strcmp(a->library, b->library) == 0 && std::strcmp(a->library, "static") != 0);
}

void modules::ask_first_draws()
{
	for (const Module *m : all) {
		const pid_t child = fork();
		if (child == 0) {
			cprng_info info;
			int mask = 0;
			m->get_info(&info);
			for (std::size_t i = 0; i < all.size(); i++)
				mask |= (all[i]->own() != nullptr) << i;
			_exit(mask);
		}
		int status = 0;
		const bool ended = waitpid(child, &status, 0) == child && WIFEXITED(status);
		first_draws.push_back(ended ? static_cast<unsigned int>(WEXITSTATUS(status)) : ~0u);
	}
}

unsigned int modules::set_up_by(std::size_t index)
{
	return first_draws[index];
}

namespace {

std::vector<std::string> plugins;
int scope = RTLD_LOCAL;

bool takes(const std::string &argument)
{
	if (argument == "--one-copy")
		modules::one_copy = true;
	else if (argument == "--global")
		scope = RTLD_GLOBAL;
	else if (argument[0] != '-')
		plugins.push_back(argument);
	else
		return false;
	return true;
}

int begin(doctest::Context &)
{
	modules::all = modules::of_program();
	for (const std::string &path : plugins)
		modules::all.push_back(load(path.c_str(), scope));
	stay_on_one_cpu();
	modules::ask_first_draws();

	cprng_info info;
	modules::all.front()->get_info(&info);
	std::printf("placement %s;", info.placement);
	for (const Module *m : modules::all)
		std::printf(" %s", m->library);
	std::printf("\n");
	return 0;
}

const bool added = program::add({ nullptr, takes, begin, nullptr });

} // namespace
