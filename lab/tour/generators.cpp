// SPDX-License-Identifier: BSD-2-Clause
// The library beside what else gives random numbers on this machine.  What is not installed is left out.
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/syscall.h>
#include <unistd.h>

#ifdef TOUR_OPENSSL
#include <openssl/evp.h>
#include <openssl/rand.h>
#endif
#ifdef TOUR_SODIUM
#include <sodium.h>
#endif

#include <cprng/cprng.h>

#include "measure.hpp"
#include "vdso.hpp"
#include "xoshiro.hpp"

namespace {

// One bound for all, which the compiler does not know: with a constant it would spare some of them a division.
std::uint32_t bound()
{
	std::uint32_t n = 1000000;
	asm("" : "+r"(n));
	return n;
}

// For generators that only know bytes.
template <typename Fill> auto number_from(Fill fill)
{
	return [fill]() mutable {
		std::uint32_t value;
		fill(reinterpret_cast<unsigned char *>(&value), sizeof(value));
		return value;
	};
}

void add_cprng(measurements &all)
{
	all.add_generator("cprng", [] { return cprng_fast32(); }, [](void *buf, std::size_t n) { cprng_fast(buf, n); });
	all.add_numbers(std::string("cprng") + work_below, [n = bound()] { return cprng_uniform32(n); });
}

// syscall(2): newer C libraries answer getrandom(3) through the vDSO.
void add_getrandom(measurements &all)
{
	auto fill = [](void *buf, std::size_t n) {
		check(syscall(SYS_getrandom, buf, n, 0) == static_cast<long>(n), "getrandom");
	};
	all.add_generator("getrandom", number_from(fill), fill);
}

void add_vdso(measurements &all)
{
	const vdso_getrandom getrandom;
	if (!getrandom.here())
		return;
	auto fill = [getrandom](void *buf, std::size_t n) {
		check(getrandom(buf, n) == static_cast<long>(n), "getrandom of the vDSO");
	};
	all.add_generator("vdso", number_from(fill), fill);
}

#ifdef TOUR_ARC4RANDOM
void add_arc4random(measurements &all)
{
	all.add_generator(
		"arc4random", [] { return arc4random(); }, [](void *buf, std::size_t n) { arc4random_buf(buf, n); });
	all.add_numbers(std::string("arc4random") + work_below, [n = bound()] { return arc4random_uniform(n); });
}
#endif

#ifdef TOUR_SODIUM
void add_sodium(measurements &all)
{
	check(sodium_init() >= 0, "sodium_init");
	benchmark::AddCustomContext("libsodium", sodium_version_string());
	all.add_generator(
		"libsodium", [] { return randombytes_random(); },
		[](void *buf, std::size_t n) { randombytes_buf(buf, n); });
	all.add_numbers(std::string("libsodium") + work_below, [n = bound()] { return randombytes_uniform(n); });
}
#endif

#ifdef TOUR_OPENSSL
void add_openssl(measurements &all)
{
	benchmark::AddCustomContext("openssl", OpenSSL_version(OPENSSL_VERSION));
	auto fill = [](unsigned char *buf, std::size_t n) {
		check(RAND_bytes(buf, static_cast<int>(n)) == 1, "RAND_bytes");
	};
	all.add_generator("openssl-rand", number_from(fill), fill);
}

// The cipher alone, under one key for ever: what is left of RAND_bytes without its locks and rekeying.
void add_openssl_ctr(measurements &all)
{
	static const unsigned char zeros[large_request] = {};
	unsigned char key[32], counter[16] = {};
	cprng_fast(key, sizeof(key));
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new(); // to the end of the program
	check(context != nullptr && EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, key, counter) == 1,
	      "OpenSSL's AES-256-CTR");
	auto fill = [context](unsigned char *buf, std::size_t n) {
		int written;
		check(EVP_EncryptUpdate(context, buf, &written, zeros, static_cast<int>(n)) == 1,
		      "OpenSSL's AES-256-CTR");
	};
	all.add_generator("openssl-ctr", number_from(fill), fill);
}
#endif

template <typename Next> std::uint32_t xoshiro_below(Next next, std::uint32_t n)
{
	std::uint64_t m = static_cast<std::uint64_t>(next()) * n;
	if (__builtin_expect(static_cast<std::uint32_t>(m) < n, 0)) {
		const std::uint32_t refused = -n % n;
		while (static_cast<std::uint32_t>(m) < refused)
			m = static_cast<std::uint64_t>(next()) * n;
	}
	return static_cast<std::uint32_t>(m >> 32);
}

void add_xoshiro_called(measurements &all)
{
	auto next32 = [] { return static_cast<std::uint32_t>(xoshiro_call() >> 32); };
	all.add_generator("xoshiro-call", next32,
			  [](unsigned char *buf, std::size_t n) { xoshiro_fill(xoshiro_call, buf, n); });
	all.add_numbers(std::string("xoshiro-call") + work_below,
			[next32, n = bound()] { return xoshiro_below(next32, n); });
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
			[next32, n = bound()] { return xoshiro_below(next32, n); });
}

// Inlined into a loop that does nothing else: the state stays in registers.
void add_xoshiro_in_registers(measurements &all)
{
	all.add_numbers(std::string("xoshiro-registers") + work_u32,
			[state = xoshiro_state]() mutable { return state.next32(); });
	all.add_numbers(std::string("xoshiro-registers") + work_below, [state = xoshiro_state, n = bound()]() mutable {
		return xoshiro_below([&state] { return state.next32(); }, n);
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
	add_getrandom(all);
	add_vdso(all);
#ifdef TOUR_ARC4RANDOM
	add_arc4random(all);
#endif
#ifdef TOUR_SODIUM
	add_sodium(all);
#endif
#ifdef TOUR_OPENSSL
	add_openssl(all);
	add_openssl_ctr(all);
#endif
	add_xoshiro_called(all);
	add_xoshiro_in_memory(all);
	add_xoshiro_in_registers(all);
}
