// SPDX-License-Identifier: BSD-2-Clause
// Calls on a separate stack, which is then searched for the secrets involved.
#ifndef CPRNG_TESTS_OWN_STACK_HPP
#define CPRNG_TESTS_OWN_STACK_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <unordered_set>
#include <vector>

#include <sys/mman.h>
#include <ucontext.h>

class OwnStack {
public:
	OwnStack()
	    : bytes(static_cast<unsigned char *>(
		      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)))
	{
		if (bytes == MAP_FAILED)
			std::abort();
		// Binds the functions that a set calls in the C++ library.  Binding them later, in a first call from a hook on
		// this stack, would save the library's registers on the stack.
		secrets.insert(0);
		secrets.clear();
	}

	~OwnStack()
	{
		munmap(bytes, size);
	}

	OwnStack(const OwnStack &) = delete;
	OwnStack &operator=(const OwnStack &) = delete;

	// Forgets all secrets, clears this stack, and runs f on it.
	void call(void (*f)())
	{
		secrets.clear();
		call_over(0, f);
	}

	// The bytes of stack that f writes below its caller.
	std::size_t used(void (*f)())
	{
		return deepest(f) - deepest([] {});
	}

	// Learns windows of 8 bytes at each eighth byte of a secret, so that a remaining part is found at any offset.
	void learn(const void *secret, std::size_t len)
	{
		for (std::size_t at = 0; at + 8 <= len; at += 8)
			secrets.insert(window(static_cast<const unsigned char *>(secret) + at));
	}

	void forget()
	{
		secrets.clear();
	}

	bool knows_any() const
	{
		return !secrets.empty();
	}

	// Counts pieces of this many windows that remain on the stack, or in a copy of it.
	std::size_t left(std::size_t windows = 1, const unsigned char *copy = nullptr) const
	{
		const unsigned char *const from = copy != nullptr ? copy : bytes;
		std::size_t found = 0;

		for (std::size_t at = 0; at + 8 * windows <= size; at++) {
			std::size_t in_a_row = 0;
			while (in_a_row < windows && secrets.count(window(from + at + 8 * in_a_row)) != 0)
				in_a_row++;
			found += in_a_row == windows;
		}
		return found;
	}

	// Whether any place on the stack, after each of 16 calls, holds bytes that f wrote elsewhere, however few.  f writes
	// different bytes in each call.  False alarms: 2^18 * 256^-16.
	bool always_holds(void (*f)(), const void *written, std::size_t len)
	{
		std::vector<std::size_t> places(size - len);

		std::iota(places.begin(), places.end(), 0);
		for (int i = 0; i < 16 && !places.empty(); i++) {
			call_over(0, f);
			places.erase(std::remove_if(places.begin(), places.end(),
						    [&](std::size_t at) {
							    return std::memcmp(bytes + at, written, len) != 0;
						    }),
				     places.end());
		}
		return !places.empty();
	}

	static constexpr std::size_t size = 1 << 18;

	// Copies the stack.  A function that runs on this stack searches the copy, because its own calls overwrite older frames.
	__attribute__((always_inline)) void copy(unsigned char *to) const
	{
		std::memcpy(to, bytes, size);
	}

private:
	void call_over(int byte, void (*f)())
	{
		ucontext_t inside;

		std::memset(bytes, byte, size);
		getcontext(&inside);
		inside.uc_stack.ss_sp = bytes;
		inside.uc_stack.ss_size = size;
		inside.uc_link = &outside;
		makecontext(&inside, f, 0);
		swapcontext(&outside, &inside);
	}

	std::size_t deepest(void (*f)())
	{
		constexpr unsigned char untouched = 0xa5;
		std::size_t at = 0;

		call_over(untouched, f);
		while (at < size && bytes[at] == untouched)
			at++;
		return size - at;
	}

	static std::uint64_t window(const unsigned char *p)
	{
		std::uint64_t w;

		std::memcpy(&w, p, sizeof(w));
		return w;
	}

	unsigned char *bytes;
	ucontext_t outside;
	std::unordered_set<std::uint64_t> secrets;
};

#endif
