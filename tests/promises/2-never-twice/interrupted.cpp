// SPDX-License-Identifier: BSD-2-Clause
// Restartable sequences, interrupted after each instruction.  The trap flag steps through them.  The handler first does what
// another thread or a signal handler may do on this CPU in the meantime, and then, like the kernel after a preemption within
// a sequence, continues at the abort address.  An aborted sequence reports failure.
#include "../../support/restartable.hpp"

#if CPRNG_HAVE_RESTARTABLE_DRAW && defined(__x86_64__)

#include "../../support/descriptors.hpp"
#include "../../support/skips.hpp"
#include "../../support/steps.hpp"
#include "../../support/unwinder.hpp"

#include <array>
#include <csignal>
#include <functional>
#include <string>
#include <utility>

namespace {

using namespace restartable;

struct Stepper {
	Area *area = nullptr;
	unsigned int steps = 0, interrupted_at = 0;
	bool aborted = false;
	const std::function<void()> *meanwhile = nullptr;
} stepper;

void on_step(int, siginfo_t *, void *context)
{
	greg_t *const registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
	Stepper &s = stepper;

	if (++s.steps != s.interrupted_at)
		return;
	if (s.area->rseq_cs != 0) {
		const auto *d = reinterpret_cast<const sequence::Descriptor *>(s.area->rseq_cs);
		s.aborted = static_cast<std::uint64_t>(registers[REG_RIP]) - d->start < d->length;
		if (s.aborted)
			registers[REG_RIP] = static_cast<greg_t>(d->abort);
		s.area->rseq_cs = 0;
	}
	(*s.meanwhile)();
	// The rest is done at full speed.
	steps::end_in(context);
}

template <typename Operation> __attribute__((noinline)) void step_through(Operation operation)
{
	steps::begin();
	operation();
	steps::end();
}

// The bytes served.
struct Served {
	std::array<std::uint8_t, 128> bytes;
	std::size_t len;
};

// The buffers, and the results of the operation and of the one that interrupts it; reset for each interruption.
struct Scene {
	Buffers b;
	Served outer = {}, other = {};
	std::uint64_t outer_tag = 0, other_tag = 0;
	std::array<std::uint8_t, 32> outer_key = {}, other_key = {};

	// Every byte differs from every other.
	explicit Scene(std::uint32_t left)
	{
		b.fill(left);
		for (std::uint32_t i = 0; i < left; i++)
			b.mine().out[i] = static_cast<std::uint8_t>(i + 1);
	}

	// No byte is 0, occurs twice, or is both served and still in the buffer.
	void judge()
	{
		std::array<unsigned int, 256> count = {};
		const cprng_buffer &buffer = b.mine();

		for (const Served &served : { outer, other }) {
			for (std::size_t i = 0; i < served.len; i++)
				count[served.bytes[i]]++;
		}
		for (std::uint32_t i = buffer.left; i < CPRNG_BUFFER_SIZE; i++) {
			if (buffer.out[i] != 0)
				CHECK(count[buffer.out[i]] == 0);
		}
		for (std::uint32_t i = 0; i < buffer.left; i++)
			count[buffer.out[i]]++;
		CHECK(count[0] == 0);
		CHECK(*std::max_element(count.begin(), count.end()) == 1);
	}

