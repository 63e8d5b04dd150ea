// SPDX-License-Identifier: BSD-2-Clause
// The contenders in this program: the library's draws and streams, <random>, and oneMKL.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <string_view>

#include <dlfcn.h>

#include <cprng/cprng.h>
#include <cprng/cprng.hpp>

#include "../../common/clock.hpp"
#include "../../common/error.hpp"
#include "../../common/run.hpp"
#include "../../origins/engines/simple.hpp"
#include "choices.hpp"

namespace lab::choices {

namespace {

void must(int error)
{
	if (error != 0)
		throw failure(cprng_strerror(error));
}

constexpr double success = 0.3;
constexpr std::string_view alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-";

std::vector<std::uint64_t> weights()
{
	std::vector<std::uint64_t> all(1000);
	std::iota(all.begin(), all.end(), std::uint64_t{ 1 });
	return all;
}

struct uuid {
	std::array<unsigned char, 16> bytes;
};

// The library: its draws.
struct draws {
	static bool can(const task & /*any*/)
	{
		return true;
	}

	template <typename Element> void shuffle(Element *array, std::size_t count)
	{
		cprng_shuffle(array, count, sizeof(Element));
	}

	void sample(std::uint64_t *out, std::size_t count, std::uint64_t of)
	{
		must(cprng_sample(out, count, of));
	}

	void bounded(std::uint32_t *out, std::size_t count, std::uint32_t bound)
	{
		must(cprng_fill_uniform32(out, count, bound));
	}

	void reals(double *out, std::size_t count)
	{
		must(cprng_fill_double(out, count));
	}

	void normals(double *out, std::size_t count)
	{
		must(cprng_fill_normal(out, count, 0, 1));
	}

	void exponentials(double *out, std::size_t count)
	{
		must(cprng_fill_exponential(out, count, 1));
	}

	bool bernoulli()
	{
		return cprng_bernoulli(success) != 0;
	}

	std::uint64_t weighted()
	{
		return by_weight();
	}

	void text(char *out, std::size_t length)
	{
		must(cprng_text(out, length, alphabet.data(), alphabet.size()));
	}

	void uuid4(unsigned char *out)
	{
		cprng_uuid4(out);
	}

	void uuid7(unsigned char *out)
	{
		must(cprng_uuid7(out));
	}

	template <std::size_t Bytes> void read(unsigned char *out)
	{
		cprng_fast(out, Bytes);
	}

	cprng::weighted by_weight{ weights() };
};

// The same of a stream.
struct stream {
	stream()
	{
		must(cprng_stream_seed_integer(&s, "chacha8", 1));
	}

	static bool can(const task & /*any*/)
	{
		return true;
	}

	template <typename Element> void shuffle(Element *array, std::size_t count)
	{
		cprng_stream_shuffle(&s, array, count, sizeof(Element));
	}

	void sample(std::uint64_t *out, std::size_t count, std::uint64_t of)
	{
		must(cprng_stream_sample(&s, out, count, of));
	}

	void bounded(std::uint32_t *out, std::size_t count, std::uint32_t bound)
	{
		must(cprng_stream_fill_uniform32(&s, out, count, bound));
	}

	void reals(double *out, std::size_t count)
	{
		must(cprng_stream_fill_double(&s, out, count));
	}

	void normals(double *out, std::size_t count)
	{
		must(cprng_stream_fill_normal(&s, out, count, 0, 1));
	}

	void exponentials(double *out, std::size_t count)
	{
		must(cprng_stream_fill_exponential(&s, out, count, 1));
	}

	bool bernoulli()
	{
		return cprng_stream_bernoulli(&s, success) != 0;
	}

	std::uint64_t weighted()
	{
		return cprng_stream_weighted(&s, by_weight.get());
	}

	void text(char *out, std::size_t length)
	{
		must(cprng_stream_text(&s, out, length, alphabet.data(), alphabet.size()));
	}

	void uuid4(unsigned char *out)
	{
		must(cprng_stream_uuid4(&s, out));
	}

	void uuid7(unsigned char *out)
	{
		must(cprng_stream_uuid7(&s, 1000000000000, out));
	}

