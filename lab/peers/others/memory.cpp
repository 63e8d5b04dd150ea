// SPDX-License-Identifier: BSD-2-Clause
// Memory per thread: a process's memory while all its threads wait, before and after each has drawn once.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <fstream>
#include <limits>
#include <mutex>
#include <sstream>

#include <pthread.h>

#include <fmt/format.h>

#include "../../common/child.hpp"
#include "../../common/error.hpp"
#include "others.hpp"

namespace lab::others {

namespace {

// Enough for a draw of every contender; only pages that were touched count.
constexpr std::size_t stack_size = 128 * 1024;

// Memory of this process in bytes.  /proc/self/statm is not exact: it leaves out some of the kernel's per-CPU counters.
std::uint64_t resident()
{
	std::ifstream in("/proc/self/smaps_rollup");
	in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
	std::string name;
	std::uint64_t kib = 0;
	if (!(in >> name >> kib) || name != "Rss:")
		throw failure("no resident memory in /proc/self/smaps_rollup");
	return kib * 1024;
}

// Threads advance in phases: 1, all have started; 2, all have drawn; 3, the end.
class waiting_threads {
public:
	explicit waiting_threads(const contender_info *info) : info_(info)
	{
	}

	~waiting_threads()
	{
		go(3);
		for (const pthread_t thread : threads_)
			pthread_join(thread, nullptr);
	}

	waiting_threads(const waiting_threads &) = delete;
	waiting_threads &operator=(const waiting_threads &) = delete;

	// Starts as many threads as possible; returns their number.
	unsigned int gather(unsigned int wanted)
	{
		pthread_attr_t attributes;
		pthread_attr_init(&attributes);
		pthread_attr_setstacksize(&attributes, stack_size);
		threads_.reserve(wanted);
		pthread_t thread;
		while (threads_.size() < wanted && pthread_create(&thread, &attributes, start, this) == 0)
			threads_.push_back(thread);
		pthread_attr_destroy(&attributes);
		wait_for_all();
		return static_cast<unsigned int>(threads_.size());
	}

	void draw()
	{
		{
			const std::lock_guard<std::mutex> lock(mutex_);
			arrived_ = 0;
		}
		go(2);
		wait_for_all();
	}

private:
	static void *start(void *self)
	{
		static_cast<waiting_threads *>(self)->run();
		return nullptr;
	}

	void run()
	{
		arrive_and_wait(2);
		unsigned char byte;
		std::unique_ptr<contender> source;
		if (step() == 2 && info_ != nullptr) {
			source = info_->made_there();
			source->fill(&byte, 1);
		}
		arrive_and_wait(3);
	}

	int step()
	{
		const std::lock_guard<std::mutex> lock(mutex_);
		return step_;
	}

	void arrive_and_wait(int for_step)
	{
		std::unique_lock<std::mutex> lock(mutex_);
		arrived_++;
		all_there_.notify_one();
		next_.wait(lock, [this, for_step] { return step_ >= for_step; });
	}

	void wait_for_all()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		all_there_.wait(lock, [this] { return arrived_ == threads_.size(); });
	}

	void go(int to)
	{
		const std::lock_guard<std::mutex> lock(mutex_);
		step_ = to;
		next_.notify_all();
	}

	const contender_info *info_;
	std::vector<pthread_t> threads_;
	std::mutex mutex_;
	std::condition_variable all_there_, next_;
	std::size_t arrived_ = 0;
	int step_ = 1;
};

struct memory_row {
	const contender_info *info; // nullptr: nothing is drawn
	unsigned int threads = 0;
	std::vector<double> before, drawn; // bytes per thread

	std::string name() const
	{
		return info != nullptr ? info->name : nothing_name;
	}
};

class memory : public section {
public:
	explicit memory(const options &chosen) : threads_(chosen.threads)
	{
		rows_.push_back({ nullptr, 0, {}, {} });
		for (const contender_info *info : chosen.chosen())
			rows_.push_back({ info, 0, {}, {} });
	}