	// The number of values, counted from `first`, that are in the buffer or were served.
	std::size_t kept(std::uint8_t first, std::size_t len)
	{
		const auto in = [&](const std::uint8_t *p, std::size_t n) {
			return static_cast<std::size_t>(
				std::count_if(p, p + n, [&](std::uint8_t v) { return v >= first && v < first + len; }));
		};
		return in(b.mine().out, b.mine().left) + in(other.bytes.data(), other.len);
	}
};

using Act = std::function<void(Scene &)>;

// Runs `outer` repeatedly, interrupted by `meanwhile` after one more instruction each time; checks each run.
void interrupt_everywhere(const std::string &what, std::uint32_t left, const Act &prepare, const Act &outer,
			  const Act &meanwhile, const Act &judge)
{
	const struct sigaction old = steps::handle(on_step);
	unsigned int aborts = 0, end = 0;

	for (unsigned int at = 1; end == 0; at++) {
		Scene scene(left);
		const std::function<void()> act = [&] { meanwhile(scene); };
		prepare(scene);
		stepper = { &scene.b.area, 0, at, false, &act };
		step_through([&] { outer(scene); });
		if (stepper.steps < at)
			end = at;
		aborts += stepper.aborted;
		INFO(what << ", interrupted after instruction " << at);
		judge(scene);
	}
	sigaction(SIGTRAP, &old, nullptr);
	INFO(what << ": " << end << " instructions");
	// The shortest sequence has nine instructions.
	CHECK(aborts >= 8);
}

// The number of bytes that the operation served: 0 if its sequence was aborted.
std::size_t served(std::size_t len)
{
	return stepper.aborted ? 0 : len;
}

bool steps_here()
{
	const struct sigaction old = steps::handle(on_step);
	const std::function<void()> nothing = [] {};

	stepper = { nullptr, 0, 0, false, &nothing };
	step_through([] {});
	sigaction(SIGTRAP, &old, nullptr);
	return stepper.steps != 0;
}

const Act nothing = [](Scene &) {};
const Act draws = [](Scene &s) { s.other.len = draw_64(&s.b.draw, s.other.bytes.data()) ? 8 : 0; };
// A refill by another thread, with unique bytes.
const Act pushes = [](Scene &s) {
	std::uint8_t bytes[CPRNG_PUSH_MIN];
	for (std::uint8_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = static_cast<std::uint8_t>(190 + i);
	cprng_percpu_push_sse2(&s.b.draw, &generation, generation, bytes, sizeof(bytes));
};
const Act draws_and_pushes = [](Scene &s) {
	draws(s);
	pushes(s);
};
const Act invalidates = [](Scene &s) {
	// Like cprng_invalidate(), which waits for sequences to end and then erases.
	std::memset(static_cast<void *>(&s.b.mine()), 0, sizeof(cprng_buffer));
};
const std::pair<const char *, Act> meanwhile[] = {
	{ "nothing", nothing }, { "a draw", draws }, { "a push", pushes }, { "a draw and a push", draws_and_pushes }
};

} // namespace

// Catches a draw that erases its bytes before it lowers the count, so that another draw gets zeros, or after the sequence,
// so that it erases another draw's bytes.
TEST_CASE("interrupted: inlined draws, after each instruction")
{
	SKIP_IF(!steps_here(), "the processor does not step");
	const std::pair<bool (*)(const struct cprng_draw *, std::uint8_t *), std::size_t> widths[] = {
		{ draw_8, 1 }, { draw_16, 2 }, { draw_32, 4 }, { draw_64, 8 }
	};
	for (const auto &width : widths) {
		for (const auto &other : meanwhile) {
			const Act outer = [&](Scene &s) {
				s.outer.len = width.first(&s.b.draw, s.outer.bytes.data()) ? width.second : 0;
			};
			interrupt_everywhere(std::to_string(width.second) + " bytes, and " + other.first, 64, nothing,
					     outer, other.second, [&](Scene &s) {
						     s.judge();
						     CHECK(s.outer.len == served(width.second));
					     });
		}
	}
}

// Catches a request that erases before it lowers the count, and a request that leaves some of its bytes to another draw.
TEST_CASE("interrupted: inlined requests, after each instruction")
{
	SKIP_IF(!steps_here(), "the processor does not step");
	for (const Few &few : all_few()) {
		for (const std::size_t len : { 9, 12, 16, 24, 32, 33, 48, 64 }) {
			for (const auto &other : meanwhile) {
				if (len < few.least)
					continue;
				const Act outer = [&](Scene &s) {
					s.outer.len = few.draw(&s.b.draw, s.outer.bytes.data(), len) ? len : 0;
				};
				interrupt_everywhere(std::to_string(len) + " bytes, and " + other.first, 180, nothing,
						     outer, other.second, [&](Scene &s) {
							     s.judge();
							     CHECK(s.outer.len == served(len));
						     });
			}
		}
	}
}

// Catches a pop that erases its bytes before it lowers the count, and an aborted pop whose bytes are served.
TEST_CASE("interrupted: pops, after each instruction")
{
	SKIP_IF(!steps_here(), "the processor does not step");
	for (const Copies &copies : all_copies()) {
		for (const std::size_t len : { 64, 65, 80 }) {
			for (const auto &other : meanwhile) {
				const Act outer = [&](Scene &s) {
					s.outer.len = copies.pop(&s.b.draw, s.outer.bytes.data(), len) ? len : 0;
				};
				interrupt_everywhere(std::to_string(len) + " bytes, and " + other.first, 180, nothing,
						     outer, other.second, [&](Scene &s) {
							     s.judge();
							     CHECK(s.outer.len == served(len));
						     });
			}
		}
	}
}

// Catches a push that raises the count before its bytes are stored, and one that pushes twice after an abort.
TEST_CASE("interrupted: pushes, after each instruction")
{
	SKIP_IF(!steps_here(), "the processor does not step");
	for (const Copies &copies : all_copies()) {
		for (const std::size_t len : { 64, 65, 80 }) {
			std::uint8_t bytes[80];
			for (std::size_t i = 0; i < len; i++)
				bytes[i] = static_cast<std::uint8_t>(101 + i);
			for (const auto &other : { meanwhile[0], meanwhile[1] }) {
				const Act outer = [&](Scene &s) {
					copies.push(&s.b.draw, &generation, generation, bytes, len);
				};
				interrupt_everywhere(std::to_string(len) + " bytes, and " + other.first, 100, nothing,
						     outer, other.second, [&](Scene &s) {
							     s.judge();
							     const std::size_t kept = s.kept(101, len);
							     CHECK((kept == 0 || kept == len));
						     });
			}
		}
	}
}

namespace {

const std::array<std::uint8_t, 32> a_key = { 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab,
					     0xac, 0xad, 0xae, 0xaf, 0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6,
					     0xb7, 0xb8, 0xb9, 0xba, 0xbb, 0xbc, 0xbd, 0xbe, 0xbf, 0xc0 };
const std::array<std::uint8_t, 32> b_key = { 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xdb,
					     0xdc, 0xdd, 0xde, 0xdf, 0xe0, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6,
					     0xe7, 0xe8, 0xe9, 0xea, 0xeb, 0xec, 0xed, 0xee, 0xef, 0xf0 };
constexpr std::uint64_t a_tag = 5, b_tag = 7;

void put(Scene &s, const std::array<std::uint8_t, 32> &key, std::uint64_t tag)
{
	cprng_percpu_put_key(&s.b.draw, &generation, generation, key.data(), tag);
}

const Act puts_a = [](Scene &s) { put(s, a_key, a_tag); };
const Act puts_b = [](Scene &s) { put(s, b_key, b_tag); };
const Act takes = [](Scene &s) { s.outer_tag = cprng_percpu_take_key(&s.b.draw, s.outer_key.data()); };
const Act takes_meanwhile = [](Scene &s) { s.other_tag = cprng_percpu_take_key(&s.b.draw, s.other_key.data()); };

// A tag identifies a whole key, and no key is in more than one of three places: taken by the operation, taken by the
// interrupting one, or in the buffer.
void judge_keys(Scene &s)
{
	const cprng_buffer &buffer = s.b.mine();
	std::array<unsigned int, 8> places = {};

	const auto look = [&](std::uint64_t tag, const std::uint8_t *key) {
		REQUIRE((tag == 0 || tag == a_tag || tag == b_tag));
		if (tag == 0)
			return;
		CHECK(std::equal(key, key + 32, tag == a_tag ? a_key.begin() : b_key.begin()));
		CHECK(++places[tag] == 1);
	};
	look(s.outer_tag, s.outer_key.data());
	look(s.other_tag, s.other_key.data());
	look(buffer.key_tag, buffer.key);
	// A taken key is gone from the buffer.
	for (const std::uint64_t tag : { s.outer_tag, s.other_tag }) {
		if (tag != 0)
			CHECK(std::count(buffer.key, buffer.key + 32, tag == a_tag ? a_key[0] : b_key[0]) == 0);
	}
}

} // namespace

// Catches a key that is erased before its tag and then taken as zeros, and a key that two callers take.
TEST_CASE("interrupted: taking a key, after each instruction")
{
	SKIP_IF(!steps_here(), "the processor does not step");
	interrupt_everywhere("take, and nothing", 64, puts_a, takes, nothing, judge_keys);
	interrupt_everywhere("take, and another take", 64, puts_a, takes, takes_meanwhile, judge_keys);
	interrupt_everywhere("take, and a put", 64, puts_a, takes, puts_b, judge_keys);
	interrupt_everywhere("take, and an invalidation", 64, puts_a, takes, invalidates, judge_keys);
}

// Catches a tag stored before its key, and a key mixed from two puts.
TEST_CASE("interrupted: putting a key, after each instruction")
{
	SKIP_IF(!steps_here(), "the processor does not step");
	interrupt_everywhere("put, and nothing", 64, nothing, puts_a, nothing, judge_keys);
	interrupt_everywhere("put, and a take", 64, nothing, puts_a, takes_meanwhile, judge_keys);
	interrupt_everywhere("put, and another put", 64, nothing, puts_a, puts_b, judge_keys);
}

namespace {

// The callers of the function in which the first step happens; each later step has them, too.  That function itself changes
// the flags by instructions that move the stack pointer, without unwind information from the compiler.
unwinder::Frames outside;
const void *stepping;
unsigned int complete, cut_off, unwound_at, passed;
bool throws;

// Whether an unwinder gets from the interrupted instruction to the callers.
void unwind(std::uintptr_t pc)
{
	if (outside.number != 0 && _Unwind_FindEnclosingFunction(reinterpret_cast<void *>(pc)) == stepping)
		return;
	const unwinder::Frames frames = unwinder::frames_until(0);
	const auto *const end = frames.at + frames.number, *const here = std::find(frames.at, end, pc);
	const auto length = static_cast<std::ptrdiff_t>(outside.number);

	if (outside.number == 0 && here != end) {
		stepping = _Unwind_FindEnclosingFunction(reinterpret_cast<void *>(pc));
		outside.number = static_cast<std::size_t>(end - here) - 1;
		std::copy(here + 1, end, outside.at);
	} else if (here != end && end - here > length && std::equal(end - length, end, outside.at)) {
		complete++;
	} else {
		cut_off++;
	}
}

void unwind_step(int, siginfo_t *, void *context)
{
	greg_t *const registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
	const auto pc = static_cast<std::uintptr_t>(registers[REG_RIP]);
	const auto *d = reinterpret_cast<const sequence::Descriptor *>(stepper.area->rseq_cs);

	if (!throws)
		unwind(pc);
	if (d == nullptr || pc - d->start >= d->length)
		return;
	// The kernel does this before it calls a handler.
	registers[REG_RIP] = static_cast<greg_t>(d->abort);
	stepper.steps++;
	if (throws && stepper.steps == unwound_at) {
		stepper.area->rseq_cs = 0;
		throw stepper.steps;
	}
	if (!throws)
		unwind(d->abort);
	registers[REG_RIP] = static_cast<greg_t>(pc);
}

struct Passed {
	~Passed()
	{
		passed++;
	}
};

// The unwinder must pass through this frame.
__attribute__((noinline)) void pass_through(const Act &operation, Scene &scene)
{
	const Passed passing;

	step_through([&] { operation(scene); });
}

// Each sequence that this CPU can run: once where it succeeds, and once where it reports failure.
template <typename Check> void for_each_operation(Check check)
{
	std::vector<std::pair<std::string, Act>> all = { { "take", takes }, { "put", puts_a } };
	const std::array<std::uint8_t, 80> bytes = { 1 };

	all.emplace_back("8 bits", [](Scene &s) { draw_8(&s.b.draw, s.outer.bytes.data()); });
	all.emplace_back("64 bits", [](Scene &s) { draw_64(&s.b.draw, s.outer.bytes.data()); });
	for (const Few &few : all_few()) {
		for (const std::size_t len : { 12, 16, 24, 48 }) {
			if (len >= few.least)
				all.emplace_back(std::to_string(len) + " bytes", [few, len](Scene &s) {
					few.draw(&s.b.draw, s.outer.bytes.data(), len);
				});
		}
	}
	for (const Copies &copies : all_copies()) {
		all.emplace_back("pop", [copies](Scene &s) { copies.pop(&s.b.draw, s.outer.bytes.data(), 80); });
		all.emplace_back("push", [copies, &bytes](Scene &s) {
			copies.push(&s.b.draw, &generation, generation, bytes.data(), 80);
		});
	}
	for (const auto &named : all) {
		for (const std::uint32_t number : { cpus, 0u }) {
			Scene scene(100);
			if (named.first == "take")
				puts_a(scene);
			scene.b.draw.cpus = number;
			stepper = { &scene.b.area, 0, 0, false, nullptr };
			INFO(named.first << ", " << number << " CPUs");
			check(named.second, scene);
		}
	}
}

} // namespace

// Catches abort code from which an unwinder does not find the callers, and unwind rules that change within a sequence.
// Backtraces of handlers and profilers would end there.
TEST_CASE("interrupted: an unwinder passes from each instruction, and from the abort code after each")
{
	SKIP_IF(!steps_here(), "the processor does not step");
	const struct sigaction old = steps::handle(unwind_step);

	throws = false;
	for_each_operation([](const Act &operation, Scene &scene) {
		outside.number = 0;
		complete = cut_off = 0;
		pass_through(operation, scene);
		// Both unwinds of each step in the sequence: from the instruction and from the abort code.
		CHECK(complete > 2 * stepper.steps);
		CHECK(stepper.steps >= (scene.b.draw.cpus == 0 ? 3 : 8));
		CHECK(cut_off == 0);
	});
	sigaction(SIGTRAP, &old, nullptr);
}

// Catches the same defects for exceptions: the process ends in terminate(), or a cancelled thread skips destructors.
TEST_CASE("interrupted: an exception that a handler throws in a sequence runs the destructors of its callers")
{
	SKIP_IF(!steps_here(), "the processor does not step");
	const struct sigaction old = steps::handle(unwind_step);
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	throws = true;
	for_each_operation([&trap](const Act &operation, Scene &scene) {
		unsigned int caught = 0;

		passed = 0;
		for (unwound_at = 1; unwound_at == caught + 1 && unwound_at < 1000; unwound_at++) {
			stepper.steps = 0;
			try {
				pass_through(operation, scene);
			} catch (unsigned int) {
				caught++;
				// The handler has not returned.
				pthread_sigmask(SIG_UNBLOCK, &trap, nullptr);
			}
		}
		CHECK(caught >= 3);
		CHECK(passed == caught + 1);
	});
	sigaction(SIGTRAP, &old, nullptr);
}

#endif
