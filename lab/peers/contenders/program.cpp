// SPDX-License-Identifier: BSD-2-Clause
#include "program.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../../common/child.hpp"
#include "../../common/error.hpp"
#include "timing.hpp"

namespace lab {

namespace {

constexpr const char *names[] = { "8", "16", "32", "64", "below", "fill", "fixed" };

class program_source final : public contender {
public:
	program_source(const std::string &name, const std::vector<std::string> &command) : name_(name), child_(command)
	{
	}

	double run(const work &w, std::uint64_t count) override
	{
		return ask_total(fmt::format("loop {} {}", count, text_of(w))).seconds;
	}

	void fill(unsigned char *out, std::size_t len) override
	{
		constexpr const char *digits = "0123456789abcdef";
		const std::string answer = child_.asked(fmt::format("bytes {}", len));
		check(answer.size() == 2 * len && answer.find_first_not_of(digits) == std::string::npos, name_.c_str());
		for (std::size_t i = 0; i < len; i++)
			out[i] = static_cast<unsigned char>(std::stoul(answer.substr(2 * i, 2), nullptr, 16));
	}

	std::uint64_t number(const work &w) override
	{
		return std::stoull(child_.asked(
			fmt::format("number {} {}", names[w.what], w.bounds != nullptr ? w.bounds[0] : 1)));
	}

	std::optional<threads_total> run_in_threads(const work &w, unsigned int threads, double seconds) override
	{
		return ask_total(fmt::format("threads {} {} {}", threads, seconds, text_of(w)));
	}

private:
	static std::string text_of(const work &w)
	{
		const std::string bounds =
			w.what == work::below ? fmt::format("{}", fmt::join(w.bounds, w.bounds + w.bound_count, ",")) :
						"1";
		return fmt::format("{} {} {}", names[w.what], w.len, bounds);
	}

	threads_total ask_total(const std::string &line)
	{
		threads_total total = {};
		std::istringstream in(child_.asked(line));
		check(static_cast<bool>(in >> total.calls >> total.seconds), name_.c_str());
		return total;
	}

	std::string name_;
	child child_;
};

// A request with its memory, which is reused for further requests of the same size.
class requested {
public:
	const work &read(std::istream &in)
	{
		std::string what, bounds;
		std::size_t len = 0;
		in >> what >> len >> bounds;
		set(what, len);
		std::istringstream list(bounds);
		bounds_.clear();
		for (std::string bound; std::getline(list, bound, ',');)
			bounds_.push_back(static_cast<std::uint32_t>(std::stoul(bound)));
		work_.bounds = bounds_.data();
		work_.bound_count = bounds_.size();
		return work_;
	}

	const work &read_number(std::istream &in)
	{
		std::string what;
		std::uint32_t bound = 0;
		in >> what >> bound;
		set(what, 0);
		bounds_ = { bound };
		work_.bounds = bounds_.data();
		return work_;
	}

private:
	void set(const std::string &what, std::size_t len)
	{
		const auto *name = std::find(std::begin(names), std::end(names), what);
		if (name == std::end(names))
			throw bad_input("no such request: " + what);
		if (buffer_.size() != len) {
			std::vector<unsigned char>().swap(buffer_); // free first: both may not fit
			buffer_.resize(len);
		}
		work_ = { static_cast<work::kind>(name - names), buffer_.data(), len, nullptr, 0 };
	}

	std::vector<unsigned char> buffer_;
	std::vector<std::uint32_t> bounds_;
	work work_ = { work::bits8 };
};

std::string answer(std::istream &in, requested &request, contender &source,
		   const std::function<std::unique_ptr<contender>()> &make)
{
	std::string verb;
	in >> verb;
	if (verb == "loop") {
		std::uint64_t count = 0;
		in >> count;
		return fmt::format("{} {}", count, source.run(request.read(in), count));
	}
	if (verb == "threads") {
		unsigned int threads = 0;
		double seconds = 0;
		in >> threads >> seconds;
		return fmt::format("{} 1", calls_a_second(make, request.read(in), threads, seconds));
	}
	if (verb == "bytes") {
		std::size_t len = 0;
		in >> len;
		constexpr std::size_t guard = 64;
		std::vector<unsigned char> bytes(len + guard);
		source.fill(bytes.data(), len);
		if (std::any_of(bytes.begin() + static_cast<std::ptrdiff_t>(len), bytes.end(),
				[](auto b) { return b != 0; }))
			throw failure("a fill has written past its end");
		bytes.resize(len);
		return fmt::format("{:02x}", fmt::join(bytes, ""));
	}
	if (verb == "number")
		return fmt::format("{}", source.number(request.read_number(in)));
	throw bad_input("no such request: " + verb);
}

} // namespace

void run_in_program(contender_info &info)
{
	info.make = [name = info.name, command = info.command("serve")] {
		return std::make_unique<program_source>(name, command);
	};
}

void serve(contender &source, const std::function<std::unique_ptr<contender>()> &make)
{
	requested request;
	for (std::string line; std::getline(std::cin, line);) {
		std::istringstream in(line);
		std::cout << answer(in, request, source, make) << std::endl;
	}
}

} // namespace lab
