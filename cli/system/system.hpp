// SPDX-License-Identifier: BSD-2-Clause
// The command's calls of the operating system.  unix.cpp and windows.cpp implement them; sources for both systems include no other
// system header.  On failure a call returns -1 and sets errno, unless its comment says otherwise.  On Windows file names are UTF-8.
#ifndef CPRNG_CLI_SYSTEM_SYSTEM_HPP
#define CPRNG_CLI_SYSTEM_SYSTEM_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

// ----------------------------------------------------------------------------------------------------------- the process

constexpr int standard_input_descriptor = 0;
constexpr int standard_output_descriptor = 1;
constexpr int standard_error_descriptor = 2;

// Call first.  Afterwards no opened file gets the number of a closed standard descriptor, and a write to a closed pipe or beyond
// the file size limit is an error of write_some().
void prepare_process();

// Unix only: restore the signals before execve(2), which resets handlers such as SIGUSR1's by itself.
void restore_signals();

// Replace main's arguments by UTF-8 ones.  Returns false if one is not UTF-16.
bool take_arguments(int &argc, char **&argv);

// Unix only: call answer() on SIGUSR1, which asks for the progress, unless the parent ignores the signal.
void on_progress_signal(void (*answer)(int));

// Call start() with signals blocked, so that its threads get none and the writing thread handles them at once.
void without_signals(const std::function<void()> &start);

// The reason why this system lacks a command that others have, or null.
const char *why_absent(std::string_view command);

// -------------------------------------------------------------------------------------------------- terminals and messages

bool is_terminal(int descriptor) noexcept;

// Whether standard error is a terminal that can rewrite a line, or show colours.
bool rewrites_lines() noexcept;
bool has_colours() noexcept;

// Write to standard error by a single write, so that other writers' lines do not mix with it.  A failure cannot be reported.
// Async-signal-safe.
void write_message(std::string_view text) noexcept;

// ----------------------------------------------------------------------------------------------------------------- files

// Open the file for reading.
int open_input(const std::string &file);

// A file for reading and writing that has no name or vanishes with the process.
int open_temporary(const std::string &directory);

// The directory for such files, and its description for the help.
std::string temporary_directory();
extern const char temporary_directory_note[];

// Transfer at most size bytes; 0 means the end.  They restart after signals, and wait if another process has made the shared pipe
// or terminal non-blocking.  A pipe without a reader gives EPIPE.
std::ptrdiff_t read_some(int descriptor, char *data, std::size_t size);
std::ptrdiff_t write_some(int descriptor, const void *data, std::size_t size) noexcept;

int close_file(int descriptor) noexcept;
int sync_file(int descriptor) noexcept;

// Unix only: Windows does not open directories.
bool is_directory(int descriptor) noexcept;

// from: SEEK_SET, SEEK_CUR, SEEK_END.
std::int64_t seek(int descriptor, std::int64_t offset, int from) noexcept;

// The bytes of a regular file from the current position on; 0 for others.
std::uint64_t size_left(int descriptor) noexcept;

// Enlarge a pipe's buffer, where possible.
void enlarge_pipe(int descriptor, int size) noexcept;

struct space {
	std::uint64_t whole;
	// Without the blocks kept for root: user 0 of a container has no right to them.
	std::uint64_t free;
};

// The space of the directory's file system.  Empty if the directory is missing or the file system, such as ramfs, does not know its
// size.
std::optional<space> space_in(const std::string &directory);
// Unix only: the same for an open file.
std::optional<space> space_of(int descriptor);

// Whether a carriage return before a newline belongs to the end of the line.
extern const bool lines_end_in_crlf;

// ------------------------------------------------------------------------------------------------------- memory and CPUs

// Zeroed pages, excluded from core dumps and error reports; null on failure.
void *allocate_pages(std::size_t size) noexcept;
// Wipe and free them.
void free_pages(void *pages, std::size_t size) noexcept;

// Overwrite by stores that the compiler keeps.
void wipe(void *data, std::size_t size) noexcept;

// Keep the process's memory out of core dumps and error reports, as far as the system can.
void forbid_dumps() noexcept;

// The bytes of memory that this process may use, or 0 if unknown: the least of the machine's memory and, on Unix, the limits of the
// process (RLIMIT_AS, RLIMIT_DATA) and of its control groups, such as a container's.
std::uint64_t usable_memory();

// The CPUs that this process may use; a large number if it is unknown.
unsigned int processors() noexcept;

// ----------------------------------------------------------------------------------------------- the system's randomness

// An empty text if the system gives random bytes, or the call and the reason.
std::string why_no_entropy();

// The device through which the system's generator takes bytes; empty if there is none.
extern const char kernel_pool[];
// Give it bytes, without entropy credit: only the machine's owner knows their entropy.  Returns an errno value.
int give_to_kernel(const void *data, std::size_t size) noexcept;

#endif
