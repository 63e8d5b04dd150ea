// SPDX-License-Identifier: BSD-2-Clause
// Generators that are compiled from sources that the caller provides (peers.cmake).
#include <algorithm>
#include <cstdlib>
#include <memory>

#include <unistd.h>

#include "cpu/cpu.h"
#include "source.hpp"

#ifdef LAB_AEGIS
#include <aegis.h>
#include <aegis128x4.h>
#include <aegis256x4.h>
#endif
#ifdef LAB_SHISHUA
#include "shishua_avx2.h"
#endif

namespace lab {

namespace {

constexpr const char *aegis_is = "the keystream of libaegis, with a nonce for each request: one key, erases nothing";

#ifdef LAB_AEGIS
template <std::size_t KeySize, std::size_t NonceSize,
	  void (*Stream)(std::uint8_t *, std::size_t, const std::uint8_t *, const std::uint8_t *)>
class aegis : public source_of_bytes<aegis<KeySize, NonceSize, Stream>> {
public:
	aegis()
	{
		check(aegis_init() == 0, "aegis_init");
		check(getentropy(key_, sizeof(key_)) == 0, "getentropy");
	}

	void fill(unsigned char *out, std::size_t len)
	{
		std::memcpy(nonce_, &requests_, sizeof(requests_));
		requests_++;
		Stream(out, len, nonce_, key_);
	}

private:
	std::uint8_t key_[KeySize], nonce_[NonceSize] = {};
	std::uint64_t requests_ = 0;
};
#endif

#ifdef LAB_SHISHUA
// Whole blocks are written directly to the buffer; the rest comes from a pool.
class shishua : public source_of_bytes<shishua> {
public:
	shishua() : state_(make(), std::free)
	{
	}

	void fill(unsigned char *out, std::size_t len)
	{
		const std::size_t whole = len / part * part;
		if (whole != 0)
			lab_shishua_fill(state_.get(), out, whole);
		out += whole;
		len -= whole;
		if (len > left_) {
			lab_shishua_fill(state_.get(), pool_, sizeof(pool_));
			left_ = sizeof(pool_);
		}
		std::memcpy(out, pool_ + sizeof(pool_) - left_, len);
		left_ -= len;
	}

private:
	static constexpr std::size_t part = 128;

	static void *make()
	{
		std::uint64_t seed[4];
		check(getentropy(seed, sizeof(seed)) == 0, "getentropy");
		void *const state = lab_shishua_new(seed);
		check(state != nullptr, "memory");
		return state;
	}

	std::unique_ptr<void, void (*)(void *)> state_;
	alignas(64) unsigned char pool_[8 * part];
	std::size_t left_ = 0;
};
#endif

} // namespace

void add_peers(contender_list &all)
{
#ifdef LAB_AEGIS
	add_contender<aegis<aegis128x4_KEYBYTES, aegis128x4_NPUBBYTES, aegis128x4_stream>>(all, "aegis128x4", aegis_is,
											   true, LAB_AEGIS);
	add_contender<aegis<aegis256x4_KEYBYTES, aegis256x4_NPUBBYTES, aegis256x4_stream>>(all, "aegis256x4", aegis_is,
											   true, LAB_AEGIS);
#else
	for (const char *name : { "aegis128x4", "aegis256x4" })
		add_absent(all, name, aegis_is, true, "CPRNG_LAB_LIBAEGIS named no sources when the lab was built");
#endif
	constexpr const char *name = "shishua", *description = "four lanes of AVX2, not cryptographic";
#ifdef LAB_SHISHUA
	if ((cprng_cpu_features() & CPRNG_CPU_AVX2) != 0)
		add_contender<shishua>(all, name, description, false);
	else
		add_absent(all, name, description, false, "the CPU has no AVX2");
#else
	add_absent(all, name, description, false, "CPRNG_LAB_SHISHUA named no sources when the lab was built");
#endif
}

} // namespace lab
