// SPDX-License-Identifier: BSD-2-Clause
// A signal right after a function's return, on an alternate stack, to which the kernel writes all registers.
#ifndef CPRNG_TESTS_TRAP_HPP
#define CPRNG_TESTS_TRAP_HPP

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>
#include <ucontext.h>

#if defined(__x86_64__) && defined(__LP64__)
#define CPRNG_TESTS_HAVE_TRAP 1
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define CPRNG_TESTS_HAVE_TRAP 1
#else
#define CPRNG_TESTS_HAVE_TRAP 0
#endif

class Trap {
public:
	static constexpr std::size_t size = 1 << 17;

	Trap()
	    : bytes(static_cast<unsigned char *>(
		      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)))
	{
		stack_t stack = {};
		struct sigaction action = {};

		stack.ss_sp = bytes;
		stack.ss_size = size;
		action.sa_sigaction = go_on;
		action.sa_flags = SA_ONSTACK | SA_SIGINFO;
		if (bytes == MAP_FAILED || sigaltstack(&stack, &stack_before) != 0 ||
		    sigaction(SIGTRAP, &action, &action_before) != 0)
			std::abort();
	}

	~Trap()
	{
		sigaction(SIGTRAP, &action_before, nullptr);
		sigaltstack(&stack_before, nullptr);
		munmap(bytes, size);
	}

	Trap(const Trap &) = delete;
	Trap &operator=(const Trap &) = delete;

	// Whether the vector registers contained data, if their location is known.
	static bool vectors_used()
	{
		return used;
	}

	// The `size` bytes that the signal left.  The caller's registers contain nothing that tests search for.
	const unsigned char *after(void (*function)())
	{
		std::memset(bytes, 0, size);
		used = false;
		call(function);
		return bytes;
	}

private:
	static void go_on(int, siginfo_t *, void *context)
	{
#if defined(__aarch64__)
		// The thread's next instruction.
		static_cast<ucontext_t *>(context)->uc_mcontext.pc += 4;
#else
		(void)context;
#if defined(__x86_64__) && defined(__LP64__)
		const auto *registers = static_cast<ucontext_t *>(context)->uc_mcontext.fpregs->_xmm;
		for (std::size_t i = 0; i < 16; i++) {
			for (const std::uint32_t element : registers[i].element)
				used |= element != 0;
		}
#endif
#endif
	}

	__attribute__((noinline)) static void call(void (*function)())
	{
#if defined(__x86_64__) && defined(__LP64__)
		// Switches to below the red zone, and clears call-preserved registers of the caller's values.
		__asm__ volatile("movq %%rsp, %%r12\n\t"
				 "subq $256, %%rsp\n\t"
				 "andq $-64, %%rsp\n\t"
				 "movq %%rbp, 8(%%rsp)\n\t"
				 "xorl %%ebp, %%ebp\n\t"
				 "xorl %%r13d, %%r13d\n\t"
				 "xorl %%r14d, %%r14d\n\t"
				 "xorl %%r15d, %%r15d\n\t"
				 "call *%%rbx\n\t"
				 "int3\n\t"
				 "movq 8(%%rsp), %%rbp\n\t"
				 "movq %%r12, %%rsp"
				 : "+b"(function)
				 :
				 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
				   "r15", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
				   "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#elif CPRNG_TESTS_HAVE_TRAP
		register void (*address)() __asm__("x20") = function;
		__asm__ volatile("mov x19, xzr\n\t"
				 "mov x21, xzr\n\t"
				 "mov x22, xzr\n\t"
				 "mov x23, xzr\n\t"
				 "mov x24, xzr\n\t"
				 "mov x25, xzr\n\t"
				 "mov x26, xzr\n\t"
				 "mov x27, xzr\n\t"
				 "mov x28, xzr\n\t"
				 "blr x20\n\t"
				 "brk #0"
				 :
				 : "r"(address)
				 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
				   "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x21", "x22", "x23", "x24", "x25",
				   "x26", "x27", "x28", "x30", "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6",
				   "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18",
				   "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
				   "v31");
#else
		function();
		std::raise(SIGTRAP);
#endif
	}

	static inline bool used;
	unsigned char *bytes;
	stack_t stack_before = {};
	struct sigaction action_before = {};
};

#endif
