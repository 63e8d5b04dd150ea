// SPDX-License-Identifier: BSD-2-Clause
#include "fortuna.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <cprng/cprng.h>

#include "../../common/clock.hpp"
#include "../../common/error.hpp"

namespace lab::fortuna {

namespace {

void check(int error, const char *what)
{
	if (error != CPRNG_OK)
		throw failure(std::string(what) + ": " + cprng_strerror(error));
}

} // namespace

const char *name_of(mode m)
{
	return m == mode::locked ? "locked" : "concurrent";
}

object::object(const char *engine, mode m, const cprng_fortuna_hooks *hooks)
{
	cprng_fortuna_options options = {};
	options.engine = engine;
	options.locked_reads = m == mode::locked;
	options.hooks = hooks;
	cprng_fortuna *f;
	check(cprng_fortuna_new(&f, &options, sizeof(options)), "cprng_fortuna_new");
	fortuna_.reset(f);
	unsigned char seed[64];
	cprng_fast(seed, sizeof(seed));
	check(cprng_fortuna_seed(f, seed, sizeof(seed)), "cprng_fortuna_seed");
}

void object::read(void *buf, std::size_t size) const
{
	check(cprng_fortuna_read(fortuna_.get(), buf, size), "cprng_fortuna_read");
}

cprng_fortuna_info object::info() const
{
	cprng_fortuna_info info;
	check(cprng_fortuna_get_info(fortuna_.get(), &info, sizeof(info)), "cprng_fortuna_get_info");
	return info;
}

void periodically(std::uint64_t period_ns, const stop_flag &stop, const std::function<void()> &work)
{
	std::uint64_t next = monotonic_ns();
	do {
		work();
		next = std::max(next + period_ns, monotonic_ns());
		sleep_until(next);
	} while (!stop.load(std::memory_order_relaxed));
}

void add_event(const object &f)
{
	unsigned char event[CPRNG_FORTUNA_EVENT_MAX] = {};
	const std::uint64_t now = ticks();
	std::memcpy(event, &now, sizeof(now));
	const int error = cprng_fortuna_add(f.get(), 0, event, sizeof(event), 8 * sizeof(event));
	if (error != CPRNG_ERR_FULL) // the object counts these
		check(error, "cprng_fortuna_add");
}

} // namespace lab::fortuna
