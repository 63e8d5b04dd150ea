// SPDX-License-Identifier: BSD-2-Clause
// Memory shared by a subject and its examiner: the locations of secrets, and the secrets themselves.
#ifndef CPRNG_TESTS_CHANNEL_HPP
#define CPRNG_TESTS_CHANNEL_HPP

#include <cstddef>
#include <cstdint>

namespace channel {

enum class Kind : std::uint32_t {
	served,     // bytes served to a caller, which has erased them
	key,        // a key given to a cipher
	round_keys, // AES's expanded keys
	entropy,    // bytes from the kernel for a key
	pooled,     // bytes from the kernel while Fortuna gathers: its pools may hold them
	start,      // the keystream position of the preceding key, as in the cipher's state; not secret
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
	Pages secret;                        // the library's buffers and pools
	Pages vdso_states;                   // states of the vDSO's function
	std::uint64_t buffers, buffer_count; // within the secret pages
	std::uint64_t fortuna_key;           // within the secret pages, 32 bytes
	std::uint64_t full;                  // the log overflowed: the test is broken
	std::uint64_t used;                  // bytes of the log
	unsigned char log[8 << 20];
};

// Secrets that the subject keeps on purpose; none for most subjects.
enum class Kept { nowhere, stack, heap, data, thread_local_data, thread_stack };

} // namespace channel

#endif