	// One repetition, or two for confirmation: memory is less noisy than time.
	void plan(schedule &all) override
	{
		constexpr double seconds_of_a_thread = 60e-6;
		for (memory_row &r : rows_)
			if (r.info == nullptr || (r.info->absent.empty() && has_threads_of_c(*r.info)))
				all.add_kept(seconds_of_a_thread * threads_, [this, &r] { run(r); });
	}

	void report_to(report &to) const override
	{
		table t("others_memory", "Resident memory for each of many threads, in bytes",
			{ { "contender", "contender" },
			  { "threads", "threads" },
			  { "before", "waiting,\nnone drew" },
			  { "drawn", "more when each\nhas drawn" },
			  { "more", "more than\nof nothing" },
			  { "here", "" } });
		nlohmann::ordered_json raw = nlohmann::ordered_json::array();
		const double base = spread_of(rows_.front().drawn).median;
		bool fewer = false;
		for (const memory_row &r : rows_) {
			const spread drawn = spread_of(r.drawn);
			fewer = fewer || (r.threads != 0 && r.threads < threads_);
			t.add({ word(r.name()), r.threads != 0 ? whole(r.threads) : nothing(), measured(r.before),
				measured(drawn), drawn.count != 0 ? rounded(drawn.median - base) : nothing(),
				word(r.info == nullptr ? "draws nothing" :
				     r.info->absent.empty() && !has_threads_of_c(*r.info) ?
							 "not measured: no threads of C" :
							 availability(*r.info)) });
			raw.push_back({ { "contender", r.name() },
					{ "threads", r.threads },
					{ "before", r.before },
					{ "drawn", r.drawn } });
		}
		t.note(fmt::format(
			"Of a process with {} threads of {} of stack, all of which wait, before and after each has drawn "
			"one byte.  Draws touch\nstack and the C library's heap as well: that is in it.",
			threads_, size_name(stack_size)));
		if (fewer)
			t.note("The system does not allow as many threads as were wanted: see their number.");
		t.draw({ plot::axis::categories,
			 "contender",
			 { "more" },
			 "bytes for each thread, more than of nothing" });
		to.add(t, raw);
	}

private:
	static bool has_threads_of_c(const contender_info &info)
	{
		return info.in_this_program() || info.runs_again;
	}

	static cell rounded(double bytes)
	{
		return { fmt::format("{:.0f}", bytes), bytes };
	}

	void run(memory_row &r) const
	{
		if (r.drawn.size() >= 2)
			return;
		const std::string count = std::to_string(threads_);
		child process(r.info != nullptr && r.info->runs_again ?
				      r.info->command("thread-memory", { count }) :
				      own_command({ "thread-memory", r.name(), count }));
		std::istringstream in(process.answer());
		double before, drawn;
		if (!(in >> r.threads >> before >> drawn))
			throw failure("no answer about the memory of " + r.name());
		r.before.push_back(before / r.threads);
		r.drawn.push_back(drawn / r.threads);
	}

	unsigned int threads_;
	std::deque<memory_row> rows_;
};

} // namespace

void print_thread_memory(const std::string &name, unsigned int threads)
{
	const contender_info *info = name == nothing_name ? nullptr : &find_contender(name);
	// Memory that the process has anyway belongs to no thread.
	if (info != nullptr) {
		unsigned char byte;
		info->made_there()->fill(&byte, 1);
	}
	waiting_threads all(info);
	const std::uint64_t begin = resident();
	const unsigned int count = all.gather(threads);
	if (count == 0)
		throw failure("not one thread can be begun");
	const std::uint64_t there = resident();
	all.draw();
	const std::uint64_t drawn = resident();
	std::printf("%u %lld %lld\n", count, static_cast<long long>(there - begin),
		    static_cast<long long>(drawn - there));
}

std::unique_ptr<section> make_memory(const options &chosen)
{
	return std::make_unique<memory>(chosen);
}

} // namespace lab::others
