// SPDX-License-Identifier: BSD-2-Clause
// What a subject tells its examiner, in memory that both map: where its secrets are kept, and what they were.
#ifndef CPRNG_TESTS_CHANNEL_HPP
#define CPRNG_TESTS_CHANNEL_HPP

#include <cstddef>
#include <cstdint>

namespace channel {

enum class Kind : std::uint32_t {
	served,     // to a caller, which has erased it since
	key,        // given to a cipher
	round_keys, // of AES, as the cipher has expanded them
	entropy,    // of the kernel, for a key
	pooled,     // of the kernel, while Fortuna gathers: its pools may hold it
};

struct Record {
	Kind kind;
	std::uint32_t len; // of the bytes that follow, a multiple of 8 of them
};

struct Pages {
	std::uint64_t begin, end;
};

struct Shared {
	char doing[48]; // what the subject has done last
	char placement[16], engine[16], backend[16];
	Pages secret;                        // of the library: buffers, pools
	Pages vdso_states;                   // of the kernel's function
	std::uint64_t buffers, buffer_count; // within the secret pages
	std::uint64_t fortuna_key;           // the same, 32 bytes
	std::uint64_t full;                  // the log had no room: a broken test
	std::uint64_t used;                  // of the log
	unsigned char log[8 << 20];
};

// What the subject must keep, for the examiner to find: nowhere for most subjects.
enum class Kept { nowhere, stack, heap, data, thread_local_data, thread_stack };

} // namespace channel

#endif
