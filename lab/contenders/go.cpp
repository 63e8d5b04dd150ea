// SPDX-License-Identifier: BSD-2-Clause
// What Go programs draw from, by a program that measures itself (lab/contenders/go/main.go).
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../common/child.hpp"
#include "contender.hpp"

namespace lab {

namespace {

class go_source final : public contender {
public:
	go_source(const std::string &program, const char *package) : child_({ program, package })
	{
	}

	double run(const work &w, std::uint64_t count) override
	{
		return ask(fmt::format("0 0 {} {}", count, text_of(w))).seconds;
	}

	// Never called: Go runs in no thread of ours.
	void byte(unsigned char *) override
	{
		has_failed("a byte of Go");
	}

	std::optional<threads_total> run_in_threads(const work &w, unsigned int threads, double seconds) override
	{
		return ask(fmt::format("{} {} 0 {}", threads, seconds, text_of(w)));
	}

private:
	static std::string text_of(const work &w)
	{
		static constexpr const char *names[] = { "8", "16", "32", "64", "below", "fill" };
		const std::string bounds =
			w.what == work::below ? fmt::format("{}", fmt::join(w.bounds, w.bounds + w.bound_count, ",")) :
						"1";
		return fmt::format("{} {} {}", names[w.what], w.len, bounds);
	}

	threads_total ask(const std::string &line)
	{
		child_.ask(line);
		threads_total total = {};
		std::istringstream in(child_.answer());
		check(static_cast<bool>(in >> total.calls >> total.seconds), "cprng-lab-go");
		return total;
	}

	child child_;
};

} // namespace

void add_go(contender_list &all)
{
	const std::string program = beside_this_program("cprng-lab-go");
	std::string absent = LAB_GO_ABSENT;
	if (absent.empty() && !std::filesystem::exists(program))
		absent = "there is no cprng-lab-go beside cprng-lab";
	static constexpr struct {
		const char *name, *package, *description;
		bool cryptographic;
	} rows[] = {
		{ "go-math-rand", "math", "Go's math/rand/v2: ChaCha8 of the runtime", false },
		{ "go-crypto-rand", "crypto", "Go's crypto/rand", true },
	};
	for (const auto &row : rows) {
		contender_info info = { row.name, row.description, row.cryptographic, absent, {} };
		if (absent.empty()) {
			info.make = [program, package = row.package] {
				return std::make_unique<go_source>(program, package);
			};
			info.first_byte = { program, "first", row.package };
			info.ours = false;
		}
		all.push_back(std::move(info));
	}
}

} // namespace lab
