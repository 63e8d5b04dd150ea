// SPDX-License-Identifier: BSD-2-Clause
#include "late_pages.hpp"

#include "scenario.hpp"

#include <sys/mman.h>
#include <unistd.h>

std::size_t late_pages::page, late_pages::memory_len;
unsigned char *late_pages::memory;
volatile std::sig_atomic_t late_pages::faulted;
bool late_pages::take_away_first;
void (*late_pages::in_handler)(std::size_t offset);

namespace {

using namespace late_pages;

volatile std::sig_atomic_t mapping;

void map_page(int signal, siginfo_t *info, void *)
{
	auto *const at = static_cast<unsigned char *>(info->si_addr);

	if (at < memory || at >= memory + memory_len || mapping) {
		std::signal(signal, SIG_DFL);
		return;
	}
	mapping = 1;
	const std::size_t offset = static_cast<std::size_t>(at - memory) / page * page;
	mprotect(memory + offset, page, PROT_READ | PROT_WRITE);
	faulted = faulted + 1;
	if (take_away_first && offset + page == memory_len) {
		take_away_first = false;
		mprotect(memory, page, PROT_NONE);
	}
	mapping = 0;
	if (in_handler != nullptr)
		in_handler(offset);
}

} // namespace

void late_pages::begin(std::size_t len)
{
	struct sigaction action = {};

	page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
	memory_len = (len + page - 1) / page * page;
	memory = static_cast<unsigned char *>(
		mmap(nullptr, memory_len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	REQUIRE_IN_CHILD(memory != MAP_FAILED);
	action.sa_sigaction = map_page;
	action.sa_flags = SA_SIGINFO | SA_NODEFER;
	REQUIRE_IN_CHILD(sigaction(SIGSEGV, &action, nullptr) == 0);
}
