// SPDX-License-Identifier: BSD-2-Clause
// Streams in several processes, each of which generates a part of a stream, has a copy of it, or aborts because a stream has
// no bytes left.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"

#include <csignal>
#include <functional>
#include <utility>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stream_processes {

namespace {

cprng_stream open_stream(const char *engine)
{
	cprng_stream s;
	REQUIRE(cprng_stream_seed_integer(&s, engine, 54) == 0);
	return s;
}

// A child process that runs a function and sends its output through a pipe.
class Writer {
public:
	explicit Writer(const std::function<bool(int to)> &write_all)
	{
		int ends[2];
		REQUIRE(pipe(ends) == 0);
		child = fork();
		REQUIRE(child >= 0);
		if (child == 0) {
			close(ends[0]);
			_exit(write_all(ends[1]) ? 0 : 1);
		}
		close(ends[1]);
		from = ends[0];
	}

	Writer(Writer &&other) noexcept : child(std::exchange(other.child, -1)), from(other.from)
	{
	}

	~Writer()
	{
		if (child > 0) {
			kill(child, SIGKILL);
			finish();
		}
	}

	std::size_t get(std::uint8_t *out, std::size_t size)
	{
		std::size_t done = 0;
		for (ssize_t n; done < size && (n = read(from, out + done, size - done)) > 0;)
			done += static_cast<std::size_t>(n);
		return done;
	}

	bool finish()
	{
		int status = 1;
		close(from);
		return waitpid(std::exchange(child, -1), &status, 0) > 0 && status == 0;
	}

private:
	pid_t child;
	int from;
};

bool put(int to, const void *data, std::size_t size)
{
	const auto *at = static_cast<const std::uint8_t *>(data);
	for (ssize_t n; size > 0; at += n, size -= static_cast<std::size_t>(n)) {
		n = write(to, at, size);
		if (n <= 0)
			return false;
	}
	return true;
}

} // namespace

// Catches a part of a stream that is at the wrong place in the whole.
TEST_CASE("stream processes: parts of several processes are the bytes of one stream")
{
	const auto numbers = run::volume<std::uint64_t>(1000003, 100000007);

	for (const char *engine : { "chacha8", "aes256-ctr" }) {
		if (engine[0] == 'a' && (cprng_cpu_features() & (CPRNG_CPU_AESNI | CPRNG_CPU_ARM_AES)) == 0)
			continue; // slow in software
		const std::uint64_t processes = 7;
		std::vector<Writer> parts;
		for (std::uint64_t i = 0; i < processes; i++) {
			const std::uint64_t first = numbers * i / processes, end = numbers * (i + 1) / processes;
			parts.emplace_back([=](int to) {
				std::vector<double> out(3000);
				cprng_stream s;
				if (cprng_stream_seed_integer(&s, engine, 54) != 0 ||
				    cprng_stream_advance(&s, static_cast<std::int64_t>(8 * first)) != 0)
					return false;
				for (std::uint64_t at = first; at < end;) {
					const std::uint64_t n = std::min<std::uint64_t>(out.size(), end - at);
					if (cprng_stream_fill_double(&s, out.data(), n) != 0 ||
					    !put(to, out.data(), 8 * n))
						return false;
					at += n;
				}
				return true;
			});
		}
		cprng_stream s = open_stream(engine);
		std::vector<double> want(8192);
		Bytes got(8 * want.size());
		std::uint64_t same_numbers = 0;
		for (std::uint64_t i = 0; i < processes; i++) {
			const std::uint64_t end = numbers * (i + 1) / processes;
			while (same_numbers < end) {
				const std::uint64_t n = std::min<std::uint64_t>(want.size(), end - same_numbers);
				REQUIRE(parts[i].get(got.data(), 8 * n) == 8 * n);
				REQUIRE(cprng_stream_fill_double(&s, want.data(), n) == 0);
				REQUIRE(std::memcmp(got.data(), want.data(), 8 * n) == 0);
				same_numbers += n;
			}
			CHECK(parts[i].get(got.data(), 1) == 0);
			CHECK(parts[i].finish());
		}
		CHECK(same_numbers == numbers);
	}
}

// Catches a stream that is lost or erased at a fork, and copies that share an offset.
TEST_CASE("stream processes: a child has a copy after a fork, and its own offset")
{
	cprng_stream s = open_stream(nullptr);
	std::uint64_t numbers[300], want[300];

	cprng_stream_u32(&s);
	cprng_stream t = s;
	Writer child([&s](int to) {
		std::uint64_t mine[300];
		for (std::uint64_t &x : mine)
			x = cprng_stream_u64(&s);
		return put(to, mine, sizeof(mine));
	});
	REQUIRE(child.get(reinterpret_cast<std::uint8_t *>(numbers), sizeof(numbers)) == sizeof(numbers));
	CHECK(child.finish());
	CHECK(cprng_stream_tell(&s) == 4);
	for (std::uint64_t &x : want)
		x = cprng_stream_u64(&t);
	CHECK(std::memcmp(numbers, want, sizeof(want)) == 0);
	CHECK(cprng_stream_u64(&s) == want[0]);
}

