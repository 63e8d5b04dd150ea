// SPDX-License-Identifier: BSD-2-Clause
// Calls of the library's functions: an inlined request leaves its bytes in a register of its caller.
#define CPRNG_NO_INLINE
#include "calls.hpp"

#include <cprng/cprng.h>
#include <cprng/fortuna.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <unistd.h>

alignas(64) unsigned char calls::served[1 << 16];
unsigned char calls::given[64], calls::checkpoint[128];

namespace {

using calls::Call;
using calls::given;
using calls::served;

static_assert(sizeof(calls::checkpoint) >= CPRNG_STREAM_CHECKPOINT_SIZE, "room for one");

cprng_stream chacha, aes, salsa, child;
cprng_fortuna *object;
char seed_file[64];

void succeed(const char *function, int status)
{
	// A newly created seed file counts as success.
	if (status >= 0)
		return;
	std::fprintf(stderr, "%s: %s\n", function, cprng_strerror(status));
	std::abort();
}

// A number is returned in a register; the caller clears only that register.
template <typename Number> inline __attribute__((always_inline)) void keep(Number n)
{
	std::memcpy(served, &n, sizeof(n));
#if defined(__x86_64__)
	__asm__ volatile("xorl %%eax, %%eax\n\tpxor %%xmm0, %%xmm0" : : : "rax", "xmm0", "cc");
#elif defined(__aarch64__)
	__asm__ volatile("mov x0, xzr\n\tmovi v0.16b, #0" : : : "x0", "v0");
#endif
}

// Calls the library's function instead of the inlined one.
#define NUMBER(f, ...) \
	{ #f, sizeof(f(__VA_ARGS__)), [] { \
		 static decltype(&f) volatile call = f; \
		 keep(call(__VA_ARGS__)); \
	 } }

// A number with few possible values may occur anywhere in memory, so it is not recorded as served.
#define FEW_VALUES(f, ...) \
	{ #f, 0, [] { \
		 static decltype(&f) volatile call = f; \
		 keep(call(__VA_ARGS__)); \
	 } }

// A function that returns nothing, or 0 for success, and that serves bytes.
#define SERVES(f, len, ...) { #f, (len), [] { f(__VA_ARGS__); } }
#define SUCCEEDS(f, len, ...) { #f, (len), [] { succeed(#f, f(__VA_ARGS__)); } }

template <typename Number> Number *numbers()
{
	return reinterpret_cast<Number *>(served);
}

#define FAST(len) SERVES(cprng_fast, len, served, len)
#define STRONG(len) SERVES(cprng_strong, len, served, len)
#define OBJECT(len) SUCCEEDS(cprng_fortuna_read, len, object, served, len)
#define STREAM(len) \
	SUCCEEDS(cprng_stream_read, len, &chacha, served, len), SUCCEEDS(cprng_stream_read, len, &aes, served, len), \
		SUCCEEDS(cprng_stream_read, len, &salsa, served, len)
#define ARRAYS(count) \
	SUCCEEDS(cprng_fill_u32, 4 * (count), numbers<std::uint32_t>(), count), \
		SUCCEEDS(cprng_fill_u64, 8 * (count), numbers<std::uint64_t>(), count), \
		SUCCEEDS(cprng_fill_uniform32, 4 * (count), numbers<std::uint32_t>(), count, 1000), \
		SUCCEEDS(cprng_fill_uniform64, 8 * (count), numbers<std::uint64_t>(), count, 1000), \
		SUCCEEDS(cprng_fill_range64, 8 * (count), numbers<std::uint64_t>(), count, 1, UINT64_MAX - 1), \
		SUCCEEDS(cprng_fill_int_range, 8 * (count), numbers<std::int64_t>(), count, -5, 5), \
		SUCCEEDS(cprng_fill_float, 4 * (count), numbers<float>(), count), \
		SUCCEEDS(cprng_fill_double, 8 * (count), numbers<double>(), count), \
		SUCCEEDS(cprng_fill_normal, 8 * (count), numbers<double>(), count, 1, 3), \
		SUCCEEDS(cprng_fill_exponential, 8 * (count), numbers<double>(), count, 3)
