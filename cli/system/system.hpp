// SPDX-License-Identifier: BSD-2-Clause
// What the command asks of the operating system.  unix.cpp and windows.cpp answer; the sources of both systems include no other
// header of a system.  A call that fails returns -1 and sets errno, unless its comment says otherwise.  Names of files are UTF-8
// on Windows.
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

// Call first.  After it no file that is opened gets the number of a closed standard descriptor, and a write to a closed pipe or
// beyond the largest size of a file is an error of write_some().
void prepare_process();

// Unix alone: restore the signals before execve(2), which resets handlers such as SIGUSR1's by itself.
void restore_signals();

// Replace the arguments of main by UTF-8 ones.  Returns false if one is not UTF-16.
bool take_arguments(int &argc, char **&argv);

// Unix alone: have the signal that asks for the progress, SIGUSR1, call answer(), unless the parent ignores the signal.
void on_progress_signal(void (*answer)(int));

// Call start(), whose threads get no signal: only the thread that writes handles signals, at once.
void without_signals(const std::function<void()> &start);

// The reason why this system lacks a command that others have, or null.
const char *why_absent(std::string_view command);

// -------------------------------------------------------------------------------------------------- terminals and messages

bool is_terminal(int descriptor) noexcept;

// Whether standard error is a terminal whose lines can be written again; and whether it has colours.
bool rewrites_lines() noexcept;
bool has_colours() noexcept;

// Write to standard error, by a single write, which keeps a line whole among other writers' lines.  A failure cannot be reported.
// A signal handler may call it.
void write_message(std::string_view text) noexcept;

// ----------------------------------------------------------------------------------------------------------------- files

// Open the file for reading.
int open_input(const std::string &file);

// A file without a name, or that vanishes with the process, for reading and writing.
int open_temporary(const std::string &directory);

// The directory for such files, and what the help says of it.
std::string temporary_directory();
extern const char temporary_directory_note[];

// Some bytes: at most size; 0 at the end.  They repeat what a signal interrupted, and wait where another process that shares the
// pipe or terminal has made it non-blocking.  The error of a pipe without a reader is EPIPE.
std::ptrdiff_t read_some(int descriptor, char *data, std::size_t size);
std::ptrdiff_t write_some(int descriptor, const void *data, std::size_t size) noexcept;

int close_file(int descriptor) noexcept;
int sync_file(int descriptor) noexcept;

// Unix only: Windows does not open directories.
bool is_directory(int descriptor) noexcept;

// from: SEEK_SET, SEEK_CUR, SEEK_END.
std::int64_t seek(int descriptor, std::int64_t offset, int from) noexcept;

// What is left of a regular file: 0 for others.
std::uint64_t size_left(int descriptor) noexcept;

// Give a pipe more room, where that is possible.
void enlarge_pipe(int descriptor, int size) noexcept;

struct space {
	std::uint64_t whole;
	// Without the blocks kept for root: user 0 of a container has no right to them.
	std::uint64_t free;
};

// The space of the file system that the directory is in, if it knows its size; some, such as ramfs, do not.  Nothing for a
// directory that is missing, too.
std::optional<space> space_in(const std::string &directory);
// Unix alone: the same for an open file.
std::optional<space> space_of(int descriptor);

// Whether a carriage return before a newline belongs to the end of the line.
extern const bool lines_end_in_crlf;

// ------------------------------------------------------------------------------------------------------- memory and CPUs

// Whole pages of zeros that core dumps and error reports exclude, or null.
void *allocate_pages(std::size_t size) noexcept;
// Wipe and free them.
void free_pages(void *pages, std::size_t size) noexcept;

// Overwrite by stores that the compiler keeps.
void wipe(void *data, std::size_t size) noexcept;

// Keep the process's memory out of core dumps and error reports, as far as the system can.
void forbid_dumps() noexcept;

// The bytes of memory that this process may use, or 0 if the number is unknown: the machine's memory; on Unix the limits of the
// process (RLIMIT_AS, RLIMIT_DATA) and of its control groups, such as a container's, if one of them is less.
std::uint64_t usable_memory();

// The CPUs that this process may use; a large number if it is unknown.
unsigned int processors() noexcept;

// ----------------------------------------------------------------------------------------------- the system's randomness

// An empty text if the system gives random bytes, or the call and the reason.
std::string why_no_entropy();

// The device by which the system's generator takes bytes; empty if there is none.
extern const char kernel_pool[];
// Give it bytes, without credit: only the machine's owner knows their entropy.  Returns an errno value.
int give_to_kernel(const void *data, std::size_t size) noexcept;

#endif
