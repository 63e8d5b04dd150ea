// SPDX-License-Identifier: BSD-2-Clause
// Each invariant that CPRNG_CHECK checks, broken on purpose.  Runs in builds without CPRNG_CHECK, too.
#ifndef CPRNG_CHECK
#define CPRNG_CHECK
#endif
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"

#include "process/check.h"

#include <csignal>
#include <memory>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace {

// The message of a child that checks this buffer and this generation of this process; "" if the child exits with success.
std::string broken(const struct cprng_buffer &b, const struct cprng_process &p, std::uint64_t generation)
{
	const std::string before = "cprng: broken invariant: ";
	int ends[2];
	char said[256];

	REQUIRE(pipe(ends) == 0);
	const pid_t pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		std::signal(SIGABRT, SIG_DFL); // otherwise doctest reports it
		cprng_check_buffer(&b);
		cprng_check_process(&p, generation);
		_exit(0);
	}
	REQUIRE(pid > 0);
	close(ends[1]);
	const ssize_t size = read(ends[0], said, sizeof(said));
	close(ends[0]);
	const int status = machine::status_of(pid);
	const std::string words(said, size > 0 ? static_cast<std::size_t>(size) : 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return words;
	CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT));
	REQUIRE(words.substr(0, before.size()) == before);
	return words.substr(before.size(), words.find('\n') - before.size());
}

} // namespace

// Catches a check that misses a broken invariant, and a check that aborts a program whose state is correct.
TEST_CASE("check: a broken invariant ends the process with its name")
{
	const auto b = std::make_unique<struct cprng_buffer>();
	const auto p = std::make_unique<struct cprng_process>();
	std::uint8_t bytes[100], key[CPRNG_KEY_SIZE];

	std::memset(bytes, 1, sizeof(bytes));
	std::memset(key, 1, sizeof(key));
	p->buffer_count = p->draw.cpus = 2;
	CHECK(broken(*b, *p, 7) == "");
	cprng_buffer_push(b.get(), bytes, sizeof(bytes));
	cprng_buffer_put_key(b.get(), key, 1);
	REQUIRE(cprng_buffer_pop(b.get(), bytes, 13));
	CHECK(broken(*b, *p, 7) == "");
	CHECK(cprng_buffer_take_key(b.get(), key) == 1);
	CHECK(broken(*b, *p, 7) == "");
	p->draw.cpus = 0;
	CHECK(broken(*b, *p, 7) == "");

	CHECK(broken(*b, *p, 0) == "a generation is odd");
	CHECK(broken(*b, *p, 6) == "a generation is odd");
	p->draw.cpus = 1;
	CHECK(broken(*b, *p, 7) == "inlined draws see all buffers or none");
	p->draw.cpus = p->buffer_count = CPRNG_BUFFERS_MAX + 1;
	CHECK(broken(*b, *p, 7) == "buffers are bounded");
	p->draw.cpus = p->buffer_count = CPRNG_BUFFERS_MAX;
	CHECK(broken(*b, *p, 7) == "");

	for (const std::size_t at : { b->left | (CPRNG_BUFFER_ALIGN - 1u), CPRNG_BUFFER_SIZE - 1u }) {
		b->out[at] = 1;
		CHECK(broken(*b, *p, 7) == "a buffer has erased what it served");
		b->out[at] = 0;
	}
	b->key[sizeof(b->key) - 1] = 1;
	CHECK(broken(*b, *p, 7) == "a buffer has erased the key that a refill took");
	b->key[sizeof(b->key) - 1] = 0;
	b->left = CPRNG_BUFFER_SIZE + 1;
	CHECK(broken(*b, *p, 7) == "a buffer has at most its size");
}