namespace {

std::uint64_t little_endian(const std::uint8_t *p, std::size_t size)
{
	std::uint64_t x = 0;
	for (std::size_t i = 0; i < size; i++)
		x |= std::uint64_t{ p[i] } << 8 * i;
	return x;
}

// The library's function, which programs call when nothing is inlined.
std::uint64_t (*volatile call_u64)(cprng_stream *) = cprng_stream_u64;

// Runs the function in a child process.  Returns the line that the child writes to standard error before it aborts, or "" if
// it does not abort.  (An emulator writes more lines.)
std::string last_words(const std::function<void()> &act)
{
	int ends[2];
	REQUIRE(pipe(ends) == 0);
	const pid_t child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		std::signal(SIGABRT, SIG_DFL); // avoids the test program's report
		const struct rlimit none = { 0, 0 };
		setrlimit(RLIMIT_CORE, &none);
		dup2(ends[1], STDERR_FILENO);
		act();
		_exit(0);
	}
	close(ends[1]);
	std::string words;
	char piece[200];
	for (ssize_t n; (n = read(ends[0], piece, sizeof(piece))) > 0;)
		words.append(piece, static_cast<std::size_t>(n));
	close(ends[0]);
	int status = 0;
	REQUIRE(waitpid(child, &status, 0) == child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? words.substr(0, words.find('\n') + 1) : "";
}

} // namespace

// Catches a number that uses bytes beyond the end, or an invalid stream.
TEST_CASE("stream numbers: without bytes to be made of they abort")
{
	const Bytes key(32, 0x51), nonce(12);
	const std::uint64_t end = std::uint64_t{ 1 } << 38;
	cprng_stream s;
	REQUIRE(cprng_stream_init(&s, "chacha8", key.data(), key.size(), nonce.data(), nonce.size()) == 0);

	// to the last byte
	REQUIRE(cprng_stream_seek(&s, end - 15) == 0);
	cprng_stream t = s;
	Bytes last(15);
	REQUIRE(cprng_stream_read(&t, last.data(), 15) == 0);
	CHECK(cprng_stream_u64(&s) == little_endian(last.data(), 8));
	CHECK(cprng_stream_u32(&s) == little_endian(last.data() + 8, 4));
	CHECK(cprng_stream_u16(&s) == little_endian(last.data() + 12, 2));
	CHECK(last_words([&] { cprng_stream_u16(&s); }) == "cprng: a number was asked of a stream at its end\n");
	CHECK(last_words([&] { cprng_stream_u64(&s); }) == "cprng: a number was asked of a stream at its end\n");
	CHECK(cprng_stream_u8(&s) == last[14]);
	CHECK(cprng_stream_tell(&s) == end);
	CHECK(last_words([&] { cprng_stream_u8(&s); }) == "cprng: a number was asked of a stream at its end\n");
	CHECK(last_words([&] { cprng_stream_normal(&s, 0, 1); }) ==
	      "cprng: a number was asked of a stream at its end\n");
	std::uint64_t out[2];
	CHECK(cprng_stream_fill_u64(&s, out, 1) == CPRNG_ERR_RANGE);
	REQUIRE(cprng_stream_seek(&s, end - 15) == 0);
	CHECK(cprng_stream_fill_u64(&s, out, 2) == CPRNG_ERR_RANGE);
	CHECK(cprng_stream_fill_u64(&s, out, SIZE_MAX) == CPRNG_ERR_RANGE);
	CHECK(cprng_stream_fill_u64(&s, out, SIZE_MAX / 8 + 2) == CPRNG_ERR_RANGE); // 8 bytes, modulo SIZE_MAX + 1
	CHECK(cprng_stream_tell(&s) == end - 15);
	cprng_stream whole = s;
	REQUIRE(cprng_stream_seek(&whole, 0) == 0);
	CHECK(cprng_stream_fill_u64(&whole, out, SIZE_MAX / 8 + 2) ==
	      (SIZE_MAX > UINT32_MAX ? CPRNG_ERR_RANGE : CPRNG_ERR_ARGUMENT));
	CHECK(cprng_stream_fill_u64(&s, out, 1) == 0);
	CHECK(out[0] == little_endian(last.data(), 8));

	// not a stream
	const std::string words = "cprng: a number was asked of an object that is not a stream\n";
	cprng_stream_wipe(&s);
	for (cprng_stream *dead : { &s, static_cast<cprng_stream *>(nullptr) }) {
		CHECK(last_words([&] { cprng_stream_u8(dead); }) == words);
		CHECK(last_words([&] { cprng_stream_u32(dead); }) == words);
		CHECK(last_words([&] { call_u64(dead); }) == words);
		CHECK(last_words([&] { cprng_stream_double(dead); }) == words);
		CHECK(last_words([&] { cprng_stream_uniform32(dead, 6); }) == words);
		CHECK(last_words([&] { cprng_stream_normal(dead, 0, 1); }) == words);
		CHECK(cprng_stream_fill_u64(dead, out, 1) == CPRNG_ERR_ARGUMENT);
		CHECK(cprng_stream_sample(dead, out, 1, 1) == CPRNG_ERR_ARGUMENT);
	}
}

} // namespace stream_processes
