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

output::output(const output_options &options) : sink_(open_sink(options))
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
	std::uint64_t size = bytes.value();
	if (bytes.is_endless() && sink_->capacity())
		size = *sink_->capacity();
	if (!bytes.is_endless() || sink_->capacity())
		progress_.expect(size);
	sink_->reserve(size);
}

void output::write(const void *data, std::size_t size)
{
	const char *next = static_cast<const char *>(data);
	while (size > 0) {
		sink_->prepare(progress_.done(), next, size);
		const std::ptrdiff_t written = write_some(sink_->descriptor(), next, size);
		if (written > 0) {
			next += written;
			size -= static_cast<std::size_t>(written);
			progress_.add(static_cast<std::uint64_t>(written));
		} else if (written == 0) {
			// A block device returns 0 at its end.
			sink_->fail(ENOSPC, sink_->where(progress_.done()));
		} else if (errno == EPIPE) {
			throw closed_pipe();
		} else {
			sink_->fail(errno, sink_->where(progress_.done()));
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
