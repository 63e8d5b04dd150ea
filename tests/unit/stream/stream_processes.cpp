// SPDX-License-Identifier: BSD-2-Clause
// Streams in several processes: each generates a part of one, or has a copy of it.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"

#include <csignal>
#include <functional>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

namespace {

cprng_stream open_stream(const char *engine)
{
	cprng_stream s;
	REQUIRE(cprng_stream_seed_integer(&s, engine, 54) == 0);
	return s;
}

// A child process whose function writes to a pipe.
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

// Catches a part of a stream that is at the wrong place of the whole.
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

// Catches a copy that is lost or erased at a fork, or shares its offset.
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
