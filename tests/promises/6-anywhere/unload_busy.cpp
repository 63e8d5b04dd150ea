// SPDX-License-Identifier: BSD-2-Clause
// Plugins that inline draws are loaded and unloaded, while other threads keep drawing through the plugin and the program.
#include "../../support/run.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#ifdef CPRNG_TEST_PLUGINS

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>

namespace {

using Fill = void (*)(std::uint64_t *values, unsigned long count);

constexpr std::size_t per_load = 600, kept = 400000;

// A yielding thread is soon scheduled again, and on a busy machine each yield costs other programs' time slices.
void pause()
{
	std::this_thread::sleep_for(std::chrono::microseconds(20));
}

struct Stage {
	std::atomic<Fill> fill{ nullptr }; // the loaded plugin's
	std::atomic<unsigned int> using_it{ 0 };
	std::atomic<std::size_t> uses{ 0 };
	std::atomic<bool> stop{ false };
	std::atomic<std::size_t> open{ 0 }; // descriptors left in place
};

struct Actor {
	std::vector<std::uint64_t> values;

	// Through the plugin while there is one, and through the program always.
	void play(Stage *stage)
	{
		values.reserve(kept + per_load);
		while (!stage->stop) {
			stage->using_it++;
			if (const Fill fill = stage->fill) {
				std::uint64_t some[per_load];
				fill(some, per_load);
				stage->open += machine::open_sequence() != 0;
				if (values.size() < kept)
					values.insert(values.end(), some, some + per_load);
				stage->uses++;
			}
			stage->using_it--;
			const std::uint64_t v = cprng_fast64();
			if (values.size() < kept)
				values.push_back(v);
			// Idle threads would keep the loading thread from its CPU.
			else if (stage->fill == nullptr)
				pause();
		}
	}
};

void come_and_go(const std::string &path, int times)
{
	Stage stage;
	std::vector<Actor> actors(3);
	std::vector<std::thread> threads;
	std::uint64_t (*at_load)() = nullptr;
	std::vector<std::uint64_t> loads;

	for (Actor &a : actors)
		threads.emplace_back([&stage, &a] { a.play(&stage); });
	for (int i = 0; i < times; i++) {
		void *plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
		if (plugin == nullptr)
			break;
		at_load = reinterpret_cast<std::uint64_t (*)()>(dlsym(plugin, "plugin_drawn_at_load"));
		loads.push_back(at_load());
		const std::size_t uses = stage.uses;
		stage.fill = reinterpret_cast<Fill>(dlsym(plugin, "plugin_fill"));
		std::uint64_t mine[per_load];
		stage.fill.load()(mine, per_load);
		loads.insert(loads.end(), mine, mine + per_load);
		// On a busy machine no other thread would run in between, and each iteration would be slow.
		if (i % 10 == 0)
			while (stage.uses == uses)
				pause();
		// No thread is in the plugin when it is unloaded; all threads keep drawing, and are preempted.
		stage.fill = nullptr;
		while (stage.using_it != 0)
			pause();
		dlclose(plugin);
	}
	stage.stop = true;
	for (std::thread &t : threads)
		t.join();

	std::size_t total = loads.size();
	for (const Actor &a : actors)
		total += a.values.size();
	Served served(total);
	served.add_all(loads);
	for (const Actor &a : actors)
		served.add_all(a.values);
	MESSAGE(total << " values, " << stage.uses.load() << " times by the plugin in other threads");
	CHECK(loads.size() == static_cast<std::size_t>(times) * (per_load + 1));
	// Every tenth load waited for one.
	CHECK(stage.uses >= static_cast<std::size_t>(times + 9) / 10);
	CHECK(stage.open == 0);
	CHECK(served.bad() == 0);
}

} // namespace

// At most 1.4 * 10^6 values each: 5 * 10^-8 and 5 * 10^-8.
// Catches a plugin whose unloading disturbs other threads' draws, or that stays loaded.
TEST_CASE("unload: plugins under threads that draw, with the shared library")
{
	come_and_go(CPRNG_TEST_PLUGINS "/libdraw_plugin_shared.so", run::volume(50, 300));
}

// Catches two copies of the library that disturb each other's draws.
TEST_CASE("unload: plugins under threads that draw, with the static library")
{
	come_and_go(CPRNG_TEST_PLUGINS "/libdraw_plugin_static.so", run::volume(20, 100));
}

#endif
