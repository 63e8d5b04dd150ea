// SPDX-License-Identifier: BSD-2-Clause
#include "examiner.hpp"

#include "subject.hpp"

#include "../../../support/internals.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::size_t chunk = 1 << 20, finds_max = 20;

struct Mapping {
	std::uint64_t begin, end;
	std::string permissions, name;
};

std::vector<Mapping> mappings_of(pid_t pid)
{
	std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
	std::vector<Mapping> all;

	for (std::string line; std::getline(maps, line);) {
		std::istringstream fields(line);
		std::string range, offset, device, inode;
		Mapping m;
		fields >> range >> m.permissions >> offset >> device >> inode;
		std::getline(fields >> std::ws, m.name);
		m.begin = std::stoull(range, nullptr, 16);
		m.end = std::stoull(range.substr(range.find('-') + 1), nullptr, 16);
		all.push_back(m);
	}
	return all;
}

bool overlaps(const Mapping &m, const channel::Pages &pages)
{
	return m.begin < pages.end && pages.begin < m.end;
}

[[noreturn]] void become_subject(const Examiner::Options &options, int channel, const std::string &directory)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	std::string program = "erasure", first = subject::argument, fd = std::to_string(channel),
		    engine = options.engine, backend = options.backend,
		    kept = std::to_string(static_cast<int>(options.kept)), unbuffered = "unbuffered";
	char *argv[] = { &program[0],
			 &first[0],
			 &fd[0],
			 &engine[0],
			 &backend[0],
			 &kept[0],
			 options.unbuffered ? &unbuffered[0] : nullptr,
			 nullptr };

	// If the hard limit is lower, there is no core file, and dump_core() reports that.
	(void)setrlimit(RLIMIT_CORE, &unlimited);
	if (options.slots)
		setenv("CPRNG_PLACEMENT", "slots", 1);
	if (chdir(directory.c_str()) == 0)
		execv("/proc/self/exe", argv);
	_exit(2);
}

} // namespace