	template <std::size_t Bytes> void read(unsigned char *out)
	{
		must(cprng_stream_read(&s, out, Bytes));
	}

	cprng_stream s;
	cprng::weighted by_weight{ weights() };
};

// xoshiro256++ for <random>.
struct xoshiro {
	using result_type = std::uint64_t;

	xoshiro()
	{
		unsigned char key[xoshiro256pp::key_size];
		cprng_fast(key, sizeof(key));
		engine.key(key, sizeof(key), nullptr);
	}

	static constexpr result_type min()
	{
		return 0;
	}

	static constexpr result_type max()
	{
		return UINT64_MAX;
	}

	result_type operator()()
	{
		return engine.step();
	}

	xoshiro256pp engine;
};

// What a source that cannot do them has instead.
struct nothing_else {
	template <typename Element> void shuffle(Element * /*array*/, std::size_t /*count*/)
	{
	}

	void sample(std::uint64_t * /*out*/, std::size_t /*count*/, std::uint64_t /*of*/)
	{
	}

	bool bernoulli()
	{
		return false;
	}

	std::uint64_t weighted()
	{
		return 0;
	}

	void text(char * /*out*/, std::size_t /*length*/)
	{
	}

	void uuid4(unsigned char * /*out*/)
	{
	}

	void uuid7(unsigned char * /*out*/)
	{
	}

