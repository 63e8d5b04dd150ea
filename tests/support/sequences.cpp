// SPDX-License-Identifier: BSD-2-Clause
#include "sequences.hpp"

#include <cstdint>
#include <cstring>

#include <ucontext.h>

bool sequences::was_cut(const void *context)
{
#if defined(__x86_64__) && defined(__LP64__)
	static const unsigned char signature[] = { 0x0f, 0xb9, 0x3d, 0x53, 0x30, 0x05, 0x53 };
	const ucontext_t *c = static_cast<const ucontext_t *>(context);
	const char *pc = reinterpret_cast<const char *>(c->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
	static const unsigned char signature[] = { 0x00, 0xbc, 0x28, 0xd4 };
	const ucontext_t *c = static_cast<const ucontext_t *>(context);
	const char *pc = reinterpret_cast<const char *>(c->uc_mcontext.pc);
#else
	static const unsigned char signature[] = { 0 };
	const char *pc = nullptr;
	(void)context;
#endif
	// Do not read across a page's start, since the previous page may be unmapped.
	return (reinterpret_cast<std::uintptr_t>(pc) & 4095) >= sizeof(signature) &&
	       std::memcmp(pc - sizeof(signature), signature, sizeof(signature)) == 0;
}