#define STREAM_ARRAYS(count) \
	SUCCEEDS(cprng_stream_fill_u32, 4 * (count), &aes, numbers<std::uint32_t>(), count), \
		SUCCEEDS(cprng_stream_fill_u64, 8 * (count), &aes, numbers<std::uint64_t>(), count), \
		SUCCEEDS(cprng_stream_fill_uniform32, 4 * (count), &aes, numbers<std::uint32_t>(), count, 1000), \
		SUCCEEDS(cprng_stream_fill_uniform64, 8 * (count), &aes, numbers<std::uint64_t>(), count, 1000), \
		SUCCEEDS(cprng_stream_fill_range64, 8 * (count), &aes, numbers<std::uint64_t>(), count, 1, \
			 UINT64_MAX - 1), \
		SUCCEEDS(cprng_stream_fill_int_range, 8 * (count), &aes, numbers<std::int64_t>(), count, -5, 5), \
		SUCCEEDS(cprng_stream_fill_float, 4 * (count), &aes, numbers<float>(), count), \
		SUCCEEDS(cprng_stream_fill_double, 8 * (count), &aes, numbers<double>(), count), \
		SUCCEEDS(cprng_stream_fill_normal, 8 * (count), &aes, numbers<double>(), count, 1, 3), \
		SUCCEEDS(cprng_stream_fill_exponential, 8 * (count), &aes, numbers<double>(), count, 3)

const char *text()
{
	return reinterpret_cast<const char *>(given);
}

const std::uint64_t some_weights[] = { 70, 25, 5 };
cprng_alias some_table[3];

const cprng_weights *weights()
{
	static cprng_weights made;
	if (made.count == 0)
		succeed("cprng_weights_init", cprng_weights_init(&made, some_table, some_weights, 3));
	return &made;
}

void shuffle_cards(void (*shuffle)(void *, std::size_t, std::size_t))
{
	unsigned char cards[52];

	for (std::size_t i = 0; i < sizeof(cards); i++)
		cards[i] = static_cast<unsigned char>(i);
	shuffle(cards, sizeof(cards), 1);
}

template <typename Info, typename Get> void get(Get f)
{
	Info info;

	f(&info, sizeof(info));
}

// Large bounds, so that results differ from other data in memory.
constexpr std::uint32_t bound32 = 0xfffffffb;
constexpr std::uint64_t bound64 = UINT64_C(3) << 62, half = UINT64_C(1) << 63;

} // namespace

std::string calls::Call::name() const
{
	return len == 0 ? function : std::string(function) + ", " + std::to_string(len) + " bytes";
}

