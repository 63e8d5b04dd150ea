// SPDX-License-Identifier: BSD-2-Clause
#include "run.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <future>
#include <numeric>
#include <random>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fmt/format.h>

#include "clock.hpp"
#include "error.hpp"
#include "load.hpp"

namespace lab {

namespace {

volatile std::sig_atomic_t got_interrupt;

extern "C" void note_interrupt(int)
{
	got_interrupt = 1;
}

// Sleeps in steps, because another thread may receive the signal.
void sleep_until_interrupted(double seconds)
{
	constexpr double step = 0.05;
	const double end = wall_seconds() + seconds;
	for (double left = seconds; left > 0 && !interrupted(); left = end - wall_seconds()) {
		struct timespec t = {};
		t.tv_nsec = static_cast<long>(std::min(left, step) * 1e9);
		nanosleep(&t, nullptr);
	}
}

// The possible error of accounting in 10 ms ticks, in CPUs.
constexpr double quiet = 0.15;
// Seconds of quiet before a repetition begins; a shorter repetition is not judged, since it has too few ticks.
constexpr double settling = 0.1;

std::string announced = "measuring";

class progress {
public:
	explicit progress(double total) : total_(total), begin_(wall_seconds())
	{
	}

	~progress()
	{
		if (shown_)
			fmt::print(stderr, "\r\033[K");
	}

	progress(const progress &) = delete;
	progress &operator=(const progress &) = delete;

