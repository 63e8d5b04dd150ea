// SPDX-License-Identifier: BSD-2-Clause
// The measurements of Fortuna, and their common parts.
#ifndef CPRNG_LAB_ORIGINS_FORTUNA_FORTUNA_HPP
#define CPRNG_LAB_ORIGINS_FORTUNA_FORTUNA_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <cprng/fortuna.h>

#include "../../common/buffers.hpp"
#include "../../common/report.hpp"
#include "../../common/run.hpp"

namespace lab::fortuna {

constexpr const char *engines[] = { "aes256-ctr", "chacha20" };

enum class mode { locked, concurrent };
constexpr mode modes[] = { mode::locked, mode::concurrent };
const char *name_of(mode m);

struct options : run_options {
	std::vector<unsigned int> readers = { 1, 2, 3, 4 };
	std::vector<std::uint64_t> sizes = { 65536, 1048576 };
};

// A seeded object of the public interface; throws if the library returns an error.
class object {
public:
	// hooks nullptr: use the library's own locks.
	object(const char *engine, mode m, const cprng_fortuna_hooks *hooks = nullptr);

	void read(void *buf, std::size_t size) const;

	cprng_fortuna_info info() const;

	cprng_fortuna *get() const
	{
		return fortuna_.get();
	}

private:
	struct release {
		void operator()(cprng_fortuna *f) const
		{
			cprng_fortuna_free(f);
		}
	};
	std::unique_ptr<cprng_fortuna, release> fortuna_;
};

// Runs the work now, and then periodically until `stop` is set; skips missed periods.
void periodically(std::uint64_t period_ns, const stop_flag &stop, const std::function<void()> &work);

// A producer of 1000 fully credited 32-byte events a second, so that reseeds happen at the maximum rate.
constexpr std::uint64_t event_period_ns = 1000000;
void add_event(const object &f);

class section : public lab::section {
public:
	// Adds the project's targets to the table.
	virtual void judge(table & /*targets*/) const
	{
	}
};

std::unique_ptr<section> make_throughput(const options &chosen);
std::unique_ptr<section> make_locks(const options &chosen);
std::unique_ptr<section> make_response(const options &chosen);
std::unique_ptr<section> make_short_reads(const options &chosen);

// The figures of the change that introduced concurrent reads to FreeBSD.
void report_origin(report &to);

} // namespace lab::fortuna

#endif
