// SPDX-License-Identifier: BSD-2-Clause
#include "output/output.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "common/error.hpp"
#include "system/system.hpp"

void prepare_descriptors()
{
	prepare_process();
	progress::answer_signal();
}

output::output(const output_options &options) : sink_(open_sink(options.file))
{
	if (options.progress)
		progress_.show_always();
}

void output::refuse_terminal(std::string_view command, std::string_view instead) const
{
	if (is_terminal(sink_->descriptor()))
		throw usage_error(fmt::format("{}: raw bytes would spoil the terminal; redirect the output, or give {}",
					      command, instead));
}

void output::expect(const amount &bytes)
{
	if (!bytes.is_endless())
		progress_.expect(bytes.value());
	sink_->reserve(bytes.value());
}

void output::write(const void *data, std::size_t size)
{
	const char *next = static_cast<const char *>(data);
	while (size > 0) {
		const std::ptrdiff_t written = write_some(sink_->descriptor(), next, size);
		if (written > 0) {
			next += written;
			size -= static_cast<std::size_t>(written);
			progress_.add(static_cast<std::uint64_t>(written));
		} else if (written == 0) {
			// As a block device returns at its end.
			sink_->fail(ENOSPC);
		} else if (errno == EPIPE) {
			throw closed_pipe();
		} else {
			sink_->fail(errno);
		}
	}
}

void output::finish()
{
	sink_->finish();
	progress_.finish();
}

void print(std::string_view text)
{
	output out;
	out.write(text);
	out.finish();
}

void print_beside_verdict(std::string_view text)
{
	try {
		print(text);
	} catch (const closed_pipe &) {
		// The exit status carries the verdict.
	}
}
