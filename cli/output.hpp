// SPDX-License-Identifier: BSD-2-Clause
// Where the command's output goes: standard output, a regular file that appears whole or not at all, or a device.
#ifndef CPRNG_CLI_OUTPUT_HPP
#define CPRNG_CLI_OUTPUT_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include <sys/stat.h>
#include <sys/types.h>

// Call first.  Closed standard descriptors are given to /dev/null, so that no file opened later gets number 1 or 2 and
// then the text of a message; writing to them still fails.  SIGPIPE and SIGXFSZ become errors of write(2).
void prepare_descriptors();

class output {
public:
	// Standard output.
	output();
	// A regular or new file is written under a temporary name beside it and renamed by finish; a device, FIFO and the
	// like is written directly.  Throws runtime_failure.
	explicit output(const std::string &file);
	// Without finish the temporary file is removed.
	~output();
	output(const output &) = delete;
	output &operator=(const output &) = delete;

	bool is_terminal() const noexcept;

	// All of it.  Throws runtime_failure or closed_pipe.
	void write(const void *data, std::size_t size);
	void write(std::string_view text)
	{
		write(text.data(), text.size());
	}

	// Bring the data to the disk where there is one, put the file in its place and report late errors.
	void finish();

private:
	void open_existing(const struct stat &status);
	void open_temporary(mode_t mode);
	void sync();
	[[noreturn]] void fail(int error) const;

	int descriptor_;
	// For messages.
	std::string name_;
	// The file that is opened or replaced, and the temporary file (empty where there is none).
	std::string target_;
	std::string temporary_;
	// Keep mode and owner of the file that is replaced.
	bool replaces_ = false;
	mode_t mode_ = 0;
	uid_t owner_ = 0;
	gid_t group_ = 0;
};

#endif