const std::vector<Call> &calls::all()
{
	static const std::vector<Call> table = {
		FAST(5),
		FAST(8),
		FAST(13),
		FAST(16),
		FAST(24),
		FAST(32),
		FAST(33),
		FAST(64),
		FAST(100),
		FAST(200),
		FAST(512),
		FAST(513),
		FAST(1000),
		FAST(5003),
		FAST(65536),
		FEW_VALUES(cprng_fast8),
		FEW_VALUES(cprng_fast16),
		NUMBER(cprng_fast32),
		NUMBER(cprng_fast64),
		NUMBER(cprng_draw_slow_1, 8),
		SERVES(cprng_request_slow_1, 24, served, 24),
		NUMBER(cprng_uniform32, bound32),
		NUMBER(cprng_uniform64, bound64),
		NUMBER(cprng_range64, 5, bound64),
		NUMBER(cprng_int_range, -5, INT64_MAX),
		FEW_VALUES(cprng_bool),
		NUMBER(cprng_double),
		NUMBER(cprng_float),
		NUMBER(cprng_normal, 1, 3),
		NUMBER(cprng_exponential, 3),
		SUCCEEDS(cprng_sample, 64, numbers<std::uint64_t>(), 8, half),
		{ "cprng_shuffle", 0, [] { shuffle_cards(cprng_shuffle); } },
		FEW_VALUES(cprng_bernoulli, 0.5),
		FEW_VALUES(cprng_bernoulli_ratio, 1, 3),
		FEW_VALUES(cprng_weighted, weights()),
		{ "cprng_weights_init", 0, [] { (void)weights(); } },
		SUCCEEDS(cprng_text, 40, numbers<char>(), 40, "0123456789abcdefghijklmnopqrstuvwxyz", 36),
		SERVES(cprng_uuid4, 16, served),
		SUCCEEDS(cprng_uuid7, 16, served),
		SERVES(cprng_uuid_text, 36, numbers<char>(), given),
		ARRAYS(3),
		// Whole vectors, and partial ones.
		ARRAYS(64),
		ARRAYS(100),
		ARRAYS(2001),
		STRONG(5),
		STRONG(32),
		STRONG(1000),
		STRONG(5003),
		OBJECT(5),
		OBJECT(32),
		OBJECT(1000),
		OBJECT(5003),
		STREAM(5),
		STREAM(32),
		STREAM(100),
		STREAM(5003),
		FEW_VALUES(cprng_stream_u8, &chacha),
		FEW_VALUES(cprng_stream_u16, &chacha),
		NUMBER(cprng_stream_u32, &chacha),
		NUMBER(cprng_stream_u64, &chacha),
		NUMBER(cprng_stream_slow_1, &aes, 8),
		SUCCEEDS(cprng_stream_read_slow_1, 24, &aes, served, 24),
		FEW_VALUES(cprng_stream_bool, &chacha),
		NUMBER(cprng_stream_float, &chacha),
		NUMBER(cprng_stream_double, &chacha),
		NUMBER(cprng_stream_uniform32, &chacha, bound32),
		NUMBER(cprng_stream_uniform64, &chacha, bound64),
		NUMBER(cprng_stream_range64, &chacha, 5, bound64),
		NUMBER(cprng_stream_int_range, &chacha, -5, INT64_MAX),
		NUMBER(cprng_stream_normal, &chacha, 1, 3),
		NUMBER(cprng_stream_exponential, &chacha, 3),
		SUCCEEDS(cprng_stream_sample, 64, &chacha, numbers<std::uint64_t>(), 8, half),
		{ "cprng_stream_shuffle", 0,
		  [] {
			  shuffle_cards([](void *base, std::size_t count, std::size_t size) {
				  cprng_stream_shuffle(&chacha, base, count, size);
			  });
		  } },
		FEW_VALUES(cprng_stream_bernoulli, &chacha, 0.5),
		FEW_VALUES(cprng_stream_bernoulli_ratio, &chacha, 1, 3),
		FEW_VALUES(cprng_stream_weighted, &chacha, weights()),
		SUCCEEDS(cprng_stream_text, 40, &chacha, numbers<char>(), 40, "0123456789abcdefghijklmnopqrstuvwxyz",
			 36),
		SUCCEEDS(cprng_stream_uuid4, 16, &chacha, served),
		SUCCEEDS(cprng_stream_uuid7, 16, &chacha, 1700000000000, served),
		SUCCEEDS(cprng_stream_try_double, 8, &chacha, numbers<double>()),
		SUCCEEDS(cprng_stream_try_uniform64, 8, &chacha, numbers<std::uint64_t>(), bound64),
		SUCCEEDS(cprng_stream_try_range64, 8, &chacha, numbers<std::uint64_t>(), 5, bound64),
		SUCCEEDS(cprng_stream_try_int_range, 8, &chacha, numbers<std::int64_t>(), -5, INT64_MAX),
		SUCCEEDS(cprng_stream_try_normal, 8, &chacha, numbers<double>(), 1, 3),
		SUCCEEDS(cprng_stream_try_exponential, 8, &chacha, numbers<double>(), 3),
		SUCCEEDS(cprng_stream_try_bernoulli, 0, &chacha, numbers<int>(), 0.5),
		SUCCEEDS(cprng_stream_try_bernoulli_ratio, 0, &chacha, numbers<int>(), 1, 3),
		SUCCEEDS(cprng_stream_try_weighted, 0, &chacha, numbers<std::size_t>(), weights()),
		SUCCEEDS(cprng_stream_try_shuffle, 0, &chacha, numbers<std::uint64_t>(), 100, 8),
		STREAM_ARRAYS(3),
		STREAM_ARRAYS(64),
		STREAM_ARRAYS(2001),
		SUCCEEDS(cprng_stream_init, 0, &child, "chacha20", given, 32, given + 32, 12),
		SUCCEEDS(cprng_stream_init, 0, &child, "aes256-ctr", given, 32, given + 32, 16),
		SUCCEEDS(cprng_stream_seed_integer, 0, &child, nullptr, 42),
		SUCCEEDS(cprng_stream_seed_string, 0, &child, "aes256-ctr", text()),
		SUCCEEDS(cprng_stream_seed_text, 0, &child, "aes256-ctr", text(), 1),
		SUCCEEDS(cprng_stream_seed_number, 0, &child, nullptr, given, sizeof(given), 1),
		SUCCEEDS(cprng_stream_seed_bytes, 0, &child, nullptr, given, sizeof(given)),
		SUCCEEDS(cprng_stream_child, 0, &aes, 7, &child),
		SUCCEEDS(cprng_stream_seek, 0, &chacha, 12345),
		SUCCEEDS(cprng_stream_advance, 0, &chacha, 99),
		{ "cprng_stream_tell", 0, [] { (void)cprng_stream_tell(&chacha); } },
		SUCCEEDS(cprng_stream_save, CPRNG_STREAM_CHECKPOINT_SIZE, &aes, served, CPRNG_STREAM_CHECKPOINT_SIZE),
		SUCCEEDS(cprng_stream_restore, 0, &child, calls::checkpoint, CPRNG_STREAM_CHECKPOINT_SIZE),
		SERVES(cprng_stream_wipe, 0, &child),
		SUCCEEDS(cprng_add_entropy, 0, 3, given, 32, 8),
		SUCCEEDS(cprng_fortuna_add, 0, object, 3, given, 32, 8),
		SUCCEEDS(cprng_fortuna_seed, 0, object, given, sizeof(given)),
		SERVES(cprng_fortuna_drain, 0, object),
		SERVES(cprng_fortuna_set_locked_reads, 0, object, 1),
		OBJECT(1001),
		SERVES(cprng_strong_set_locked_reads, 0, 1),
		STRONG(1001),
		SUCCEEDS(cprng_seed_file, 0, seed_file),
		{ "cprng_get_info", 0, [] { get<cprng_info>(cprng_get_info); } },
		{ "cprng_get_strong_info", 0, [] { get<cprng_strong_info>(cprng_get_strong_info); } },
		{ "cprng_get_engine", 0,
		  [] {
			  get<cprng_engine_info>([](cprng_engine_info *info, std::size_t size) {
				  succeed("cprng_get_engine", cprng_get_engine(0, info, size));
			  });
		  } },
		{ "cprng_fortuna_get_info", 0,
		  [] {
			  get<cprng_fortuna_info>([](cprng_fortuna_info *info, std::size_t size) {
				  succeed("cprng_fortuna_get_info", cprng_fortuna_get_info(object, info, size));
			  });
		  } },
		SERVES(cprng_generation_number, 0),
		SERVES(cprng_version, 0),
		SERVES(cprng_strerror, 0, 0),
		SUCCEEDS(cprng_selftest, 0, nullptr, nullptr),
		// These leave the object unseeded.
		SUCCEEDS(cprng_reseed, 0),
		SERVES(cprng_invalidate, 0),
		{ "cprng_fortuna_new", 0,
		  [] {
			  cprng_fortuna_free(object);
			  succeed("cprng_fortuna_new", cprng_fortuna_new(&object, nullptr, 0));
			  succeed("cprng_fortuna_seed", cprng_fortuna_seed(object, given, sizeof(given)));
		  } },
		{ "cprng_fortuna_free", 0,
		  [] {
			  cprng_fortuna_free(object);
			  object = nullptr;
		  } },
		SERVES(cprng_vfork_child, 0),
	};

	return table;
}