	template <std::size_t Bytes> void read(unsigned char * /*out*/)
	{
	}
};

// The standard library's functions over a generator.
template <typename Generator> class standard : public nothing_else {
public:
	// std::sample() visits the whole population.  <random> has no function for bytes and UUIDs.
	static bool can(const task &t)
	{
		return t.what == task::sample ? t.of <= 100000000 : t.what < task::uuid4;
	}

	template <typename Element> void shuffle(Element *array, std::size_t count)
	{
		std::shuffle(array, array + count, generator_);
	}

	void sample(std::uint64_t *out, std::size_t count, std::uint64_t of)
	{
		if (population_.size() != of) {
			population_.resize(of);
			std::iota(population_.begin(), population_.end(), std::uint64_t{ 0 });
		}
		std::sample(population_.begin(), population_.end(), out, count, generator_);
	}

	void bounded(std::uint32_t *out, std::size_t count, std::uint32_t bound)
	{
		std::uniform_int_distribution<std::uint32_t> below(0, bound - 1);
		std::generate_n(out, count, [&] { return below(generator_); });
	}

	void reals(double *out, std::size_t count)
	{
		distributed(out, count, std::uniform_real_distribution<>());
	}

	void normals(double *out, std::size_t count)
	{
		distributed(out, count, std::normal_distribution<>());
	}

	void exponentials(double *out, std::size_t count)
	{
		distributed(out, count, std::exponential_distribution<>());
	}

	bool bernoulli()
	{
		return bernoulli_(generator_);
	}

	std::uint64_t weighted()
	{
		return by_weight_(generator_);
	}

	void text(char *out, std::size_t length)
	{
		std::uniform_int_distribution<std::size_t> symbol(0, alphabet.size() - 1);
		std::generate_n(out, length, [&] { return alphabet[symbol(generator_)]; });
	}

private:
	template <typename Distribution> void distributed(double *out, std::size_t count, Distribution distribution)
	{
		std::generate_n(out, count, [&] { return distribution(generator_); });
	}

	Generator generator_;
	std::bernoulli_distribution bernoulli_{ success };
	const std::vector<std::uint64_t> weights_ = weights();
	std::discrete_distribution<std::uint64_t> by_weight_{ weights_.begin(), weights_.end() };
	std::vector<std::uint64_t> population_;
};

// oneMKL, if the dynamic linker finds it: its vectorised Mersenne twister, or five rounds of AES.
template <int Generator> class mkl : public nothing_else {
public:
	mkl()
	{
		void *library = nullptr;
		for (const char *name : { "libmkl_rt.so.3", "libmkl_rt.so.2" }) // of 2026, and of 2021 to 2025
			if (library == nullptr)
				library = dlopen(name, RTLD_NOW);
		if (library == nullptr)
			throw failure("libmkl_rt.so was not found");
		int (*make)(void **, int, unsigned int) = nullptr;
		find(library, "vslNewStream", make);
		find(library, "viRngUniform", bounded_);
		find(library, "vdRngUniform", reals_);
		find(library, "vdRngGaussian", normals_);
		find(library, "vdRngExponential", exponentials_);
		good(make(&stream_, Generator << 20, 1));
	}

	static bool can(const task &t)
	{
		return t.what >= task::bounded && t.what <= task::exponential;
	}

	void bounded(std::uint32_t *out, std::size_t count, std::uint32_t bound)
	{
		good(bounded_(0, stream_, static_cast<int>(count), reinterpret_cast<int *>(out), 0,
			      static_cast<int>(bound)));
	}

	void reals(double *out, std::size_t count)
	{
		good(reals_(0, stream_, static_cast<int>(count), out, 0, 1));
	}

	// By the inverse, its only method of full precision that needs one number for each.
	void normals(double *out, std::size_t count)
	{
		good(normals_(2, stream_, static_cast<int>(count), out, 0, 1));
	}

	void exponentials(double *out, std::size_t count)
	{
		good(exponentials_(0, stream_, static_cast<int>(count), out, 0, 1));
	}

private:
	template <typename Function> static void find(void *library, const char *name, Function &to)
	{
		void *found = dlsym(library, name);
		if (found == nullptr)
			throw failure(std::string("oneMKL has no ") + name);
		std::memcpy(&to, &found, sizeof(to));
	}

	static void good(int status)
	{
		if (status != 0)
			throw failure("oneMKL has failed");
	}

	using of_doubles = int (*)(int, void *, int, double *, double, double);

	void *stream_ = nullptr; // kept until the program ends
	int (*bounded_)(int, void *, int, int *, int, int) = nullptr;
	of_doubles reals_ = nullptr, normals_ = nullptr, exponentials_ = nullptr;
};

constexpr int sfmt19937 = 13, ars5 = 15; // mkl_vsl_defines.h

// Seconds of a run.
template <typename Run> double timed(double seconds, Run run)
{
	run();
	for (std::uint64_t count = 1;; count *= 2) {
		const double begin = cpu_seconds();
		for (std::uint64_t i = 0; i < count; i++) {
			run();
			__asm__ volatile("" : : : "memory");
		}
		if (const double took = cpu_seconds() - begin; took >= seconds / 2 || interrupted())
			return took / static_cast<double>(count);
	}
}

template <typename Source> class in_this_program final : public chooser {
public:
	std::optional<answer> run(const task &t, double seconds) override
	{
		if (!Source::can(t))
			return std::nullopt;
		seconds_ = seconds;
		switch (t.what) {
		case task::shuffle:
			return t.of == 4 ? shuffled<std::uint32_t>(t) :
			       t.of == 8 ? shuffled<std::uint64_t>(t) :
					   shuffled<std::array<std::uint64_t, 3>>(t);
		case task::sample:
			return filled<std::uint64_t>(t,
						     [&](std::uint64_t *out) { source_.sample(out, t.count, t.of); });
		case task::bounded:
			return filled<std::uint32_t>(t, [&](std::uint32_t *out) {
				source_.bounded(out, t.count, static_cast<std::uint32_t>(t.of));
			});
		case task::real:
			return filled<double>(t, [&](double *out) { source_.reals(out, t.count); });
		case task::normal:
			return filled<double>(t, [&](double *out) { source_.normals(out, t.count); });
		case task::exponential:
			return filled<double>(t, [&](double *out) { source_.exponentials(out, t.count); });
		case task::bernoulli:
			return each<std::uint8_t>(t, [&](std::uint8_t &out) { out = source_.bernoulli() ? 1 : 0; });
		case task::weighted:
			return each<std::uint64_t>(t, [&](std::uint64_t &out) { out = source_.weighted(); });
		case task::text: // of up to 23 characters and a NUL
			return each<std::array<std::uint64_t, 3>>(t, [&](std::array<std::uint64_t, 3> &out) {
				source_.text(reinterpret_cast<char *>(out.data()), t.of);
			});
		case task::uuid4:
			return each<uuid>(t, [&](uuid &out) { source_.uuid4(out.bytes.data()); });
		case task::uuid7:
			return each<uuid>(t, [&](uuid &out) { source_.uuid7(out.bytes.data()); });
		case task::read:
			return t.of == 8   ? reads<8>(t) :
			       t.of == 16  ? reads<16>(t) :
			       t.of == 32  ? reads<32>(t) :
			       t.of == 64  ? reads<64>(t) :
			       t.of == 128 ? reads<128>(t) :
					     reads<256>(t);
		}
		return std::nullopt;
	}

private:
	template <typename Element> static double value(const Element &element)
	{
		if constexpr (std::is_arithmetic_v<Element>)
			return static_cast<double>(element);
		else if constexpr (std::is_same_v<Element, uuid>)
			return std::accumulate(element.bytes.begin() + 8, element.bytes.end(), 0.0,
					       [](double high, unsigned char byte) { return high * 256 + byte; });
		else
			return static_cast<double>(element[0]);
	}

	template <typename Element, typename Fill> answer measured(std::vector<Element> &array, Fill fill)
	{
		answer a = {};
		a.ns = timed(seconds_, [&] { fill(array.data()); }) / static_cast<double>(array.size()) * 1e9;
		std::vector<double> values(array.size());
		std::transform(array.begin(), array.end(), values.begin(), value<Element>);
		for (std::size_t i = 0; i < values.size(); i++)
			a.moved += static_cast<double>(values[i] != static_cast<double>(i));
		std::sort(values.begin(), values.end());
		a.least = values.front();
		a.most = values.back();
		a.distinct = static_cast<double>(std::unique(values.begin(), values.end()) - values.begin());
		return a;
	}

	template <typename Element, typename Fill> answer filled(const task &t, Fill fill)
	{
		std::vector<Element> array(t.count);
		return measured(array, fill);
	}

	template <typename Element> answer shuffled(const task &t)
	{
		std::vector<Element> array(t.count);
		for (std::size_t i = 0; i < array.size(); i++)
			if constexpr (std::is_integral_v<Element>)
				array[i] = static_cast<Element>(i);
			else
				array[i][0] = i;
		return measured(array, [&](Element *p) { source_.shuffle(p, t.count); });
	}

	// One call for each, whose result is in memory before the next one.
	template <typename Element, typename One> answer each(const task &t, One one)
	{
		return filled<Element>(t, [&](Element *out) {
			for (std::size_t i = 0; i < t.count; i++) {
				one(out[i]);
				__asm__ volatile("" : : : "memory");
			}
		});
	}

	template <std::size_t Bytes> answer reads(const task &t)
	{
		using element = std::array<std::uint64_t, Bytes / 8>;
		return each<element>(t, [&](element &out) {
			source_.template read<Bytes>(reinterpret_cast<unsigned char *>(out.data()));
		});
	}

	Source source_;
	double seconds_ = 0;
};

} // namespace

void add_in_this_program(std::vector<contender> &all)
{
	auto add = [&](contender::group kind, const char *name, const char *description, auto make) {
		all.push_back({ kind, name, description, make });
	};
	add(contender::ours, "cprng", "the library's functions", std::make_unique<in_this_program<draws>>);
	add(contender::ours, "cprng-stream", "the same of a stream of chacha8",
	    std::make_unique<in_this_program<stream>>);
	add(contender::standard, "std-cprng", "std::shuffle, std::sample, <random> over cprng::generator",
	    std::make_unique<in_this_program<standard<cprng::generator>>>);
	add(contender::standard, "std-xoshiro", "the same over xoshiro256++",
	    std::make_unique<in_this_program<standard<xoshiro>>>);
	add(contender::simulation, "mkl-sfmt", "oneMKL, SFMT19937", std::make_unique<in_this_program<mkl<sfmt19937>>>);
	add(contender::simulation, "mkl-ars5", "oneMKL, ARS5: five rounds of AES",
	    std::make_unique<in_this_program<mkl<ars5>>>);
}

} // namespace lab::choices
