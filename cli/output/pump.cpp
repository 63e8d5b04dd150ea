// SPDX-License-Identifier: BSD-2-Clause
#include "output/pump.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "common/buffer.hpp"
#include "system/system.hpp"

namespace {

// More threads make no sink faster.
constexpr unsigned int makers_max = 8;
// Shorter outputs end before the threads have started.
constexpr std::uint64_t pieces_for_threads = 8;

// Divides the output into pieces.
class cutter {
public:
	explicit cutter(const work &work) : next_(work.begin), left_(work.size), piece_(work.piece)
	{
	}

	struct part {
		std::uint64_t begin;
		std::size_t size;
	};

	bool any() const noexcept
	{
		return left_.any();
	}

	part cut()
	{
		part result = { next_, static_cast<std::size_t>(left_.take(piece_ - next_ % piece_)) };
		next_ += result.size;
		return result;
	}

private:
	std::uint64_t next_;
	amount left_;
	std::size_t piece_;
};

// A ring of buffers: each thread takes the next piece and its buffer, once that buffer has been written.
class ring {
public:
	ring(const work &work, unsigned int makers) : work_(work), cutter_(work), slots_(2 * std::size_t{ makers })
	{
		for (slot &s : slots_)
			s.buffer = std::make_unique<wiped_buffer>(work.room);
		without_signals([&] {
			try {
				for (unsigned int i = 0; i < makers; i++)
					makers_.emplace_back([this] { run(); });
			} catch (const std::exception &) {
				// Continue with the threads that exist, if any.
			}
		});
	}

	~ring()
	{
		{
			const std::lock_guard<std::mutex> lock(mutex_);
			stopped_ = true;
		}
		free_.notify_all();
		for (std::thread &maker : makers_)
			maker.join();
	}

	ring(const ring &) = delete;
	ring &operator=(const ring &) = delete;

	bool has_makers() const noexcept
	{
		return !makers_.empty();
	}

	void write_all(output &out)
	{
		for (std::uint64_t i = 0;; i++) {
			slot &s = slots_[i % slots_.size()];
			{
				std::unique_lock<std::mutex> lock(mutex_);
				ready_.wait(lock, [&] { return s.full || error_ || (i == cut_ && !cutter_.any()); });
				if (error_)
					std::rethrow_exception(error_);
				if (!s.full)
					return;
			}
			out.write(s.buffer->data(), s.size);
			{
				const std::lock_guard<std::mutex> lock(mutex_);
				s.full = false;
				s.taken = false;
			}
			free_.notify_one();
		}
	}

private:
	struct slot {
		std::unique_ptr<wiped_buffer> buffer;
		std::size_t size = 0;
		bool taken = false;
		bool full = false;
	};

	void run()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		for (;;) {
			free_.wait(lock,
				   [&] { return stopped_ || !cutter_.any() || !slots_[cut_ % slots_.size()].taken; });
			if (stopped_ || !cutter_.any())
				return;
			slot &s = slots_[cut_ % slots_.size()];
			const cutter::part part = cutter_.cut();
			cut_++;
			s.taken = true;
			if (!cutter_.any())
				free_.notify_all();
			lock.unlock();
			std::size_t made = 0;
			std::exception_ptr error;
			try {
				made = work_.make(part.begin, part.size, s.buffer->data());
			} catch (...) {
				error = std::current_exception();
			}
			lock.lock();
			s.size = made;
			s.full = true;
			if (error)
				error_ = error;
			ready_.notify_one();
		}
	}

	const work &work_;
	std::mutex mutex_;
	std::condition_variable free_;
	std::condition_variable ready_;
	cutter cutter_;
	std::uint64_t cut_ = 0;
	std::vector<slot> slots_;
	bool stopped_ = false;
	std::exception_ptr error_;
	std::vector<std::thread> makers_;
};

} // namespace

void pump(const work &work, output &out)
{
	const unsigned int makers = std::min(processors(), makers_max);
	if (makers > 1 && work.size.value() / work.piece >= pieces_for_threads) {
		ring pieces(work, makers);
		if (pieces.has_makers()) {
			pieces.write_all(out);
			return;
		}
	}
	const wiped_buffer buffer(work.room);
	for (cutter cutter(work); cutter.any();) {
		const cutter::part part = cutter.cut();
		out.write(buffer.data(), work.make(part.begin, part.size, buffer.data()));
	}
}
