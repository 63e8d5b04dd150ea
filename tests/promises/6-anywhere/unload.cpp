// SPDX-License-Identifier: BSD-2-Clause
// No draw leaves its descriptor in the thread's area.  The kernel would read it at the next preemption, when the code that
// contains it may have been unloaded.
#include "../../support/run.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/outline.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>

// Catches a draw that leaves its descriptor in the thread's area.
TEST_CASE("unload: after every kind of draw, no restartable sequence is open")
{
	unsigned char bytes[5000];

	// Make each kind of draw before, between and after refills.
	for (int i = 0; i < run::volume(500, 3000); i++) {
		std::uint64_t open = 0;
		(void)cprng_fast8();
		open |= machine::open_sequence();
		(void)cprng_fast16();
		open |= machine::open_sequence();
		(void)cprng_fast32();
		open |= machine::open_sequence();
		(void)cprng_fast64();
		open |= machine::open_sequence();
		(void)outline::fast64();
		open |= machine::open_sequence();
		for (std::size_t len : { 1, 15, 16, 17, 64, 100, 512, 513, 5000 }) {
			cprng_fast(bytes, len);
			open |= machine::open_sequence();
		}
		cprng_draw_by_refill(cprng_process(), bytes, i % 2 != 0 ? 8 : 512);
		open |= machine::open_sequence();
		if (i % 100 == 0) {
			cprng_invalidate();
			open |= machine::open_sequence();
			(void)cprng_fast64();
			open |= machine::open_sequence();
		}
		REQUIRE(open == 0);
	}
}

#ifdef CPRNG_TEST_PLUGINS

namespace {

using Draw = std::uint64_t (*)(unsigned long times);

// A yield would cost the rest of a time slice, and on a busy machine those of all other programs.
void pause()
{
	std::this_thread::sleep_for(std::chrono::microseconds(20));
}

// A thread that draws through the plugin, and then computes and yields while the plugin is unloaded.  It makes no further
// draw, which would replace the old descriptor.
class Drawer {
public:
	Drawer() : thread([this] { work(); })
	{
	}

	~Drawer()
	{
		stop = true;
		thread.join();
	}

	void begin(Draw f)
	{
		function = f;
	}

	void wait() const
	{
		while (function.load() != nullptr)
			pause();
	}

private:
	void work()
	{
		volatile std::uint64_t sum = 0;
		while (!stop) {
			if (Draw f = function.load()) {
				sum = sum + f(300);
				function = nullptr;
			}
			// Get preempted and moved to another CPU.
			for (int i = 0; i < 200; i++)
				sum = sum + static_cast<std::uint64_t>(i);
			pause();
			const std::vector<int> &cpus = machine::cpus();
			machine::pin(0, cpus[static_cast<std::size_t>(sum) % cpus.size()]);
		}
	}

	std::atomic<Draw> function{ nullptr };
	std::atomic<bool> stop{ false };
	std::thread thread;
};

bool mapped(const std::string &path)
{
	std::ifstream maps("/proc/self/maps");
	std::string line;

	while (std::getline(maps, line)) {
		if (line.find(path) != std::string::npos)
			return true;
	}
	return false;
}

void load_and_unload(const std::string &path, int times)
{
	std::vector<std::unique_ptr<Drawer>> drawers;
	std::size_t stayed = 0;

	for (int i = 0; i < 4; i++)
		drawers.push_back(std::make_unique<Drawer>());
	for (int i = 0; i < times; i++) {
		void *plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
		INFO((plugin == nullptr ? dlerror() : ""));
		REQUIRE(plugin != nullptr);
		const Draw draw = reinterpret_cast<Draw>(dlsym(plugin, "plugin_draw"));
		REQUIRE((draw != nullptr));
		for (const auto &d : drawers)
			d->begin(draw);
		for (const auto &d : drawers)
			d->wait();
		CHECK(dlclose(plugin) == 0);
		stayed += mapped(path);
		// Leave time for preemptions, at which the kernel reads each thread's descriptor.
		pause();
	}
	// Otherwise the test proves nothing.
	CHECK(stayed == 0);
}

} // namespace

// Catches a descriptor that the kernel reads after its code was unmapped, which kills the process.
TEST_CASE("unload: a plugin that inlines draws, with the shared library")
{
	load_and_unload(CPRNG_TEST_PLUGINS "/libdraw_plugin_shared.so", run::volume(40, 300));
}

// Linked without -z nodelete.  Each load brings its own copy of the library.  Its buffers remain, since nothing tells it of
// the unload.
// Catches the same for the library's own sequences.
TEST_CASE("unload: a plugin that has the static library in it")
{
	load_and_unload(CPRNG_TEST_PLUGINS "/libdraw_plugin_static.so", run::volume(15, 100));
}

#endif
