// SPDX-License-Identifier: BSD-2-Clause
// The kernel saves all registers to a signal's frame.  A signal right after each public function's return shows what the
// function left in them.
#include "../../support/trap.hpp"
#include "../../support/calls.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/scenario.hpp"
#include "../../support/fake_os.hpp"
#include "../../support/script.hpp"

#include "cpu/registers.h"

#include <algorithm>
#include <bitset>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

namespace {

using calls::Call;

std::uint64_t window(const unsigned char *p, std::size_t size)
{
	std::uint64_t w = 0;

	std::memcpy(&w, p, size);
	return w;
}

// Secrets that no frame may hold: 8-byte windows at each byte offset, or 4-byte windows where fewer than 8 bytes were served.
class Pieces {
public:
	explicit Pieces(std::size_t size) : size(size)
	{
	}

	void learn(const void *secret, std::size_t len)
	{
		const auto *p = static_cast<const unsigned char *>(secret);

		secrets.emplace_back(p, p + len);
	}

	// The number of different pieces of secrets in this frame.
	std::size_t found(const unsigned char *frame) const
	{
		std::bitset<1 << 16> begins; // first two bytes of the frame's pieces
		std::set<std::uint64_t> there;

		for (std::size_t at = 0; at + size <= Trap::size; at++)
			begins.set(beginning(frame + at));
		for (const auto &secret : secrets) {
			for (std::size_t at = 0; at + size <= secret.size(); at++) {
				const unsigned char *const p = &secret[at];
				// Excludes erased or unwritten words, pointers, and words of all ones.
				if (begins[beginning(p)] && std::count(p, p + size, 0) < 2 &&
				    std::count(p, p + size, 0xff) < 4 && memmem(frame, Trap::size, p, size) != nullptr)
					there.insert(window(p, size));
			}
		}
		return there.size();
	}

	void forget()
	{
		secrets.clear();
	}

private:
	static std::size_t beginning(const unsigned char *p)
	{
		return p[0] | std::size_t{ p[1] } << 8;
	}

