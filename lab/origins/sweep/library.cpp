// SPDX-License-Identifier: BSD-2-Clause
// Sweeps the library's constants with libraries built with other values, called as a program calls a shared library.
// variants.cmake builds them from the same list of values.
#include <cstdlib>

#include <dlfcn.h>
#include <fmt/format.h>

#include <cprng/cprng.h>

#include "../../common/error.hpp"
#include "../../peers/contenders/source.hpp"
#include "sweep.hpp"

namespace lab::sweep {

namespace {

struct library {
	std::uint32_t (*fast32)();
	std::uint64_t (*fast64)();
	std::uint32_t (*uniform32)(std::uint32_t);
	void (*fast)(void *, std::size_t);
};

template <typename Function> void look_up(void *handle, const char *name, Function &to)
{
	to = reinterpret_cast<Function>(dlsym(handle, name));
	if (to == nullptr)
		throw failure(fmt::format("a library of the lab has no {}", name));
}

// Never unloaded, since draws may always be in progress.
void *load_variant(const std::string &name)
{
	const std::string file = beside_this_program("lab-variants/" + name + ".so");
	void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
	if (handle == nullptr)
		throw failure(dlerror());
	return handle;
}

library load(const std::string &name)
{
	void *handle = load_variant(name);
	library l = {};
	look_up(handle, "cprng_fast32", l.fast32);
	look_up(handle, "cprng_fast64", l.fast64);
	look_up(handle, "cprng_uniform32", l.uniform32);
	look_up(handle, "cprng_fast", l.fast);
	return l;
}

class variant_source {
public:
	explicit variant_source(const library &l) : library_(l)
	{
	}

	template <typename Number> Number next()
	{
		return static_cast<Number>(sizeof(Number) == 8 ? library_.fast64() : library_.fast32());
	}

	std::uint32_t below(std::uint32_t n)
	{
		return library_.uniform32(n);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		library_.fast(out, len);
	}

private:
	library library_;
};

struct stream_library {
	int (*seed)(void *, const char *, std::uint64_t);
	std::uint32_t (*u32)(void *);
	std::uint64_t (*u64)(void *);
	std::uint32_t (*uniform32)(void *, std::uint32_t);
	int (*read)(void *, void *, std::size_t);
};

stream_library load_streams(const std::string &name)
{
	void *handle = load_variant(name);
	stream_library l = {};
	look_up(handle, "cprng_stream_seed_integer", l.seed);
	look_up(handle, "cprng_stream_u32", l.u32);
	look_up(handle, "cprng_stream_u64", l.u64);
	look_up(handle, "cprng_stream_uniform32", l.uniform32);
	look_up(handle, "cprng_stream_read", l.read);
	return l;
}

// A stream whose size this program's headers do not know.
class stream_source {
public:
	explicit stream_source(const stream_library &l)
	    : library_(l), stream_(std::aligned_alloc(64, largest), std::free)
	{
		if (!stream_ || library_.seed(stream_.get(), nullptr, 1) != 0)
			throw failure("a library of the lab has no streams");
	}

	template <typename Number> Number next()
	{
		return static_cast<Number>(sizeof(Number) == 8 ? library_.u64(stream_.get()) :
								 library_.u32(stream_.get()));
	}

	std::uint32_t below(std::uint32_t n)
	{
		return library_.uniform32(stream_.get(), n);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		if (library_.read(stream_.get(), out, len) != 0)
			throw failure("a stream has ended");
	}

private:
	static constexpr std::size_t largest = 8192;

	stream_library library_;
	std::unique_ptr<void, void (*)(void *)> stream_;
};

// Ordered values that include the library's.
std::vector<candidate> candidates(const char *prefix, const std::vector<std::uint64_t> &values,
				  std::uint64_t library_has, std::string (*label)(std::uint64_t))
{
	std::vector<candidate> all;
	for (const std::uint64_t value : values) {
		const bool is_default = value == library_has;
		all.push_back({ label(value), value, is_default,
				variant(is_default ? "default" : fmt::format("{}-{}", prefix, value)) });
	}
	return all;
}

std::string digits(std::uint64_t value)
{
	return std::to_string(value);
}

} // namespace

std::function<std::unique_ptr<contender>()> variant(const std::string &name)
{
	return [l = load(name)] { return std::make_unique<contender_of<variant_source>>(l); };
}

plan buffer()
{
	return {
		"buffer",
		"Bytes of a CPU's buffer, its head included",
		"buffer",
		{ draws_of_32_bits(), requests_of(64), requests_of(256), requests_of(512) },
		candidates("buffer", { 2048, 4096, 8192, 16384, 32768 }, 4096, size_name),
		"Requests from 64 bytes on refill all of it; smaller draws do where the cipher has vectors of 512 bits, and 1 KiB "
		"elsewhere.\n2 KiB is the least that takes a refill."
	};
}

plan refills()
{
	return {
		"refills",
		"Refills between reseeds from the kernel",
		"refills",
		{ draws_of_32_bits(), requests_of(256) },
		candidates("refills", { 1, 2, 4, 8, 16, 32, 64, 256 }, 16, digits),
		"Fewer reseeds are less work.  The default bounds what a snapshot may repeat, and is where more gains little."
	};
}

plan engine()
{
	std::vector<candidate> all;
	all.push_back({ "aes256-ctr", 0, true, variant("default") });
	for (const char *name : { "chacha20", "chacha12", "chacha8", "salsa20", "salsa20-12", "salsa20-8" })
		all.push_back({ name, 0, false, variant(std::string("engine-") + name) });
	return {
		"engine",
		"The engine that serves draws, and its rounds",
		"engine",
		{ draws_of_32_bits(), requests_of(256), requests_of(4096), requests_of(65536) },
		std::move(all),
		"The first row is the library's choice: AES where the CPU has instructions for it, otherwise ChaCha20.  Fewer "
		"rounds are\nfaster and no default: their margin is smaller."
	};
}

plan threshold()
{
	return { "threshold",
		 "Bytes up to which a request comes out of the buffer; longer ones have a key of their own",
		 "threshold",
		 { requests_of(48), requests_of(96), requests_of(192), requests_of(384), requests_of(768) },
		 candidates("short", { 64, 128, 256, 512, 896 }, 512, size_name),
		 "896 is the most that the first KiB of a refill serves, and leaves a line to push." };
}

plan stream_buffer()
{
	std::vector<candidate> all;
	for (const std::uint64_t bytes : { 256, 512, 1024, 2048, 4096 }) {
		const bool is_default = bytes == CPRNG_STREAM_BUFFER;
		const std::string name = is_default ? "default" : fmt::format("stream-{}", bytes);
		all.push_back({ size_name(bytes), bytes, is_default, [l = load_streams(name)] {
				       return std::make_unique<contender_of<stream_source>>(l);
			       } });
	}
	return { "stream-buffer", "Bytes of a stream's buffer",
		 "buffer",        { draws_of_32_bits(), requests_of(64), requests_of(256) },
		 std::move(all),  "chacha8.  1 KiB is a set of sixteen blocks, which AVX-512 makes at a time." };
}

} // namespace lab::sweep
