// SPDX-License-Identifier: BSD-2-Clause
// The command's output, which is written to a sink.
#ifndef CPRNG_CLI_OUTPUT_OUTPUT_HPP
#define CPRNG_CLI_OUTPUT_OUTPUT_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/quantity.hpp"
#include "output/progress.hpp"
#include "output/sink.hpp"

// Call first.  Opens /dev/null on closed standard descriptors, so that no file opened later gets number 1 or 2 and receives a
// message; writes there still fail.  SIGPIPE and SIGXFSZ become write(2) errors, and SIGUSR1 prints a progress line.
void prepare_descriptors();

struct output_options {
	// As for open_sink.
	std::optional<std::string> file;
	bool progress = false;
};

class output {
public:
	// Standard output.
	output() : output(output_options())
	{
	}
	// Throws runtime_failure.
	explicit output(const output_options &options);

	// For raw bytes: throws usage_error if the output is a terminal.  instead: options that the message suggests.
	void refuse_terminal(std::string_view command, std::string_view instead) const;

	// Announce the size, and reserve space where possible.  Throws runtime_failure if there is too little.
	void expect(const amount &bytes);

	// Writes everything.  Throws runtime_failure or closed_pipe.
	void write(const void *data, std::size_t size);
	void write(std::string_view text)
	{
		write(text.data(), text.size());
	}

	// Sync the data, put the file in its place and report late errors.
	void finish();

private:
	std::unique_ptr<sink> sink_;
	progress progress_;
};

// Write the text to standard output.  Throws runtime_failure or closed_pipe.
void print(std::string_view text);

// The same for a command whose exit status is its verdict.  A caller may ignore the text, so this throws no closed_pipe.
void print_beside_verdict(std::string_view text);

#endif