Examiner::Examiner(const Options &options) : secrets(options.engine, options.backend)
{
	std::string pattern = (std::filesystem::temp_directory_path() / "cprng-erasure-XXXXXX").string();
	if (mkdtemp(&pattern[0]) == nullptr)
		throw std::runtime_error("no temporary directory");
	directory = pattern;
	const int fd = memfd_create("channel", 0);
	if (fd < 0 || ftruncate(fd, sizeof(channel::Shared)) != 0)
		throw std::runtime_error("no memory for the channel");
	shared = static_cast<channel::Shared *>(
		mmap(nullptr, sizeof(channel::Shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	if (shared == MAP_FAILED)
		throw std::runtime_error("no memory for the channel");
	pid = fork();
	if (pid == 0)
		become_subject(options, fd, directory);
	close(fd);
	if (pid < 0)
		throw std::runtime_error("no fork");
}

Examiner::~Examiner()
{
	if (pid > 0) {
		kill(pid, SIGKILL);
		while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
		}
	}
	if (memory >= 0)
		close(memory);
	munmap(shared, sizeof(channel::Shared));
	std::error_code ignored;
	std::filesystem::remove_all(directory, ignored); // made by mkdtemp
}

bool Examiner::next()
{
	if (memory >= 0)
		kill(pid, SIGCONT);
	while (waitpid(pid, &wait_status, WUNTRACED) < 0 && errno == EINTR) {
	}
	if (!WIFSTOPPED(wait_status)) {
		pid = -1;
		return false;
	}
	if (memory < 0) {
		memory = open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
		if (memory < 0)
			throw std::runtime_error("the memory of a child cannot be read");
	}
	return true;
}

bool Examiner::read_memory(std::uint64_t address, void *to, std::size_t len) const
{
	return pread(memory, to, len, static_cast<off_t>(address)) == static_cast<ssize_t>(len);
}

// Secrets that the library may hold, and only in these pages.
void Examiner::read_buffers()
{
	std::array<unsigned char, 32> key;

	live_keys.clear();
	for (std::uint64_t i = 0; i < shared->buffer_count; i++) {
		cprng_buffer b;
		if (!read_memory(shared->buffers + i * sizeof(b), &b, sizeof(b)))
			throw std::runtime_error("a buffer cannot be read");
		if (b.key_tag != 0) {
			std::copy_n(b.key, key.size(), key.begin());
			live_keys.insert(key);
			live.add(b.key, sizeof(b.key));
		}
		live.add(b.out, std::min<std::size_t>(b.left, sizeof(b.out)));
	}
	if (shared->fortuna_key != 0 && read_memory(shared->fortuna_key, key.data(), key.size())) {
		live_keys.insert(key);
		live.add(key.data(), key.size());
	}
}

void Examiner::scan(const unsigned char *bytes, std::size_t len, std::uint64_t address, const std::string &mapping,
		    bool anything_is_wrong, std::vector<Find> *finds)
{
	for (std::size_t i = 0; i + 8 <= len && finds->size() < finds_max; i++) {
		const std::uint64_t window = window_at(bytes + i);
		if (window == 0)
			continue;
		if (secrets.gone(window) || (anything_is_wrong && secrets.hidden(window)))
			finds->push_back({ mapping, address + i, secrets.name(*shared, window) });
	}
}

std::vector<Find> Examiner::look(Coverage *coverage)
{
	std::vector<unsigned char> bytes(chunk + 7);
	std::vector<Find> finds;

	if (shared->full != 0)
		throw std::runtime_error("the log is full");
	read_buffers();
	secrets.learn(*shared, live_keys);
	for (const Mapping &m : mappings_of(pid)) {
		// Excluded: program text, which holds no secrets, and the channel, which holds all of them.
		if (m.permissions[0] != 'r' || m.permissions[1] != 'w' || m.name.rfind("/memfd:channel", 0) == 0)
			continue;
		const bool library = overlaps(m, shared->secret);
		for (std::uint64_t at = m.begin; at < m.end; at += chunk) {
			const std::size_t len = std::min<std::uint64_t>(m.end - at, chunk + 7);
			if (!read_memory(at, bytes.data(), len))
				throw std::runtime_error("not readable: " + m.name);
			scan(bytes.data(), len, at, m.name, !library, &finds);
			coverage->bytes += len;
		}
		coverage->stack |= m.name == "[stack]";
		coverage->heap |= m.name == "[heap]";
		coverage->secret_pages |= library;
	}
	return finds;
}

std::string Examiner::flags_at(std::uint64_t address) const
{
	std::ifstream smaps("/proc/" + std::to_string(pid) + "/smaps");
	bool within = false;

	for (std::string line; std::getline(smaps, line);) {
		unsigned long begin, end;
		if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
			within = begin <= address && address < end;
		else if (within && line.rfind("VmFlags:", 0) == 0)
			return line.substr(8) + " ";
	}
	return "";
}

std::string Examiner::dump_core(std::string *why_not)
{
	std::ifstream file("/proc/sys/kernel/core_pattern");
	std::string core_pattern;

	std::getline(file, core_pattern);
	if (core_pattern.empty() || core_pattern.find_first_of("|/") != std::string::npos) {
		*why_not =
			"kernel.core_pattern is \"" + core_pattern + "\", which is not a file in the working directory";
		return "";
	}
	read_buffers();
	kill(pid, SIGABRT);
	next();
	if (!WIFSIGNALED(wait_status) || !WCOREDUMP(wait_status)) {
		*why_not = "the kernel has not dumped core (a hard limit of RLIMIT_CORE?)";
		return "";
	}
	for (const auto &entry : std::filesystem::directory_iterator(directory))
		return entry.path().string();
	*why_not = "the core file is not in the working directory";
	return "";
}

std::vector<Find> Examiner::look_at_core(const std::string &path)
{
	std::ifstream file(path, std::ios::binary);
	std::vector<unsigned char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
	std::vector<Find> finds;

	secrets.learn(*shared, live_keys);
	scan(bytes.data(), bytes.size(), 0, "core", true, &finds);
	for (std::size_t i = 0; i + 8 <= bytes.size() && finds.size() < finds_max; i++) {
		if (live.contains(window_at(&bytes[i])))
			finds.push_back({ "core", i, "held by the library" });
	}
	return finds;
}
