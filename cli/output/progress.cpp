// SPDX-License-Identifier: BSD-2-Clause
#include "output/progress.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/quantity.hpp"
#include "system/system.hpp"

namespace {

constexpr std::uint64_t second = 1'000'000;
// A terminal's line is rewritten; a log gets a new line each time.
constexpr std::uint64_t between_rewrites = second / 5;
constexpr std::uint64_t between_lines = 5 * second;
// Shorter commands show no progress.
constexpr std::uint64_t patience = second;

std::atomic<progress *> current;
static_assert(std::atomic<progress *>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free,
	      "the signal handler reads them");

std::uint64_t microseconds()
{
	using unit = std::chrono::duration<std::uint64_t, std::micro>;
	return std::chrono::duration_cast<unit>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Formats integers into preallocated memory, which is safe in a signal handler.
class short_text {
public:
	template <typename... Values> void add(fmt::format_string<Values...> format, Values &&...values)
	{
		const auto result =
			fmt::format_to_n(text_ + size_, sizeof(text_) - size_, format, std::forward<Values>(values)...);
		size_ = static_cast<std::size_t>(result.out - text_);
	}

	void add_size(std::uint64_t bytes)
	{
		char text[readable_size_max];
		add("{}", std::string_view(text, write_size(bytes, text)));
	}

	void add_time(std::uint64_t seconds)
	{
		if (seconds < 60)
			add("{} s", seconds);
		else if (seconds < 3600)
			add("{}:{:02} min", seconds / 60, seconds % 60);
		else
			add("{}:{:02} h", seconds / 3600, seconds / 60 % 60);
	}

	std::string_view view() const noexcept
	{
		return { text_, size_ };
	}

private:
	char text_[256];
	std::size_t size_ = 0;
};

} // namespace

void progress::answer(int)
{
	const int error = errno;
	progress *one = current;
	if (one != nullptr)
		one->print(true);
	errno = error;
}

void progress::answer_signal()
{
	on_progress_signal(answer);
}

progress::progress() : start_(microseconds()), due_(start_ + patience), terminal_(rewrites_lines())
{
	// If standard output is a terminal too, the line would mix with the output.
	if (terminal_ && !is_terminal(standard_output_descriptor))
		when_ = when::late;
	current = this;
}

progress::~progress()
{
	current = nullptr;
	if (open_line_)
		write_message("\n");
}

void progress::look()
{
	done_at_look_ = done_;
	const std::uint64_t now = microseconds();
	if (now < due_)
		return;
	due_ = now + (terminal_ ? between_rewrites : between_lines);
	print(false);
}

void progress::finish()
{
	if (when_ == when::always || open_line_)
		print(true);
}

void progress::print(bool last) noexcept
{
	const std::uint64_t time = std::max(microseconds() - start_, std::uint64_t{ 1 });
	const std::uint64_t done = done_;
	const std::uint64_t total = total_;
	// A double, so that exabytes do not overflow.
	const auto rate = static_cast<std::uint64_t>(static_cast<double>(done) / static_cast<double>(time) * second);
	const bool ends = total != unknown && done < total;
	short_text text;
	// Overwrite the previous line, and blank the rest of a longer one.
	text.add("{}cprng: ", terminal_ ? "\r" : "");
	text.add_size(done);
	text.add(" written");
	if (ends) {
		text.add(" of ");
		text.add_size(total);
		text.add(" ({} %)", done / (total / 100 + 1));
	}
	if (time < second)
		text.add(" in 0.{:03} s, ", time / (second / 1000));
	else
		text.add(" in {}.{} s, ", time / second, time % second / (second / 10));
	text.add_size(rate);
	text.add("/s");
	if (ends && rate > 0) {
		text.add(", ");
		text.add_time((total - done) / rate + 1);
		text.add(" left");
	}
	text.add("{}{}", terminal_ ? "\x1b[K" : "", last || !terminal_ ? "\n" : "");
	open_line_ = terminal_ && !last;
	write_message(text.view());
}
