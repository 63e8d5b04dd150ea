// SPDX-License-Identifier: BSD-2-Clause
#include "ct.hpp"

#include <algorithm>
#include <cstring>

#ifdef LAB_VALGRIND
#include <valgrind/memcheck.h>
#endif

#include "../../../lab/common/error.hpp"

#ifdef LAB_VALGRIND

// The test program `run` searches valgrind's reports for these names.
extern "C" {

__attribute__((noinline)) void ct_key(lab::ct::subject *of, const unsigned char *key, std::size_t size)
{
	of->set_key(key, size);
	asm volatile(""); // not a tail call
}

__attribute__((noinline)) void ct_keystream(lab::ct::subject *of, unsigned char *out, std::size_t units, bool streaming)
{
	of->keystream(out, units, streaming);
	asm volatile("");
}
}

namespace lab::ct {

namespace {

// Block counts: every batch of the backends (at most 32 blocks, or 64 for AES), batches with tails, and the last tails alone.
constexpr std::size_t lengths[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 70, 131 };
constexpr std::size_t length_max = 131, unit_max = 64, offsets = 2;

// All lengths at varying alignments; then non-temporal stores of whole lines.
void run_keystream(subject &of)
{
	alignas(64) static unsigned char out[length_max * unit_max + offsets];
	bool marked = true;
	for (const bool streaming : { false, true }) {
		for (const std::size_t units : lengths) {
			unsigned char *const to = out + (streaming ? 0 : units % offsets);
			const std::size_t size = units * of.unit();
			ct_keystream(&of, to, units, streaming);
			unsigned char bits[unit_max * length_max];
			if (size != 0 && VALGRIND_GET_VBITS(to, bits, size) == 1)
				marked = marked &&
					 std::all_of(bits, bits + size, [](unsigned char b) { return b != 0; });
			VALGRIND_MAKE_MEM_DEFINED(to, size);
		}
	}
	if (!marked)
		throw failure("the output is not marked: the marks were lost, so leaks would not be detected");
}

} // namespace

void examine_memory(subject &of)
{
	if (RUNNING_ON_VALGRIND == 0)
		throw failure("this must run under valgrind");
	for (const std::size_t size : of.key_sizes()) {
		unsigned char key[key_size_max];
		for (std::size_t i = 0; i < size; i++)
			key[i] = static_cast<unsigned char>(7 * i + 1);
		VALGRIND_MAKE_MEM_UNDEFINED(key, size);
		ct_key(&of, key, size);
		of.secrets([](void *data, std::size_t n) { VALGRIND_MAKE_MEM_UNDEFINED(data, n); });
		for (std::size_t n = 0; n < subject::positions; n++) {
			of.set_position(n);
			run_keystream(of);
		}
	}
}

} // namespace lab::ct

#else

void lab::ct::examine_memory(subject &)
{
	throw failure("built without valgrind's header (Debian: valgrind)");
}

#endif
