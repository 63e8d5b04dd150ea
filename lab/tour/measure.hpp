// SPDX-License-Identifier: BSD-2-Clause
// What is common to all measurements: how long, how often, and that results are used.
#ifndef CPRNG_LAB_TOUR_MEASURE_HPP
#define CPRNG_LAB_TOUR_MEASURE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

// Names are "generator/work"; show.py knows them.
constexpr char work_u32[] = "/u32";     // a number of 32 bits
constexpr char work_below[] = "/below"; // one below a bound
constexpr char work_256b[] = "/256B";
constexpr char work_64k[] = "/64KiB";
constexpr char work_256m[] = "/256MiB";

constexpr std::size_t small_request = 256;
constexpr std::size_t large_request = 65536;

// For all to write to, so that all have the same alignment and the same cache lines; at the beginning of a page.
extern unsigned char request_buffer[large_request];

// As benchmark::DoNotOptimize(), whose versions differ: some store the value to memory, and all make the compiler
// believe that all memory was read, and so write back what a program would keep in registers.
inline void use(std::uint32_t value)
{
	asm volatile("" : : "r"(value));
}

// All memory was read: a buffer, or the state of a generator.
inline void use_memory(const void *p)
{
	asm volatile("" : : "r"(p) : "memory");
}

// Ends the program when a generator that is measured has failed: the figure would be that of the failure.
[[noreturn]] void fail(const std::string &name);

inline void check(bool good, const char *name)
{
	if (__builtin_expect(!good, 0))
		fail(name);
}

// CPU time of this thread: other programs take turns on the CPU, and are not to be counted.
double cpu_seconds();

class measurements {
public:
	int repetitions = 20;
	double seconds = 0.020; // each repetition
	std::string only;       // names that contain it
	int progress = -1;      // descriptor to write "done total" lines to

	// draw() gives a number.
	template <typename Draw> void add_numbers(const std::string &name, const Draw &draw)
	{
		add(name, 0, [draw = draw]() mutable { use(draw()); });
	}

	// fill(buf, size) writes size bytes to buf.
	template <typename Fill>
	void add_bytes(const std::string &name, unsigned char *buf, std::size_t size, const Fill &fill)
	{
		add(name, size, [buf, size, fill = fill]() mutable {
			fill(buf, size);
			use_memory(buf);
		});
	}

	// A number, 256 bytes, 64 KiB.
	template <typename Draw, typename Fill>
	void add_generator(const std::string &name, const Draw &draw, const Fill &fill)
	{
		add_numbers(name + work_u32, draw);
		add_bytes(name + work_256b, request_buffer, small_request, fill);
		add_bytes(name + work_64k, request_buffer, large_request, fill);
	}

	// Tell how far it has come.
	void report_progress() const;

	int total() const
	{
		return added_ * repetitions;
	}

private:
	// The number of iterations is set here and not found by Google Benchmark, which would take some runs more, of
	// unknown length: so each repetition is one run, and the progress is known.
	template <typename Work> void add(const std::string &name, std::size_t bytes, const Work &work)
	{
		if (name.find(only) == std::string::npos)
			return;
		benchmark::RegisterBenchmark(name.c_str(),
					     [this, bytes, work](benchmark::State &state) {
						     while (state.KeepRunningBatch(state.max_iterations))
							     run(work, state.max_iterations);
						     finish(state, bytes);
					     })
			->Iterations(iterations(work))
			->Repetitions(repetitions);
		added_++;
	}

	// The loop that is timed.  Flattened: else the compiler may find work too long to be inlined twice, and would call
	// it.  work is copied, so that what it keeps may live in registers.
	template <typename Work> __attribute__((noinline, flatten)) static void run(const Work &work, std::int64_t n)
	{
		Work local(work);
		for (std::int64_t i = 0; i < n; i++)
			local();
	}

	template <typename Work> static double time(const Work &work, std::int64_t n)
	{
		const double begin = cpu_seconds();
		run(work, n);
		return cpu_seconds() - begin;
	}

	template <typename Work> std::int64_t iterations(const Work &work) const
	{
		run(work, 1); // the first call may set things up, for milliseconds
		for (std::int64_t n = 1;; n *= 2) {
			// The better of two: a disturbance would leave too few iterations to measure anything by.
			const double took = std::min(time(work, n), time(work, n));
			if (took >= seconds / 16)
				return std::max(static_cast<std::int64_t>(static_cast<double>(n) * seconds / took),
						std::int64_t{ 1 });
		}
	}

	void finish(benchmark::State &state, std::size_t bytes);

	int added_ = 0;
	int done_ = 0;
};

// Each registers its measurements.
void add_generators(measurements &all);
void add_bare_loops(measurements &all);

#endif
