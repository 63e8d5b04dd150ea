// SPDX-License-Identifier: BSD-2-Clause
#include "machine/program.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/error.hpp"
#include "machine/elf_file.hpp"

namespace {

void check_file(const std::string &path, int depth);

// In a set-user-ID program or the like, the dynamic linker silently ignores LD_PRELOAD.
void check_rights(const std::string &path)
{
	struct stat status;
	if (stat(path.c_str(), &status) != 0)
		refuse_program(path, system_message(errno));
	// As execve(2); opening a FIFO would wait for its writer.
	if (!S_ISREG(status.st_mode))
		refuse_program(path, system_message(EACCES));
	const bool sets_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != getuid();
	const bool sets_group = (status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 &&
				status.st_gid != getgid();
	if (sets_user || sets_group)
		refuse_program(path, "is setuid or setgid: nothing can be preloaded into it");
	if (getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0)
		refuse_program(path, "has file capabilities: nothing can be preloaded into it");
}

bool begins_with(const std::string &text, const std::string &beginning)
{
	return text.compare(0, beginning.size(), beginning) == 0;
}

// gcc's address sanitizer is a library that ends the program if another library is loaded before it, unless its options
// allow that or it is preloaded itself.
void check_sanitizer(const std::string &path, const std::vector<std::string> &libraries)
{
	const char *const options = std::getenv("ASAN_OPTIONS"), *const preloaded = std::getenv("LD_PRELOAD");
	const std::string first = preloaded != nullptr ? preloaded : "";
	if ((options != nullptr && std::strstr(options, "verify_asan_link_order=0") != nullptr) ||
	    begins_with(first.substr(first.find_last_of('/', first.find_first_of(" :")) + 1), "libasan.so"))
		return;
	for (const std::string &library : libraries)
		if (begins_with(library, "libasan.so") || begins_with(library, "libclang_rt.asan"))
			refuse_program(
				path, fmt::format("has the address sanitizer ({}), which must be loaded first; "
						  "ASAN_OPTIONS=verify_asan_link_order=0 permits the library before it",
						  library));
}

// In "#!/usr/bin/python3 -E" the program is the interpreter.
void check_script(const std::string &path, std::istream &file, int depth)
{
	std::string line;
	file.seekg(2);
	std::getline(file, line);
	const std::size_t begin = line.find_first_not_of(" \t");
	if (begin == std::string::npos || depth == 4)
		return;
	const std::string name = line.substr(begin, line.find_first_of(" \t\r", begin) - begin);
	if (access(name.c_str(), F_OK) != 0)
		refuse_program(path, fmt::format("its interpreter {}: {}", quote(name), system_message(errno)));
	check_file(name, depth + 1);
}

void check_file(const std::string &path, int depth)
{
	check_rights(path);
	std::ifstream file(path, std::ios::binary), own(own_path(), std::ios::binary);
	// An executable file may be unreadable; then skip these checks.
	if (!file)
		return;
	const Elf64_Ehdr head = elf_head(file), own_head = elf_head(own);
	if (std::memcmp(head.e_ident, "#!", 2) == 0) {
		check_script(path, file, depth);
		return;
	}
	if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return; // the kernel refuses it or knows a handler
	if (head.e_ident[EI_CLASS] != own_head.e_ident[EI_CLASS] ||
	    head.e_ident[EI_DATA] != own_head.e_ident[EI_DATA] || head.e_machine != own_head.e_machine)
		refuse_program(path, "is for another architecture than the library");
	const std::string linker = elf_dynamic_linker(file, head), own_linker = elf_dynamic_linker(own, own_head);
	if (linker.empty())
		refuse_program(path, "is a static program: nothing can be preloaded into it");
	const auto last = [](const std::string &name) { return name.substr(name.rfind('/') + 1); };
	if (!own_linker.empty() && last(linker) != last(own_linker))
		refuse_program(path, fmt::format("is for another C library than the library ({}, not {})", last(linker),
						 last(own_linker)));
	check_sanitizer(path, elf_libraries(file, head));
}

} // namespace

void refuse_program(const std::string &path, const std::string &why)
{
	throw failure(status_cannot_run, fmt::format("{}: {}", quote(path), why));
}

std::string own_path()
{
	char path[PATH_MAX];
	const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
	if (size <= 0 || size == static_cast<ssize_t>(sizeof(path)))
		throw runtime_failure(fmt::format("/proc/self/exe: {}", system_message(errno)));
	return std::string(path, static_cast<std::size_t>(size));
}

std::string find_program(const std::string &name)
{
	if (name.find('/') != std::string::npos) {
		if (access(name.c_str(), F_OK) != 0)
			throw failure(status_not_found, fmt::format("{}: {}", quote(name), system_message(errno)));
		return name;
	}
	const char *path = std::getenv("PATH");
	std::string places = path != nullptr ? path : "/bin:/usr/bin";
	for (std::size_t at = 0; at <= places.size();) {
		const std::size_t end = std::min(places.find(':', at), places.size());
		const std::string place = places.substr(at, end - at);
		const std::string candidate = (place.empty() ? "." : place) + "/" + name;
		struct stat status;
		if (access(candidate.c_str(), X_OK) == 0 && stat(candidate.c_str(), &status) == 0 &&
		    S_ISREG(status.st_mode))
			return candidate;
		at = end + 1;
	}
	throw failure(status_not_found, fmt::format("{}: not found in PATH", quote(name)));
}

void check_program(const std::string &path)
{
	check_file(path, 0);
}
