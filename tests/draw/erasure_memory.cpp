// SPDX-License-Identifier: BSD-2-Clause
// The whole memory of the process, read through /proc/self/mem: what was served is in the caller's hands and nowhere
// else, and keys that are used up are gone from stack, heap and registers that were spilled.
//
// In a process of its own, for a small memory.  The test itself keeps what it looks for XORed with a mask.
#include "../support/run.hpp"
#include "scenario.hpp"
#include "internals.hpp"
#include "machine.hpp"

#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

// Two 8-byte pieces of a secret, 16 bytes apart, so that one is found wherever a half of it was copied to.
struct Wanted {
	std::uint64_t masked[2];
};

constexpr std::uint64_t mask = UINT64_C(0x5bd1e995a3c59ac3);

__attribute__((noinline)) Wanted note(const volatile unsigned char *secret)
{
	Wanted w;

	for (int piece = 0; piece < 2; piece++) {
		std::uint64_t v = 0;
		// Byte by byte, masked at once: no register holds a whole piece.
		for (int i = 7; i >= 0; i--)
			v = v << 8 | (secret[16 * piece + i] ^ (mask >> 8 * i & 0xff));
		w.masked[piece] = v;
	}
	return w;
}

std::uint64_t little_endian(const unsigned char *p)
{
	std::uint64_t v;

	std::memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

int memory_file = -1;
unsigned char *chunk; // a page before it, for the last bytes of the chunk before
constexpr std::size_t chunk_size = 1 << 18;

// How often either piece is in writable memory.
std::size_t occurrences(const Wanted &w)
{
	std::size_t found = 0;
	char line[512];
	FILE *maps = std::fopen("/proc/self/maps", "r");

	REQUIRE_IN_CHILD(maps != nullptr);
	while (std::fgets(line, sizeof(line), maps) != nullptr) {
		unsigned long begin, end;
		char permissions[8];
		if (std::sscanf(line, "%lx-%lx %7s", &begin, &end, permissions) != 3 || permissions[1] != 'w')
			continue;
		// Not the chunk itself, which holds what was read last.
		const unsigned long own = reinterpret_cast<unsigned long>(chunk) - 4096;
		if (begin <= own && own < end)
			continue;
		for (unsigned long at = begin; at < end;) {
			const std::size_t len = end - at < chunk_size ? end - at : chunk_size;
			const ssize_t n = pread(memory_file, chunk, len, static_cast<off_t>(at));
			if (n <= 0)
				break;
			const unsigned char *from = at == begin ? chunk : chunk - 7;
			for (const unsigned char *p = from; p + 8 <= chunk + n; p++) {
				std::uint64_t v = little_endian(p) ^ mask;
				// Or the compiler would compare with the secret itself.
				__asm__("" : "+r"(v));
				found += v == w.masked[0] || v == w.masked[1];
			}
			std::memcpy(chunk - 7, chunk + n - 7, 7);
			at += static_cast<unsigned long>(n);
		}
	}
	std::fclose(maps);
	std::memset(chunk - 4096, 0, 4096 + chunk_size);
	return found;
}

void prepare()
{
	memory_file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	REQUIRE_IN_CHILD(memory_file >= 0);
	// Pages on either side keep it a mapping of its own.
	unsigned char *p = static_cast<unsigned char *>(
		mmap(nullptr, chunk_size + 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	REQUIRE_IN_CHILD(p != MAP_FAILED);
	REQUIRE_IN_CHILD(mprotect(p + 4096, chunk_size + 4096, PROT_READ | PROT_WRITE) == 0);
	chunk = p + 2 * 4096;
	machine::pin(0, machine::cpus().front());
	(void)cprng_fast8();

	// The search finds what is there.
	volatile unsigned char there[32];
	for (int i = 0; i < 32; i++)
		there[i] = static_cast<unsigned char>(i * 7 + 1);
	const Wanted w = note(there);
	REQUIRE_IN_CHILD(occurrences(w) >= 2);
}

void wipe(unsigned char *p, std::size_t len)
{
	volatile unsigned char *q = p;

	while (len-- != 0)
		*q++ = 0;
}

const cprng_buffer *own_buffer()
{
	struct cprng_process *p = cprng_process();

	return &p->buffers[p->placement->index(p)];
}

// Calls f far down on the stack, where what it leaves behind is not overwritten by what the test calls next.
template <typename Draw> __attribute__((noinline)) void far_down(Draw f, unsigned char *p, std::size_t len)
{
	volatile unsigned char between[32768];

	between[0] = 0;
	f(p, len);
	between[sizeof(between) - 1] = 0;
}

// A draw of len bytes by f; looks for the 32 bytes at `at` of its output, as long as the caller has it and after.
template <typename Draw> void check_served(const char *what, std::size_t len, std::size_t at, Draw f)
{
	static unsigned char *const memory = static_cast<unsigned char *>(
		mmap(nullptr, 1 << 22, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));

	far_down(f, memory, len);
	const Wanted w = note(memory + at);
	const std::size_t held = occurrences(w);
	wipe(memory, len);
	const std::size_t left_behind = occurrences(w);
	if (held != 2 || left_behind != 0) {
		dprintf(STDERR_FILENO, "%s: both pieces held %zu times by the caller, left behind %zu times\n", what,
			held, left_behind);
		_exit(1);
	}
}

const scenario::Scenario served("memory: served", [] {
	const auto fast = [](unsigned char *p, std::size_t n) { cprng_fast(p, n); };
	const auto by_refill = [](unsigned char *p, std::size_t n) { cprng_draw_by_refill(cprng_process(), p, n); };
	const auto in_pieces = [](unsigned char *p, std::size_t n) {
		for (std::size_t i = 0; i < n; i += 8)
			cprng_fast(p + i, 8);
	};
	const auto by_words = [](unsigned char *p, std::size_t n) {
		for (std::size_t i = 0; i < n; i += 8) {
			std::uint64_t v = cprng_fast64();
			std::memcpy(p + i, &v, sizeof(v));
		}
	};
	prepare();
	for (int i = 0; i < run::volume(1, 3); i++) {
		check_served("32 bytes", 32, 0, fast);
		check_served("32 bytes by refill", 32, 0, by_refill);
		check_served("8 bytes, three times", 24, 0, in_pieces);
		check_served("64 bits, three times", 24, 0, by_words);
		check_served("512 bytes, start", 512, 0, fast);
		check_served("512 bytes, end", 512, 480, fast);
		check_served("512 bytes by refill", 512, 100, by_refill);
		check_served("1000 bytes, end", 1000, 968, fast);
		check_served("64 KiB, start", 65536, 0, fast);
		check_served("64 KiB, end", 65536, 65504, fast);
		check_served("64 KiB less 5, end", 65531, 65499, fast);
		check_served("2 MiB, start", 1 << 21, 0, fast);
		check_served("2 MiB, end", 1 << 21, (1 << 21) - 32, fast);
	}
});

void fast_into(unsigned char *p, std::size_t len)
{
	cprng_fast(p, len);
}

void refill_into(unsigned char *p, std::size_t len)
{
	cprng_draw_by_refill(cprng_process(), p, len);
}

void require_gone(const char *what, const Wanted &w)
{
	const std::size_t n = occurrences(w);

	if (n != 0) {
		dprintf(STDERR_FILENO, "%s is left in %zu places\n", what, n);
		_exit(1);
	}
}

// The one-time key is what stands on top of the buffer before the request; the key of a refill can be read there, too.
const scenario::Scenario keys("memory: keys", [] {
	static unsigned char bytes[65536];
	prepare();
	for (std::size_t len : { 513, 1024, 4096, 65536, 65000, 1000 }) {
		for (;;) {
			while (own_buffer()->left < 64)
				cprng_draw_by_refill(cprng_process(), bytes, 16);
			const std::uint32_t left = own_buffer()->left;
			const Wanted w = note(own_buffer()->out + left - 32);
			REQUIRE_IN_CHILD(occurrences(w) == 2);
			far_down(fast_into, bytes, len);
			if (own_buffer()->left + 32 != left)
				continue; // the request took another key, after all
			require_gone("a one-time key", w);
			break;
		}
	}
	for (int i = 0; i < 8; i++) {
		cprng_draw_by_refill(cprng_process(), bytes, 16);
		REQUIRE_IN_CHILD(own_buffer()->key_tag != 0);
		const Wanted w = note(own_buffer()->key);
		REQUIRE_IN_CHILD(occurrences(w) == 2);
		far_down(refill_into, bytes, i % 2 != 0 ? 512 : 8);
		require_gone("the key of a refill", w);
	}
});

const scenario::Scenario invalidated("memory: invalidated", [] {
	prepare();
	unsigned char bytes[16];
	for (int i = 0; i < 4; i++) {
		cprng_draw_by_refill(cprng_process(), bytes, 16);
		const Wanted low = note(own_buffer()->out), high = note(own_buffer()->out + own_buffer()->left - 32);
		const Wanted key = note(own_buffer()->key);
		if (i % 2 != 0)
			REQUIRE_IN_CHILD(cprng_reseed() == 0);
		else
			cprng_invalidate();
		require_gone("the lowest byte of a buffer", low);
		require_gone("the highest byte of a buffer", high);
		require_gone("a key", key);
	}
});

#ifdef __OPTIMIZE__
constexpr bool optimised = true;
#else
constexpr bool optimised = false;
#endif

} // namespace

// By chance: 2 * 10^8 bytes of memory scanned all in all, for 16 given bytes at 2^-64 each: 2 * 10^-11 a scan.
// Catches a copy of served bytes on stack, heap or in a buffer.
TEST_CASE("erasure: nothing that was served is left in the memory of the process")
{
	SKIP_IF(!optimised || CPRNG_TESTS_SANITIZED, "for optimised builds");
	SKIP_IF(machine::emulated(), "the memory is the emulator's");
	scenario::check(served);
}

// Catches a spilled key, and an invalidation that leaves bytes.
TEST_CASE("erasure: nor the keys that it was made from, nor what was invalidated")
{
	SKIP_IF(!optimised || CPRNG_TESTS_SANITIZED, "for optimised builds");
	SKIP_IF(!machine::buffered(), "no buffers");
	scenario::check(keys);
	scenario::check(invalidated);
}