	std::size_t size;
	std::vector<std::vector<unsigned char>> secrets;
};

Pieces longs(8), shorts(4);

// All secrets that the library holds: keys, buffered bytes, the generator's key.
void learn_state()
{
	const struct cprng_process *p = cprng_process();

	for (std::uint32_t i = 0; i < p->buffer_count; i++) {
		const cprng_buffer &b = p->buffers[i];
		if (b.left == 0 && b.key_tag == 0)
			continue;
		longs.learn(b.key, sizeof(b.key));
		longs.learn(b.out, std::min<std::size_t>(b.left, sizeof(b.out)));
	}
	if (p->strong != nullptr)
		longs.learn(p->strong->state.generator.key, CPRNG_GENERATOR_KEY_SIZE);
	calls::each_stream([](const cprng_stream &s) {
		longs.learn(s.buffer, sizeof(s.buffer));
		longs.learn(s.opaque, sizeof(s.opaque));
	});
}

// The library's state before a call.
enum class Before { as_it_is, empty, new_generation };

void make_ready(Before before)
{
	static std::random_device device;
	struct cprng_process *p = cprng_process();

	for (unsigned char &byte : calls::given)
		byte = static_cast<unsigned char>(device() % 255 + 1);
	calls::given[sizeof(calls::given) - 1] = 0;
	calls::prepare();
	if (before == Before::empty) {
		for (std::uint32_t i = 0; i < p->buffer_count; i++) {
			if (p->buffers[i].left != 0)
				p->buffers[i].left = 0;
		}
	}
	if (before == Before::new_generation && p->fork_state != nullptr)
		p->fork_state->generation = 0;
}

// A few hundred bytes of a frame differ from call to call.  They contain 4 given bytes by chance with probability 10^-6, and
// in two rounds with 10^-10.
constexpr int rounds = 4;

// Single numbers and functions without output may leave values in vector registers that are not secret.
bool ends_with_clear_vectors(const Call &call)
{
	const std::string name = call.function;

	return call.len > 8 || name.rfind("cprng_stream_seed_", 0) == 0 || name == "cprng_stream_init";
}

bool leaves_nothing(Trap *trap, const Call &call, Before before)
{
	const struct cprng_process *p = cprng_process();
	std::size_t longest = 0;
	int times = 0;
	bool used = false;

	for (int round = 0; round < rounds; round++) {
		longs.forget();
		shorts.forget();
		script::given.clear();
		make_ready(before);
		learn_state();
		std::fill(std::begin(calls::served), std::end(calls::served), 0);
		// Clear values that the test itself has in registers.
		cprng_clear_registers();
		const unsigned char *const frame = trap->after(call.make);
		learn_state();
		longs.learn(calls::given, sizeof(calls::given));
		if (call.len >= 8)
			longs.learn(calls::served, call.len);
		else if (call.len >= 4)
			shorts.learn(calls::served, call.len);
		for (const script::Given &g : script::given) {
			// A generation's number, which may come first, is not secret.
			const std::size_t number = p->fork_state != nullptr && g.bytes.size() >= 8 &&
								   (window(g.bytes.data(), 8) | CPRNG_IS_GENERATION) ==
									   p->fork_state->generation ?
							   8 :
							   0;
			longs.learn(g.bytes.data() + number, g.bytes.size() - number);
		}
		longest = std::max(longest, longs.found(frame));
		times += shorts.found(frame) != 0;
		used |= Trap::vectors_used();
	}
	// The bits behind arrays of numbers are also secret but unknown here: no vector register may hold anything.
	used &= ends_with_clear_vectors(call);
	if (longest != 0 || times > 1 || used)
		std::fprintf(stderr, "%s, %d: %zu pieces of 8 bytes; pieces of 4 bytes %d times%s\n",
			     call.name().c_str(), static_cast<int>(before), longest, times, used ? "; vectors" : "");
	return longest == 0 && times < 2 && !used;
}

// Records the bytes from getrandom, which are secrets to search for.
long record(void *buf, std::size_t len)
{
	const long given = syscall(SYS_getrandom, buf, len, 0);

	if (given > 0) {
		const auto *p = static_cast<const unsigned char *>(buf);
		script::given.push_back({ false, script::Bytes(p, p + given) });
		// The kernel leaves none of them in registers; this function might.
		cprng_clear_registers();
	}
	return given;
}

const scenario::Scenario every_call("signal frames", [] {
	Trap trap;
	bool clean = true;

	fake_os.getrandom.instead = record;
	(void)cprng_fast64();
	for (const Call &call : calls::all()) {
		if (!calls::possible(call))
			continue;
		for (const Before before : { Before::as_it_is, Before::empty, Before::new_generation })
			clean &= leaves_nothing(&trap, call, before);
	}
	calls::clean_up();
	REQUIRE_IN_CHILD(clean);
});

// Confirms that the test detects a secret in a register; otherwise it proves nothing.
const scenario::Scenario sees("signal frames: sees", [] {
	Trap trap;

	const unsigned char *const frame = trap.after([] {
		// Random bytes would have two zeros within eight in one run of several hundred; such pieces are not searched for.
		std::iota(calls::served, calls::served + 16, 1);
#if defined(__x86_64__)
		__asm__ volatile("movdqa %0, %%xmm9" : : "m"(calls::served) : "xmm9");
#elif defined(__aarch64__)
		__asm__ volatile("ldr q16, [%0]" : : "r"(calls::served) : "v16", "memory");
#endif
	});
	longs.learn(calls::served, 16);
	REQUIRE_IN_CHILD(longs.found(frame) == 9);
});

} // namespace

// Catches a frame that is not examined.
TEST_CASE("signal frames: what is in a register is seen")
{
	SKIP_IF(!CPRNG_TESTS_HAVE_TRAP || machine::emulated(), "no traps");
	SKIP_IF(CPRNG_TESTS_SANITIZED, "sanitizers keep values of their own");
	scenario::check(sees);
}

// Catches registers that hold served bytes, a key, or buffered bytes when a public function returns.
TEST_CASE("signal frames: no function leaves a secret in the registers")
{
	SKIP_IF(!CPRNG_TESTS_HAVE_TRAP || machine::emulated(), "no traps");
	SKIP_IF(CPRNG_TESTS_SANITIZED, "sanitizers keep values of their own");
	scenario::check(every_call);
}

// Catches a public function that is not called here.
TEST_CASE("signal frames: every function of the library is called")
{
	std::set<std::string> called;

	for (const Call &call : calls::all())
		called.insert(call.function);
	called.insert("cprng_draw_1"); // no function
	CHECK(called == calls::exported());
}
