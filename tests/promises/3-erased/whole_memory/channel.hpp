// SPDX-License-Identifier: BSD-2-Clause
// Memory shared by a subject and its examiner: the places where secrets are kept, and the secrets themselves.
#ifndef CPRNG_TESTS_CHANNEL_HPP
#define CPRNG_TESTS_CHANNEL_HPP

#include <cstddef>
#include <cstdint>

namespace channel {

enum class Kind : std::uint32_t {
	served,     // to a caller, which has erased it
	key,        // given to a cipher
	round_keys, // AES's expanded keys
	entropy,    // from the kernel, for a key
	pooled,     // from the kernel, while Fortuna gathers: its pools may hold it
	start,      // where the keystream of the key before it begins, as the cipher's state has it; no secret
};

struct Record {
	Kind kind;
	std::uint32_t len; // of the following bytes; a multiple of 8
};

struct Pages {
	std::uint64_t begin, end;
};

struct Shared {
	char doing[48]; // the subject's last operation
	char placement[16], engine[16], backend[16];
	Pages secret;                        // the library's: buffers, pools
	Pages vdso_states;                   // for the kernel's function
	std::uint64_t buffers, buffer_count; // within the secret pages
	std::uint64_t fortuna_key;           // also there, 32 bytes
	std::uint64_t full;                  // the log overflowed: a broken test
	std::uint64_t used;                  // bytes of the log
	unsigned char log[8 << 20];
};

// Secrets that the subject must keep on purpose; none for most subjects.
enum class Kept { nowhere, stack, heap, data, thread_local_data, thread_stack };

} // namespace channel

#endif