	// This fraction of the planned time is over; the rest is extrapolated from the elapsed time.
	void show(double done)
	{
		if (!terminal_ || total_ <= 0)
			return;
		constexpr int length = 40;
		const double part = std::min(done / total_, 1.0), took = wall_seconds() - begin_;
		const double left = part > 0 ? took / part - took : total_;
		const auto full = static_cast<std::size_t>(part * length);
		fmt::print(stderr, "\r{} [{:<{}}] {:3.0f}%, {:.0f} s left\033[K", announced, std::string(full, '='),
			   length, part * 100, left);
		shown_ = true;
	}

private:
	double total_, begin_;
	bool terminal_ = isatty(STDERR_FILENO) != 0, shown_ = false;
};

// Runs each job in its own thread, then the given function; returns when all have ended.
template <typename Jobs, typename Start, typename Meanwhile>
bool together(const Jobs &jobs, const Start &start, const Meanwhile &meanwhile)
{
	std::vector<std::future<void>> threads;
	std::promise<void> line; // destroying it ends the other threads if one cannot be started
	const std::shared_future<void> open(line.get_future());
	for (const auto &job : jobs)
		threads.push_back(std::async(std::launch::async, [open, &start, &job] {
			open.get();
			start(job);
		}));
	line.set_value();
	meanwhile();
	for (const std::future<void> &thread : threads)
		thread.wait();
	for (std::future<void> &thread : threads)
		thread.get(); // throws what the job has thrown
	return !interrupted();
}

} // namespace

void catch_interrupts()
{
	struct sigaction action = {};
	action.sa_handler = note_interrupt;
	action.sa_flags = static_cast<int>(SA_RESETHAND);
	sigaction(SIGINT, &action, nullptr);
}

bool interrupted()
{
	return got_interrupt != 0;
}

double schedule::seconds() const
{
	return std::accumulate(units_.begin(), units_.end(), 0.0,
			       [](double sum, const unit &u) { return sum + u.seconds; });
}

void schedule::announce(const std::string &what)
{
	announced = what;
}

void schedule::repeat(const unit &u, double &patience)
{
	for (;;) {
		const double begin = wall_seconds();
		while (patience > wall_seconds() - begin && !interrupted()) {
			const cpu_times before = read_cpu_times();
			sleep_until_interrupted(settling);
			if (cpus_of_others(before, read_cpu_times()) <= quiet)
				break;
		}
		const cpu_times before = read_cpu_times();
		const std::function<void()> keep = u.work();
		if (!keep)
			return;
		const cpu_times after = read_cpu_times();
		if (patience <= 0 || after.now - before.now < settling || cpus_of_others(before, after) <= quiet) {
			keep();
			kept_++;
			others_.add(before, after);
			patience -= std::max(0.0, wall_seconds() - begin - u.seconds);
			return;
		}
		thrown_away_++;
		patience -= wall_seconds() - begin;
	}
}

void schedule::run(int repetitions, double patience)
{
	// Until a program has had a second thread, the C library takes locks without atomic instructions.
	std::thread([] {}).join();
	progress bar(seconds() * repetitions);
	double done = 0;
	std::mt19937 order(1); // NOLINT: a fixed order keeps runs comparable
	for (int i = 0; i < repetitions; i++) {
		std::shuffle(units_.begin(), units_.end(), order);
		for (const unit &u : units_) {
			bar.show(done);
			if (interrupted())
				return;
			repeat(u, patience);
			done += u.seconds;
		}
	}
}

bool run_together(double seconds, const std::vector<std::function<void(const stop_flag &stop)>> &jobs)
{
	stop_flag stop{ false };
	return together(
		jobs, [&stop](const auto &job) { job(stop); },
		[&stop, seconds] {
			sleep_until_interrupted(seconds);
			stop.store(true);
		});
}

bool run_together(const std::vector<std::function<void()>> &jobs)
{
	return together(jobs, [](const auto &job) { job(); }, [] {});
}

namespace {

// Waits for the end of the pipe: the parent and all of its other children have closed it.
[[noreturn]] void run_in_child(const int *line, const std::function<void()> &job)
{
	char none;
	close(line[1]);
	while (read(line[0], &none, 1) < 0 && errno == EINTR)
		;
	try {
		job();
	} catch (const std::exception &error) {
		fmt::print(stderr, "cprng-lab: in a process of its own: {}\n", error.what());
		_exit(1);
	}
	_exit(0);
}

// Returns whether the child has done its job.
bool wait_for(pid_t child)
{
	constexpr double between = 2e-3;
	int status = 0;
	struct rusage used = {};
	while (wait4(child, &status, WNOHANG, &used) == 0) {
		if (interrupted())
			kill(child, SIGKILL);
		sleep_until_interrupted(between);
	}
	child_has_ended(child, used);
	return status == 0;
}

} // namespace

bool run_in_processes(const std::vector<std::function<void()>> &jobs)
{
	int line[2];
	if (pipe2(line, O_CLOEXEC) != 0)
		throw failure(fmt::format("pipe: {}", std::strerror(errno)));
	std::vector<pid_t> children;
	for (const auto &job : jobs) {
		const pid_t child = fork();
		if (child == 0)
			run_in_child(line, job);
		if (child < 0)
			break;
		child_begins(child);
		children.push_back(child);
	}
	const bool all = children.size() == jobs.size();
	close(line[1]);
	bool done = true;
	for (const pid_t child : children)
		done = wait_for(child) && done;
	close(line[0]);
	if (!all)
		throw failure("fork: no more processes");
	if (!done && !interrupted())
		throw failure("a process has not finished its measurement");
	return !interrupted();
}

stay_here::stay_here()
{
	cpu_set_t one;
	CPU_ZERO(&one);
	const int cpu = sched_getcpu();
	moved_ = cpu >= 0 && cpu < CPU_SETSIZE && sched_getaffinity(0, sizeof(before_), &before_) == 0;
	if (!moved_)
		return;
	CPU_SET(cpu, &one);
	moved_ = sched_setaffinity(0, sizeof(one), &one) == 0;
}

stay_here::~stay_here()
{
	if (moved_)
		sched_setaffinity(0, sizeof(before_), &before_);
}

bool go_to_cpu(unsigned int which)
{
	cpu_set_t all, one;
	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(all), &all) != 0)
		return false;
	for (std::size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all) || which-- != 0)
			continue;
		CPU_SET(cpu, &one);
		return sched_setaffinity(0, sizeof(one), &one) == 0;
	}
	return false;
}

void begin_on_cpu(unsigned int which)
{
	cpu_set_t before;
	if (sched_getaffinity(0, sizeof(before), &before) == 0 && go_to_cpu(which))
		sched_setaffinity(0, sizeof(before), &before);
}

} // namespace lab
