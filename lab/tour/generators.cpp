// SPDX-License-Identifier: BSD-2-Clause
// The library beside what else gives random numbers on this machine.  What is not installed is left out.
#include <cstring>
#include <memory>
#include <string>

#include <cprng/cprng.h>

#include "../contenders/c_library.hpp"
#include "../contenders/kernel.hpp"
#include "../contenders/openssl.hpp"
#include "../contenders/sodium.hpp"
#include "../contenders/source.hpp"
#include "measure.hpp"
#include "xoshiro.hpp"

namespace {

// One bound for all, which the compiler does not know: with a constant it would spare some of them a division.
std::uint32_t bound()
{
	std::uint32_t n = 1000000;
	asm("" : "+r"(n));
	return n;
}

// Of lab/contenders/, which cprng-lab has more of.
template <typename Source> void add_source(measurements &all, const char *name)
{
	const auto source = std::make_shared<Source>();
	all.add_generator(
		name, [source] { return source->next32(); },
		[source](unsigned char *buf, std::size_t n) { source->fill(buf, n); });
}

// With a function of its own for bounds.
template <typename Source> void add_source_with_bounds(measurements &all, const char *name)
{
	add_source<Source>(all, name);
	const auto source = std::make_shared<Source>();
	all.add_numbers(std::string(name) + work_below, [source, n = bound()] { return source->below(n); });
}

void add_cprng(measurements &all)
{
	all.add_generator("cprng", [] { return cprng_fast32(); }, [](void *buf, std::size_t n) { cprng_fast(buf, n); });
	all.add_numbers(std::string("cprng") + work_below, [n = bound()] { return cprng_uniform32(n); });
}

void add_kernel(measurements &all)
{
	add_source<lab::kernel_call>(all, "getrandom");
	if (lab::vdso_getrandom().here())
		add_source<lab::kernel_vdso>(all, "vdso");
}

void add_libraries(measurements &all)
{
#ifdef LAB_ARC4RANDOM
	add_source_with_bounds<lab::c_library_arc4random>(all, "arc4random");
#endif
#ifdef LAB_SODIUM
	benchmark::AddCustomContext("libsodium", sodium_version_string());
	add_source_with_bounds<lab::sodium>(all, "libsodium");
#endif
#ifdef LAB_OPENSSL
	benchmark::AddCustomContext("openssl", OpenSSL_version(OPENSSL_VERSION));
	add_source<lab::openssl_rand>(all, "openssl-rand");
	// What is left of RAND_bytes without its locks and rekeying.
	add_source<lab::openssl_ctr>(all, "openssl-ctr");
#endif
}

void add_xoshiro_called(measurements &all)
{
	auto next32 = [] { return static_cast<std::uint32_t>(xoshiro_call() >> 32); };
	all.add_generator("xoshiro-call", next32,
			  [](unsigned char *buf, std::size_t n) { xoshiro_fill(xoshiro_call, buf, n); });
	all.add_numbers(std::string("xoshiro-call") + work_below,
			[next32, n = bound()] { return lab::below_by_multiplication(next32, n); });
}

// Inlined, and the state goes back to memory after each number, as in a program that does something in between.
void add_xoshiro_in_memory(measurements &all)
{
	auto next = [] {
		const std::uint64_t value = xoshiro_state.next();
		use_memory(&xoshiro_state);
		return value;
	};
	auto next32 = [next] { return static_cast<std::uint32_t>(next() >> 32); };
	all.add_generator("xoshiro-memory", next32,
			  [next](unsigned char *buf, std::size_t n) { xoshiro_fill(next, buf, n); });
	all.add_numbers(std::string("xoshiro-memory") + work_below,
			[next32, n = bound()] { return lab::below_by_multiplication(next32, n); });
}

// Inlined into a loop that does nothing else: the state stays in registers.
void add_xoshiro_in_registers(measurements &all)
{
	all.add_numbers(std::string("xoshiro-registers") + work_u32,
			[state = xoshiro_state]() mutable { return state.next32(); });
	all.add_numbers(std::string("xoshiro-registers") + work_below, [state = xoshiro_state, n = bound()]() mutable {
		return lab::below_by_multiplication([&state] { return state.next32(); }, n);
	});
	auto fill = [](unsigned char *buf, std::size_t n) {
		xoshiro256pp state = xoshiro_state;
		for (std::size_t i = 0; i < n; i += sizeof(std::uint64_t)) {
			const std::uint64_t word = state.next();
			std::memcpy(buf + i, &word, sizeof(word));
		}
		xoshiro_state = state;
	};
	all.add_bytes(std::string("xoshiro-registers") + work_256b, request_buffer, small_request, fill);
	all.add_bytes(std::string("xoshiro-registers") + work_64k, request_buffer, large_request, fill);
}

} // namespace

void add_generators(measurements &all)
{
	benchmark::AddCustomContext("bound", std::to_string(bound()));
	add_cprng(all);
	add_kernel(all);
	add_libraries(all);
	add_xoshiro_called(all);
	add_xoshiro_in_memory(all);
	add_xoshiro_in_registers(all);
}
