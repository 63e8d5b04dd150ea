// SPDX-License-Identifier: BSD-2-Clause
// What the measurements of Fortuna have in common, and what they are.
#ifndef CPRNG_LAB_FORTUNA_FORTUNA_HPP
#define CPRNG_LAB_FORTUNA_FORTUNA_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <cprng/fortuna.h>

#include "../common/report.hpp"
#include "../common/run.hpp"

namespace lab::fortuna {

constexpr const char *engines[] = { "aes256-ctr", "chacha20" };

enum class mode { locked, concurrent };
constexpr mode modes[] = { mode::locked, mode::concurrent };
const char *name_of(mode m);

struct options : run_options {
	std::vector<unsigned int> readers = { 1, 2, 3, 4 };
	std::vector<std::uint64_t> sizes = { 65536, 1048576 };
};

// A seeded object of the public interface; throws where the library gives an error.
class object {
public:
	// hooks nullptr: the library's own locks.
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

// Memory for each thread to read into, all of it touched.
class buffers {
public:
	buffers(std::size_t threads, std::size_t size);

	unsigned char *of(std::size_t thread) const
	{
		return memory_.get() + thread * stride_;
	}

private:
	struct release {
		void operator()(unsigned char *p) const;
	};
	std::size_t stride_;
	std::unique_ptr<unsigned char, release> memory_;
};

// Does the work once, and again every so many nanoseconds until `stop` is set; when late it does not catch up.
void periodically(std::uint64_t period_ns, const stop_flag &stop, const std::function<void()> &work);

// A producer: events of 32 bytes of full credit, 1000 a second, so that a reseed is due as often as ever it may be.
constexpr std::uint64_t event_period_ns = 1000000;
void add_event(const object &f);

// One kind of measurement: plans its runs, and reports on them when they are done.
class section {
public:
	virtual ~section() = default;
	virtual void plan(schedule &all) = 0;
	virtual void tell(report &to) const = 0;
	// Adds what it has to say of the project's targets.
	virtual void judge(table &targets) const
	{
		static_cast<void>(targets);
	}
};

std::unique_ptr<section> make_throughput(const options &chosen);
std::unique_ptr<section> make_locks(const options &chosen);
std::unique_ptr<section> make_response(const options &chosen);
std::unique_ptr<section> make_short_reads(const options &chosen);

// A line of the table of targets: `measured` should be at least, or at the most, `wanted`.
enum class bound { at_least, at_most };
void add_target(table &targets, const std::string &what, double measured, bound kind, double wanted);

// The figures of the change that brought concurrent reads to FreeBSD.
void tell_origin(report &to);

} // namespace lab::fortuna

#endif
