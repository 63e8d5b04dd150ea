// SPDX-License-Identifier: BSD-2-Clause
// The ciphers' loops alone, without a generator around them: the library's own, and those of others.
#include <memory>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include <cprng/cprng.h>

#include "../common/bare_loop.hpp"
#include "../contenders/openssl.hpp"
#include "../contenders/sodium.hpp"
#include "measure.hpp"

namespace {

constexpr std::size_t huge_request = std::size_t{ 256 } << 20;

using lab::bare_loop;

// The engine that serves the draws: what is lost between its loop and the user.
void add_serving(measurements &all, const char *engine)
{
	const bare_loop loop(engine);
	all.add_bytes(std::string("bare") + work_256b, request_buffer, small_request, loop);
	all.add_bytes(std::string("bare") + work_64k, request_buffer, large_request, loop);
}

// Past the caches; where that much memory is free.
void add_huge(measurements &all, const char *engine)
{
	const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
	if (static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) < 4 * huge_request / page)
		return;
	void *pages = mmap(nullptr, huge_request, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return;
	auto *buf = static_cast<unsigned char *>(pages);
	all.add_bytes(std::string("cprng") + work_256m, buf, huge_request,
		      [](void *to, std::size_t n) { cprng_fast(to, n); });
	all.add_bytes(std::string("bare") + work_256m, buf, huge_request,
		      [loop = bare_loop(engine)](unsigned char *to, std::size_t n) mutable {
			      loop(to, n, CPRNG_STREAMING);
		      });
}

#ifdef LAB_OPENSSL
void add_openssl_chacha20(measurements &all)
{
	const auto cipher = std::make_shared<lab::openssl_chacha20>();
	all.add_bytes(std::string("openssl-chacha20") + work_64k, request_buffer, large_request,
		      [cipher](unsigned char *buf, std::size_t n) { cipher->fill(buf, n); });
}
#endif

#ifdef LAB_SODIUM
void add_sodium_salsa20(measurements &all)
{
	static unsigned char key[crypto_stream_salsa20_KEYBYTES], nonce[crypto_stream_salsa20_NONCEBYTES];
	check(sodium_init() >= 0, "sodium_init");
	cprng_fast(key, sizeof(key));
	all.add_bytes(std::string("libsodium-salsa20") + work_64k, request_buffer, large_request,
		      [](unsigned char *buf, std::size_t n) {
			      check(crypto_stream_salsa20(buf, n, nonce, key) == 0, "libsodium's Salsa20");
		      });
}
#endif

} // namespace

void add_bare_loops(measurements &all)
{
	cprng_info info;
	cprng_get_info(&info, sizeof(info));
	add_serving(all, info.engine);
	add_huge(all, info.engine);
	all.add_bytes(std::string("bare-chacha20") + work_64k, request_buffer, large_request, bare_loop("chacha20"));
	all.add_bytes(std::string("bare-salsa20") + work_64k, request_buffer, large_request, bare_loop("salsa20"));
#ifdef LAB_OPENSSL
	add_openssl_chacha20(all);
#endif
#ifdef LAB_SODIUM
	add_sodium_salsa20(all);
#endif
}
