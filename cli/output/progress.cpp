// SPDX-License-Identifier: BSD-2-Clause
#include "output/progress.hpp"

#include <cmath>

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

namespace {

using seconds = std::chrono::duration<double>;

// On a terminal the line is rewritten; elsewhere a log grows by a line each time.
constexpr seconds between_rewrites{ 0.2 };
constexpr seconds between_lines{ 5 };
// Nothing is shown of what is over before.
constexpr seconds patience{ 1 };
// The clock is read once in so many bytes: reading it costs nothing beside them.
constexpr std::uint64_t bytes_between_looks = std::uint64_t{ 256 } * 1024;

volatile sig_atomic_t asked;

extern "C" void note_signal(int)
{
	asked = 1;
}

void say(const std::string &text)
{
	// There is nowhere to report its failure to.
	if (write(STDERR_FILENO, text.data(), text.size()) < 0)
		return;
}

std::string readable_time(double time)
{
	if (!(time < 1e9))
		return "a long time";
	auto whole = static_cast<std::uint64_t>(std::ceil(time));
	if (whole < 60)
		return fmt::format("{} s", whole);
	if (whole < 3600)
		return fmt::format("{}:{:02} min", whole / 60, whole % 60);
	return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

} // namespace

std::string readable_size(std::uint64_t bytes)
{
	constexpr const char *names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = static_cast<double>(bytes);
	std::size_t name = 0;
	for (; value >= 1024 && name < std::size(names) - 1; name++)
		value /= 1024;
	return name == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.{}f} {}", value, value < 100 ? 1 : 0, names[name]);
}

void progress::answer_signal()
{
	struct sigaction before;
	// A parent that has the signal ignored wants it ignored.
	if (sigaction(SIGUSR1, nullptr, &before) == 0 && before.sa_handler == SIG_IGN)
		return;
	struct sigaction action = {};
	action.sa_handler = note_signal;
	sigemptyset(&action.sa_mask);
	// Without SA_RESTART: a write that waits for its reader comes back, and the line is printed at once.
	sigaction(SIGUSR1, &action, nullptr);
}

progress::progress(const char *done)
    : verb_(done), start_(clock::now()), due_(start_ + std::chrono::duration_cast<clock::duration>(patience)),
      when_(when::never), terminal_(isatty(STDERR_FILENO) == 1)
{
	// Where standard output is a terminal too, the line would stand among what is printed.
	if (terminal_ && isatty(STDOUT_FILENO) != 1)
		when_ = when::late;
}

progress::~progress()
{
	if (open_line_)
		say("\n");
}

void progress::show(bool always) noexcept
{
	when_ = always ? when::always : when::never;
}

void progress::look()
{
	if (asked != 0) {
		asked = 0;
		print(true);
	}
	if (when_ == when::never || done_ - done_at_look_ < bytes_between_looks)
		return;
	done_at_look_ = done_;
	const clock::time_point now = clock::now();
	if (now < due_)
		return;
	due_ = now + std::chrono::duration_cast<clock::duration>(terminal_ ? between_rewrites : between_lines);
	print(false);
}

void progress::finish()
{
	look();
	if (when_ == when::always || open_line_)
		print(true);
}

void progress::print(bool last)
{
	const double time = seconds(clock::now() - start_).count();
	const double rate = time > 0 ? static_cast<double>(done_) / time : 0;
	std::string text = fmt::format("cprng: {} {}", readable_size(done_), verb_);
	const bool ends = total_ && done_ < *total_;
	if (ends)
		text += fmt::format(" of {} ({} %)", readable_size(*total_),
				    static_cast<unsigned int>(100.0 * static_cast<double>(done_) / static_cast<double>(*total_)));
	text += fmt::format(" in {:.1f} s, {}/s", time, readable_size(static_cast<std::uint64_t>(rate)));
	if (ends && rate > 0)
		text += fmt::format(", {} left", readable_time(static_cast<double>(*total_ - done_) / rate));
	if (terminal_)
		// Over the line before, and what was longer in it.
		text = fmt::format("\r{}\x1b[K", text);
	if (last || !terminal_)
		text += '\n';
	open_line_ = terminal_ && !last;
	say(text);
}
