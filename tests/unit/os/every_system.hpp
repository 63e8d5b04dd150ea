// SPDX-License-Identifier: BSD-2-Clause
// The parts of os.h's contract that hold on every system.  Include it after the system's support.hpp, which includes os.h.
#ifndef CPRNG_TESTS_OS_EVERY_SYSTEM_HPP
#define CPRNG_TESTS_OS_EVERY_SYSTEM_HPP

#include "../../support/filled.hpp"

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

namespace every_system {

// Three threads wait; a store and three wakes end the waits.
inline void check_waits()
{
	std::uint32_t word = 1;
	std::atomic<int> arrived{ 0 }, through{ 0 };
	std::vector<std::thread> waiting;

	cprng_os_wait(&word, 2); // must not sleep
	cprng_os_wake(&word);    // allowed although no thread waits
	for (int i = 0; i < 3; i++)
		waiting.emplace_back([&] {
			arrived++;
			while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 1)
				cprng_os_wait(&word, 1);
			through++;
		});
	while (arrived != 3)
		std::this_thread::yield();
	cprng_os_sleep(20000000); // by now most threads sleep
	CHECK(through == 0);
	__atomic_store_n(&word, 0, __ATOMIC_RELEASE);
	for (std::size_t i = 0; i < waiting.size(); i++)
		cprng_os_wake(&word);
	// A thread that keeps sleeping would hang the test.
	for (std::thread &thread : waiting)
		thread.join();
	CHECK(through == 3);
}

// Entropy fills exactly the requested bytes: lengths up to 600 bytes, and around a page.
inline void check_entropy(std::size_t step)
{
	filled::Memory memory(70000);
	std::vector<std::size_t> lengths = { 4095, 4096, 4097, 70000 };

	REQUIRE(memory.is_there());
	for (std::size_t len = 0; len <= 600; len += step)
		lengths.push_back(len);
	for (std::size_t len : lengths)
		CHECK(filled::fault(
			      memory, [](void *buf, std::size_t n) { return cprng_os_entropy(buf, n) == 0; }, len,
			      len % 61) == "");
}

template <typename Directory> cprng_os_file found(const Directory &directory, const char *name)
{
	cprng_os_file file;

	std::memset(&file, 0xff, sizeof(file));
	REQUIRE(cprng_os_find_file(directory.number, name, &file) >= 0);
	return file;
}

// Compares the status of an open file with the status by its name.
template <typename Directory> cprng_os_file described(int fd, const Directory &directory, const char *name)
{
	const cprng_os_file other = found(directory, name);
	cprng_os_file file;

	std::memset(&file, 0xff, sizeof(file));
	REQUIRE(cprng_os_describe_file(fd, &file) >= 0);
	CHECK(file.device == other.device);
	CHECK(file.number == other.number);
	CHECK(file.size == other.size);
	CHECK(file.links == other.links);
	CHECK(file.regular == other.regular);
	CHECK(file.trusted == other.trusted);
	CHECK(file.owner_may_write == other.owner_may_write);
	CHECK(file.exposed == other.exposed);
	return file;
}

// Creates a file of five bytes.
inline void check_new(const cprng_os_file &file)
{
	CHECK(file.size == 5);
	CHECK(file.links == 1);
	CHECK(file.regular);
	CHECK(file.trusted);
	CHECK(file.owner_may_write);
	CHECK_FALSE(file.exposed);
}

} // namespace every_system

#endif
