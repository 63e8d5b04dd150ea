// SPDX-License-Identifier: BSD-2-Clause
// The first byte in a new process, and in a new thread.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <sstream>
#include <thread>

#include <unistd.h>

#include <fmt/format.h>

#include "../../common/child.hpp"
#include "../../common/clock.hpp"
#include "../../common/error.hpp"
#include "others.hpp"

namespace lab::others {

std::vector<std::string> own_command(const std::vector<std::string> &words)
{
	std::vector<std::string> command = { "/proc/self/exe", "others-child" };
	command.insert(command.end(), words.begin(), words.end());
	return command;
}

// Build the list of contenders first, since some of them search for files.
void print_first_byte(const std::string &name)
{
	unsigned char byte = 0;
	const contender_info *info = name == nothing_name ? nullptr : &find_contender(name);
	const std::uint64_t begin = monotonic_ns();
	if (info != nullptr)
		info->made_there()->fill(&byte, 1);
	std::printf("%llu\n", static_cast<unsigned long long>(monotonic_ns() - begin));
}

namespace {

struct start_row {
	const contender_info *info; // nullptr: nothing is drawn
	std::vector<double> process_us, byte_us, thread_us, second_us;

	std::string name() const
	{
		return info != nullptr ? info->name : nothing_name;
	}
};

// Each repetition reports the median of these.
constexpr unsigned int processes_of_a_repetition = 5, threads_of_a_repetition = 21;

// Microseconds of the first and the second byte in new threads.
struct thread_times {
	std::vector<double> first, second;
};

// nullptr: draw nothing.
thread_times times_of_threads(const contender_info *info)
{
	unsigned char byte = 0;
	if (info != nullptr)
		info->made_there()->fill(&byte, 1);
	thread_times times;
	const double us_per_tick = ns_per_tick() * 1e-3;
	for (unsigned int i = 0; i < threads_of_a_repetition && !interrupted(); i++)
		std::thread([&] {
			const std::uint64_t begin = ticks();
			const auto source = info != nullptr ? info->made_there() : nullptr;
			if (source)
				source->fill(&byte, 1);
			const std::uint64_t middle = ticks();
			if (source)
				source->fill(&byte, 1);
			const std::uint64_t end = ticks();
			times.first.push_back(static_cast<double>(middle - begin) * us_per_tick);
			times.second.push_back(static_cast<double>(end - middle) * us_per_tick);
		}).join();
	return times;
}

class start : public section {
public:
	explicit start(const options &chosen) : quick_(chosen.quick)
	{
		rows_.push_back({ nullptr, {}, {}, {}, {} });
		for (const contender_info *info : chosen.chosen())
			rows_.push_back({ info, {}, {}, {}, {} });
	}

	void plan(schedule &all) override
	{
		constexpr double seconds_of_a_process = 4e-3, seconds_of_a_thread = 1e-4;
		for (start_row &r : rows_) {
			if (r.info != nullptr && !r.info->absent.empty())
				continue;
			all.add_kept(seconds_of_a_process * processes(), [this, &r] { run_processes(r); });
			if (r.info == nullptr || r.info->in_this_program() || r.info->runs_again)
				all.add_kept(seconds_of_a_thread * threads_of_a_repetition, [&r] { run_threads(r); });
		}
	}

	void report_to(report &to) const override
	{
		table t("others_start", "The first byte, in microseconds of wall time",
			{ { "contender", "contender" },
			  { "process", "new process,\nfrom its start" },
			  { "in_process", "in a new process,\nfirst byte" },
			  { "thread", "in a new thread,\nfirst byte" },
			  { "second", "in a new thread,\nsecond byte" },
			  { "here", "" } });
		nlohmann::ordered_json raw = nlohmann::ordered_json::array();
		for (const start_row &r : rows_) {
			t.add({ word(r.name()), measured(r.process_us), measured(r.byte_us), measured(r.thread_us),
				measured(r.second_us),
				word(r.info != nullptr ? availability(*r.info) : "draws nothing") });
			raw.push_back({ { "contender", r.name() },
					{ "process_us", r.process_us },
					{ "in_process_us", r.byte_us },
					{ "thread_us", r.thread_us },
					{ "second_us", r.second_us } });
		}
		t.note("A new process is this program, run again for that byte (of Rust and Go, their own); from its start is until its\n"
		       "answer has come, with its loading; in it, from before the generator is set up.  In a new thread the same,\n"
		       "where the process has drawn before.");
		t.draw({ plot::axis::categories, "contender", { "process" }, "us to the first byte of a new process" });
		t.draw({ plot::axis::categories,
			 "contender",
			 { "in_process", "thread", "second" },
			 "us a byte, in a process and a thread that are new" });
		to.add(t, raw);
	}

private:
	unsigned int processes() const
	{
		return quick_ ? 1 : processes_of_a_repetition;
	}

	void run_processes(start_row &r) const
	{
		const bool elsewhere = r.info != nullptr && !r.info->in_this_program();
		const std::vector<std::string> command = elsewhere ? r.info->command("first-byte") :
								     own_command({ "first-byte", r.name() });
		std::vector<double> processes_us, bytes_us;
		for (unsigned int i = 0; i < processes() && !interrupted(); i++) {
			const std::uint64_t begin = monotonic_ns();
			child process(command);
			const std::string answer = process.answer();
			processes_us.push_back(static_cast<double>(monotonic_ns() - begin) * 1e-3);
			bytes_us.push_back(std::stod(answer) * 1e-3);
		}
		if (interrupted())
			return;
		r.process_us.push_back(spread_of(processes_us).median);
		r.byte_us.push_back(spread_of(bytes_us).median);
	}

	static void run_threads(start_row &r)
	{
		thread_times times;
		if (r.info != nullptr && r.info->runs_again)
			times = asked(child(r.info->command("thread-bytes")).answer());
		else
			times = times_of_threads(r.info);
		if (interrupted())
			return;
		r.thread_us.push_back(spread_of(times.first).median);
		r.second_us.push_back(spread_of(times.second).median);
	}

	static thread_times asked(const std::string &answer)
	{
		thread_times times;
		std::istringstream in(answer);
		for (double first, second; in >> first >> second;) {
			times.first.push_back(first);
			times.second.push_back(second);
		}
		return times;
	}

	bool quick_;
	std::deque<start_row> rows_;
};

} // namespace

void print_thread_bytes(const std::string &name)
{
	const thread_times times = times_of_threads(&find_contender(name));
	for (std::size_t i = 0; i < times.first.size(); i++)
		std::printf("%s%g %g", i == 0 ? "" : " ", times.first[i], times.second[i]);
	std::printf("\n");
}

std::unique_ptr<section> make_start(const options &chosen)
{
	return std::make_unique<start>(chosen);
}

} // namespace lab::others
