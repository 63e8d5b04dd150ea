// SPDX-License-Identifier: BSD-2-Clause
// The command's output on its way to a sink.
#ifndef CPRNG_CLI_OUTPUT_OUTPUT_HPP
#define CPRNG_CLI_OUTPUT_OUTPUT_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "common/quantity.hpp"
#include "output/progress.hpp"
#include "output/sink.hpp"

// Call first.  Closed standard descriptors are given to /dev/null, so that no file opened later gets number 1 or 2 and
// then the text of a message; writing to them still fails.  SIGPIPE and SIGXFSZ become errors of write(2), SIGUSR1 asks
// for a line of progress.
void prepare_descriptors();

// As they were before, for a program that takes the place of this one.  (A handler, such as that of SIGUSR1, ends by itself.)
void restore_signals();

struct output_options : sink_options {
	bool progress = false;
};

class output {
public:
	// Standard output.
	output() : output(output_options())
	{
	}
	// Throws runtime_failure or usage_error.
	explicit output(const output_options &options);

	// For raw bytes: throws usage_error if this is a terminal.  instead: the options that can be given.
	void refuse_terminal(std::string_view command, std::string_view instead) const;

	std::optional<std::uint64_t> capacity() const
	{
		return sink_->capacity();
	}

	// So many bytes will come: make room, where that can be done before.  Throws runtime_failure if there is none.
	void expect(const amount &bytes);

	// All of it.  Throws runtime_failure or closed_pipe.
	void write(const void *data, std::size_t size);
	void write(std::string_view text)
	{
		write(text.data(), text.size());
	}

	// Bring the data to the disk where there is one, put the file in its place and report late errors.
	void finish();

private:
	std::unique_ptr<sink> sink_;
	progress progress_;
};

// All of the text, on standard output.  Throws runtime_failure or closed_pipe.
void print(std::string_view text);

// The same for a command whose exit status is a verdict, which is given to a caller that does not read the text as well:
// throws no closed_pipe.
void print_beside_verdict(std::string_view text);

#endif
