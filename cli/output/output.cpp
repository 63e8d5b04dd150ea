// SPDX-License-Identifier: BSD-2-Clause
#include "output/output.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "common/error.hpp"

namespace {

struct ignored {
	int number;
	struct sigaction before;
};

ignored ignored_signals[] = { { SIGPIPE, {} }, { SIGXFSZ, {} } };

} // namespace

void prepare_descriptors()
{
	for (int descriptor = 0; descriptor <= 2; descriptor++) {
		if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF)
			continue;
		// Open it in the wrong mode, so that use still fails.  open returns the lowest free number, which is this one.
		if (open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) != descriptor)
			_exit(status_runtime);
	}
	struct sigaction action = {};
	action.sa_handler = SIG_IGN;
	for (ignored &one : ignored_signals)
		sigaction(one.number, &action, &one.before);
	progress::answer_signal();
}

void restore_signals()
{
	for (const ignored &one : ignored_signals)
		sigaction(one.number, &one.before, nullptr);
}

output::output(const output_options &options) : sink_(open_sink(options))
{
	if (options.progress)
		progress_.show_always();
}

void output::refuse_terminal(std::string_view command, std::string_view instead) const
{
	if (isatty(sink_->descriptor()) == 1)
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
		ssize_t written = ::write(sink_->descriptor(), next, size);
		if (written > 0) {
			next += written;
			size -= static_cast<std::size_t>(written);
			progress_.add(static_cast<std::uint64_t>(written));
		} else if (written == 0) {
			// A block device returns 0 at its end.
			sink_->fail(ENOSPC, sink_->where(progress_.done()));
		} else if (errno == EPIPE) {
			throw closed_pipe();
		} else if (errno == EAGAIN) {
			// Another process that shares the pipe or terminal has made it non-blocking.
			struct pollfd ready = { sink_->descriptor(), POLLOUT, 0 };
			if (poll(&ready, 1, -1) < 0 && errno != EINTR)
				sink_->fail(errno);
		} else if (errno != EINTR) {
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
