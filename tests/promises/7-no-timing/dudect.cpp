// SPDX-License-Identifier: BSD-2-Clause
#include "ct.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "../../../lab/common/clock.hpp"
#include "../../../lab/origins/engines/simple.hpp"

namespace lab::ct {

namespace {

// Running mean and variance of both classes (Welford).
class welch {
public:
	void add(double x, std::size_t of)
	{
		sums &s = classes_[of];
		s.count++;
		const double delta = x - s.mean;
		s.mean += delta / s.count;
		s.squares += delta * (x - s.mean);
	}

	double least() const
	{
		return std::min(classes_[0].count, classes_[1].count);
	}

	double mean(std::size_t of) const
	{
		return classes_[of].mean;
	}

	double difference() const
	{
		return classes_[0].mean - classes_[1].mean;
	}

	double t() const
	{
		double variance = 0;
		for (const sums &s : classes_)
			variance += s.squares / (s.count - 1) / s.count;
		return variance > 0 ? difference() / std::sqrt(variance) : 0;
	}

private:
	struct sums {
		double count = 0, mean = 0, squares = 0;
	};
	std::array<sums, 2> classes_;
};

// dudect's tests:
// - all times;
// - the times up to each of 100 percentiles, which are denser towards the top because interrupts cause the long times.  Times
//   equal to the percentile are included, since most times may be the same few ticks;
// - the squared deviations, for a secret that shows only in the variance.
class tests {
public:
	explicit tests(std::vector<std::uint64_t> first)
	{
		std::sort(first.begin(), first.end());
		for (std::size_t i = 0; i < limits_.size(); i++) {
			const double part = 1 - std::pow(0.5, 10 * static_cast<double>(i + 1) /
								      static_cast<double>(limits_.size()));
			limits_[i] = first[static_cast<std::size_t>(part * static_cast<double>(first.size()))];
		}
	}

	void add(std::uint64_t ticks, std::size_t of)
	{
		const auto x = static_cast<double>(ticks);
		all_.add(x, of);
		for (std::size_t i = 0; i < limits_.size(); i++)
			if (ticks <= limits_[i])
				cropped_[i].add(x, of);
		if (all_.least() > enough) {
			const double deviation = x - all_.mean(of);
			squares_.add(deviation * deviation, of);
		}
	}

	timing result() const
	{
		timing r;
		auto take = [&r](const welch &w, const std::string &name, double unit = ns_per_tick()) {
			if (w.least() > enough && std::abs(w.t()) > r.t) {
				r.t = std::abs(w.t());
				r.difference = w.difference() * unit;
				r.test = name;
			}
		};
		take(all_, "all");
		for (std::size_t i = 0; i < cropped_.size(); i++)
			take(cropped_[i], "up to percentile " + std::to_string(i));
		take(squares_, "squares", 0);
		return r;
	}

private:
	// Measurements per class from which on the means are normally distributed, whatever the distribution of times.
	static constexpr double enough = 10000;

	std::array<std::uint64_t, 100> limits_;
	std::array<welch, 100> cropped_;
	welch all_, squares_;
};

// One batch of measurements.  The keys of both classes lie in consecutive slots, so that only their bytes differ by class.
constexpr std::size_t batch = 4096;

// Long enough for the widest batches and their tails, short enough that a few cycles are visible.
constexpr std::size_t bytes = 33 * 64 + 16;

// Two blocks, or 32 words: at this length the number of lines read from a table of 2 KiB varies most.
constexpr std::size_t cold_bytes = 128;

// Flush it from all caches.
void flush(void *data, std::size_t size)
{
	constexpr std::size_t line = 64;
	auto *const end = static_cast<unsigned char *>(data) + size;
	for (auto *p = static_cast<unsigned char *>(data); p < end; p += line) {
#if defined(__x86_64__)
		_mm_clflush(p);
#elif defined(__aarch64__)
		asm volatile("dc civac, %0" : : "r"(p) : "memory");
#endif
	}
	if (size != 0) {
#if defined(__x86_64__)
		_mm_clflush(end - 1);
		_mm_mfence();
#elif defined(__aarch64__)
		asm volatile("dc civac, %0\n\tdsb ish" : : "r"(end - 1) : "memory");
#endif
	}
}

class measurement {
public:
	measurement(subject &of, work what) : of_(of), what_(what), size_(of.key_sizes().front())
	{
		std::random_device device;
		unsigned char seed[32];
		for (unsigned char &b : seed)
			b = static_cast<unsigned char>(device());
		chance_.key(seed, sizeof(seed), nullptr);
	}

	// Calls function(ticks, class) for each.
	template <typename Function> void run(Function function)
	{
		chance_.fill(classes_, sizeof(classes_));
		chance_.fill(keys_[0], sizeof(keys_));
		for (std::size_t i = 0; i < batch; i++) {
			unsigned char copy[key_size_max];
			classes_[i] &= 1;
			std::memcpy(copy, classes_[i] != 0 ? keys_[i] : fixed_key, key_size_max);
			std::memcpy(keys_[i], copy, key_size_max);
		}
		for (std::size_t i = 0; i < batch; i++)
			function(what_ == work::key ? time_key(i) : time_keystream(i), classes_[i]);
	}

private:
	std::uint64_t time_key(std::size_t i)
	{
		const std::uint64_t begin = ticks();
		of_.set_key(keys_[i], size_);
		return ticks() - begin;
	}

	std::uint64_t time_keystream(std::size_t i)
	{
		of_.set_key(keys_[i], size_);
		of_.set_position(0);
		const std::size_t units = (what_ == work::cold ? cold_bytes : bytes) / of_.unit();
		if (what_ == work::cold)
			of_.state(flush);
		const std::uint64_t begin = ticks();
		of_.keystream(out_, units, false);
		return ticks() - begin;
	}

	subject &of_;
	const work what_;
	const std::size_t size_;
	xoshiro256pp chance_;
	unsigned char classes_[batch];
	unsigned char keys_[batch][key_size_max];
	alignas(64) unsigned char out_[bytes];
};

} // namespace

bool can_flush()
{
#if defined(__x86_64__) || defined(__aarch64__)
	return true;
#else
	return false;
#endif
}

timing examine_time(subject &of, work what, double seconds)
{
	const auto measured = std::make_unique<measurement>(of, what);
	// Warm up and choose the cropping percentiles; these measurements do not count.
	std::vector<std::uint64_t> first;
	for (int i = 0; i < 4; i++)
		measured->run([&first](std::uint64_t t, std::size_t) { first.push_back(t); });
	const auto all = std::make_unique<tests>(std::move(first));
	std::uint64_t count = 0;
	for (const double end = cpu_seconds() + seconds; cpu_seconds() < end; count += batch)
		measured->run([&all](std::uint64_t t, std::size_t of_class) { all->add(t, of_class); });
	timing result = all->result();
	result.count = count;
	return result;
}

} // namespace lab::ct