void calls::prepare_files()
{
	if (seed_file[0] == '\0') {
		std::strcpy(seed_file, "/tmp/cprng-calls-XXXXXX");
		const int fd = mkstemp(seed_file);
		if (fd < 0)
			std::abort();
		close(fd);
		unlink(seed_file);
	}
}

void calls::prepare()
{
	prepare_files();
	succeed("cprng_stream_init", cprng_stream_init(&chacha, "chacha8", given, 32, nullptr, 0));
	succeed("cprng_stream_init", cprng_stream_init(&aes, "aes256-ctr", given, 32, nullptr, 0));
	succeed("cprng_stream_init", cprng_stream_init(&salsa, "salsa20", given, 32, nullptr, 0));
	succeed("cprng_stream_save", cprng_stream_save(&aes, checkpoint, sizeof(checkpoint)));
	// There is no object where a fork cannot wipe pages.
	if (object != nullptr || cprng_fortuna_new(&object, nullptr, 0) == 0)
		succeed("cprng_fortuna_seed", cprng_fortuna_seed(object, given, sizeof(given)));
}

void calls::each_stream(void (*f)(const cprng_stream &))
{
	for (const cprng_stream *s : { &chacha, &aes, &salsa, &child })
		f(*s);
}

void calls::clean_up()
{
	if (seed_file[0] != '\0')
		unlink(seed_file);
}

bool calls::possible(const Call &call)
{
	return object != nullptr || std::strncmp(call.function, "cprng_fortuna_", 14) != 0;
}

std::set<std::string> calls::exported()
{
	std::ifstream map(CPRNG_TEST_DOCUMENTS "/../cmake/cprng.map");
	std::set<std::string> names;

	for (std::string line; std::getline(map, line);) {
		if (line.rfind("\tcprng_", 0) == 0)
			names.insert(line.substr(1, line.find(';') - 1));
	}
	return names;
}
