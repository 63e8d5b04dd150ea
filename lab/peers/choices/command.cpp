// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab choices: what it measures, in this program and in others, and its tables.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "../../commands.hpp"
#include "../../common/child.hpp"
#include "../../common/error.hpp"
#include "../contenders/contender.hpp"
#include "choices.hpp"

namespace lab {

namespace choices {

namespace {

struct options : run_options {
	std::uint64_t most = 10000000;
	std::vector<std::string> only; // kinds; none: all

	options()
	{
		seconds = 0.05;
	}

	void shorten()
	{
		run_options::shorten();
		most = 1000;
	}
};

const std::vector<std::string> kinds = { "shuffle",   "sample",   "bounded", "double", "normal", "exponential",
					 "bernoulli", "weighted", "text",    "uuid4",  "uuid7",  "read" };

// "10^6", or the number.
std::string power(std::uint64_t n)
{
	int zeros = 0;
	for (std::uint64_t rest = n; rest % 10 == 0 && rest != 0; rest /= 10)
		zeros++;
	return zeros >= 3 && n == static_cast<std::uint64_t>(std::pow(10, zeros)) ? fmt::format("10^{}", zeros) :
										    std::to_string(n);
}

// A contender in another program.
class elsewhere final : public chooser {
public:
	explicit elsewhere(const std::vector<std::string> &command) : child_(started(command))
	{
		if (version_ = child_.answer(); version_.empty())
			throw failure("it is not installed");
	}

	std::optional<answer> run(const task &t, double seconds) override
	{
		const std::string text = child_.asked(fmt::format("{} {}", t.request(), seconds));
		if (text == "-")
			return std::nullopt;
		answer a = {};
		if (std::istringstream in(text); !(in >> a.ns >> a.least >> a.most >> a.distinct >> a.moved))
			throw failure(fmt::format("no answer to {}: {}", t.request(), text));
		return a;
	}

	const std::string &version() const
	{
		return version_;
	}

private:
	static const std::vector<std::string> &started(const std::vector<std::string> &command)
	{
		if (!std::filesystem::exists(command.front()))
			throw failure(command.front() + " does not exist");
		return command;
	}

	child child_;
	std::string version_;
};

std::vector<contender> contenders()
{
	std::vector<contender> all;
	add_in_this_program(all);
	auto add = [&all](contender::group kind, const char *name, const char *description,
			  const std::vector<std::string> &command) {
		all.push_back({ kind, name, description, [command] { return std::make_unique<elsewhere>(command); } });
	};
	const std::string rust = beside_this_program("cprng-lab-rust-choices");
	add(contender::cipher, "rust-threadrng", "Rust's rand and rand_distr, rand::rng(): ChaCha12",
	    { rust, "thread" });
	add(contender::cipher, "rust-chacha8", "the same, ChaCha8Rng", { rust, "chacha8" });
	add(contender::cipher, "rust-aes", "the same, Aes128Ctr64 of rand_aes", { rust, "aes" });
	add(contender::cipher, "rust-uuid", "Rust's uuid, with the kernel's bytes", { rust, "uuid" });
	add(contender::cipher, "go-math-rand", "Go's math/rand/v2: ChaCha8 of the runtime; texts of crypto/rand",
	    { beside_this_program("cprng-lab-go"), "choices" });
	std::vector<std::string> secrets = python(LAB_CHOICES "choices.py");
	secrets.emplace_back("secrets");
	add(contender::cipher, "python-secrets", "Python's secrets and uuid: the kernel's bytes", secrets);
	add(contender::cipher, "java-secure", "Java's SecureRandom, and UUID.randomUUID",
	    { LAB_JAVA, "-Dsecure=true", LAB_CHOICES "Choices.java" });
	add(contender::cipher, "node-crypto", "Node.js's crypto.randomUUID and randomBytes: OpenSSL",
	    { "/usr/bin/env", "node", LAB_CHOICES "choices.js" });
	add(contender::simulation, "numpy", "NumPy's default_rng(): PCG64", python(LAB_CHOICES "choices.py"));
	add(contender::simulation, "java", "Java's RandomGenerator.getDefault(): L32X64MixRandom",
	    { LAB_JAVA, LAB_CHOICES "Choices.java" });
	return all;
}

std::vector<task> tasks(const options &chosen)
{
	std::vector<task> all;
	for (const std::uint64_t size : { 4, 8, 24 })
		for (const std::uint64_t count : { 1000, 100000, 1000000, 10000000, 100000000 })
			if (count <= chosen.most)
				all.push_back({ task::shuffle, size, count });
	for (const auto &[count, of] : { std::pair(1000, 1000000), { 1000, 1100 }, { 100000, 1000000000 } })
		all.push_back({ task::sample, static_cast<std::uint64_t>(of), static_cast<std::uint64_t>(count) });
	// Arrays of 80 KB, which second-level caches hold.
	constexpr std::uint64_t numbers = 10000;
	all.push_back({ task::bounded, 1000, numbers });
	for (const auto kind : { task::real, task::normal, task::exponential })
		all.push_back({ kind, 0, numbers });
	for (const auto &[kind, of] : { std::pair(task::bernoulli, 0),
					{ task::weighted, 1000 },
					{ task::text, 21 },
					{ task::uuid4, 0 },
					{ task::uuid7, 0 } })
		all.push_back({ kind, static_cast<std::uint64_t>(of), numbers });
	for (const std::uint64_t bytes : { 8, 16, 32, 64, 128, 256 })
		all.push_back({ task::read, bytes, numbers });
	const auto unwanted = [&](const task &t) {
		return !chosen.only.empty() &&
		       std::find(chosen.only.begin(), chosen.only.end(), kinds[t.what]) == chosen.only.end();
	};
	all.erase(std::remove_if(all.begin(), all.end(), unwanted), all.end());
	return all;
}

// Throws if that is not what the task asks for; each bound fails by chance less than once in 2^40 runs.
void check_choice(const contender &from, const task &t, const answer &a)
{
	const auto count = static_cast<double>(t.count), of = static_cast<double>(t.of);
	const bool all_differ = a.distinct == count;
	bool good = false;
	switch (t.what) {
	case task::shuffle: // as a permutation, it leaves one element in its place on average
		good = all_differ && a.least == 0 && a.most == count - 1 && a.moved > count - 30;
		break;
	case task::sample:
		good = all_differ && a.least >= 0 && a.most < of && a.most - a.least > of / 2;
		break;
	case task::bounded:
		good = a.distinct > of * 0.9 && a.least >= 0 && a.most < of;
		break;
	case task::real:
		good = a.distinct > count * 0.99 && a.least >= 0 && a.least < 0.1 && a.most > 0.9 && a.most < 1;
		break;
	case task::normal:
		good = a.distinct > count * 0.99 && a.least < -2.5 && a.least > -10 && a.most > 2.5 && a.most < 10;
		break;
	case task::exponential:
		good = a.distinct > count * 0.99 && a.least >= 0 && a.least < 0.1 && a.most > 4 && a.most < 50;
		break;
	case task::bernoulli:
		good = a.distinct == 2 && a.least == 0 && a.most == 1;
		break;
	case task::weighted: // the small weights are seldom chosen: 950 of 1000 differ on average
		good = a.distinct > of * 0.9 && a.distinct < of * 0.99 && a.least >= 0 && a.most == of - 1;
		break;
	case task::uuid4:
	case task::uuid7: // the variant, in two bits
		good = a.distinct > count * 0.99 && a.least >= 0x1p63 && a.most <= 0x1p63 + 0x1p62;
		break;
	case task::text:
	case task::read:
		good = a.distinct > count * 0.99;
		break;
	}
	if (!good || !(a.ns > 0))
		throw failure(
			fmt::format("{} answers {} with {} numbers from {} to {}, {} elsewhere than before, in {} ns",
				    from.name, t.request(), a.distinct, a.least, a.most, a.moved, a.ns));
}

class comparison {
public:
	comparison(const options &chosen, report &to) : tasks_(tasks(chosen)), all_(contenders())
	{
		for (const contender &c : all_) {
			auto &described = to.settings()["contenders"][c.name];
			described = { { "description", c.description }, { "here", "here" } };
			try {
				sources_.push_back(c.make());
				if (const auto *other = dynamic_cast<elsewhere *>(sources_.back().get()))
					described["version"] = other->version();
			} catch (const failure &why) {
				sources_.push_back(nullptr);
				described["here"] = why.what();
			}
		}
		ns_.resize(tasks_.size(), std::vector<std::vector<double>>(all_.size()));
	}

	void plan(const options &chosen, schedule &all)
	{
		for (std::size_t i = 0; i < tasks_.size(); i++)
			all.add_kept(chosen.seconds * static_cast<double>(all_.size()), [this, i, &chosen,
											 turn = 0u]() mutable {
				in_turn(all_.size(), turn++, [&](std::size_t j) { measure(i, j, chosen.seconds); });
			});
	}

	void report_to(report &to) const
	{
		table t("choices", "Choices: ns for an element, a number or a read",
			{ { "what", "what" },
			  { "cprng", "cprng\ndraws" },
			  { "stream", "cprng\nstreams" },
			  { "std_cprng", "std:: over cprng" },
			  { "std_xoshiro", "std:: over xoshiro" },
			  { "cipher", "the fastest\nother cipher" },
			  { "cipher_ns", "its\ntime" },
			  { "simulation", "the fastest\nfor simulations" },
			  { "simulation_ns", "its\ntime" } });
		table ratios("choices_ratios", "Choices: the library's time, divided by that of another",
			     { { "what", "what" },
			       { "over_cipher", "draws /\nfastest cipher" },
			       { "over_std_cprng", "draws /\nstd:: over cprng" },
			       { "over_std_xoshiro", "draws /\nstd:: over xoshiro" },
			       { "stream_over_cipher", "streams /\nfastest cipher" },
			       { "stream_over_std_xoshiro", "streams /\nstd:: over xoshiro" },
			       { "stream_over_simulation", "streams /\nfastest for simulations" } });
		table every("choices_all", "Choices: all generators",
			    { { "what", "what" },
			      { "generator", "generator" },
			      { "ns", "ns" },
			      { "over", "of the\nlibrary's" } });
		nlohmann::ordered_json raw = nlohmann::ordered_json::array();
		for (std::size_t i = 0; i < tasks_.size(); i++) {
			const std::string name = tasks_[i].name();
			const std::vector<double> &own = of(i, "cprng"), &stream = of(i, "cprng-stream"),
						  &std_cprng = of(i, "std-cprng"), &std_xoshiro = of(i, "std-xoshiro");
			const auto [cipher, cipher_ns] = fastest(i, contender::cipher);
			const auto [simulation, simulation_ns] = fastest(i, contender::simulation);
			t.add({ word(name), measured(own), measured(stream), measured(std_cprng), measured(std_xoshiro),
				cipher, measured(cipher_ns), simulation, measured(simulation_ns) });
			ratios.add({ word(name), measured(quotients(own, cipher_ns)),
				     measured(quotients(own, std_cprng)), measured(quotients(own, std_xoshiro)),
				     measured(quotients(stream, cipher_ns)), measured(quotients(stream, std_xoshiro)),
				     measured(quotients(stream, simulation_ns)) });
			for (std::size_t j = 0; j < all_.size(); j++) {
				if (ns_[i][j].empty())
					continue;
				every.add({ word(name), word(all_[j].name), measured(ns_[i][j]),
					    measured(quotients(ns_[i][j], own)) });
				raw.push_back({ { "what", name }, { "generator", all_[j].name }, { "ns", ns_[i][j] } });
			}
		}
		t.note("CPU time of a thread.  The time of a shuffle or a sample is divided by its elements.  Ciphers: Rust's and Go's\n"
		       "generators, which erase nothing that they have served, or have 8 or 12 rounds of ChaCha; and for UUIDs and texts\n"
		       "the bytes of the kernel or of OpenSSL.  For simulations: NumPy, Java and oneMKL.");
		to.add(t, nullptr);
		to.add(ratios, nullptr);
		to.add(every, raw);
	}

private:
	void measure(std::size_t i, std::size_t j, double seconds)
	{
		if (!sources_[j])
			return;
		const auto a = sources_[j]->run(tasks_[i], seconds);
		if (!a || interrupted())
			return;
		check_choice(all_[j], tasks_[i], *a);
		ns_[i][j].push_back(a->ns);
	}

	const std::vector<double> &of(std::size_t i, const char *name) const
	{
		const auto found =
			std::find_if(all_.begin(), all_.end(), [&](const contender &c) { return c.name == name; });
		return ns_[i][static_cast<std::size_t>(found - all_.begin())];
	}

	std::pair<cell, std::vector<double>> fastest(std::size_t i, contender::group kind) const
	{
		std::pair<cell, std::vector<double>> best(nothing(), {});
		for (std::size_t j = 0; j < all_.size(); j++)
			if (const std::vector<double> &ns = ns_[i][j];
			    all_[j].kind == kind && !ns.empty() &&
			    (best.second.empty() || spread_of(ns).median < spread_of(best.second).median))
				best = { word(all_[j].name), ns };
		return best;
	}

	std::vector<task> tasks_;
	std::vector<contender> all_;
	std::vector<std::unique_ptr<chooser>> sources_;    // nullptr: not installed
	std::vector<std::vector<std::vector<double>>> ns_; // by task and contender
};

void measure(const options &chosen, report &to)
{
	to.settings()["most"] = chosen.most;
	to.settings()["only"] = chosen.only;
	comparison all(chosen, to);
	schedule s;
	all.plan(chosen, s);
	s.run(chosen.repetitions);
	all.report_to(to);
	to.add_others(s);
}

} // namespace

std::string task::name() const
{
	switch (what) {
	case shuffle:
		return fmt::format("shuffle {} of {} B", power(count), of);
	case sample:
		return fmt::format("sample {} of {}", power(count), power(of));
	case bounded:
		return fmt::format("numbers below {}", of);
	case read:
		return fmt::format("read {} B", of);
	case bernoulli:
		return "1 of probability 0.3";
	case weighted:
		return fmt::format("1 of {} by weights", of);
	case text:
		return fmt::format("text of {}", of);
	case uuid4:
	case uuid7:
		return fmt::format("UUID of version {}", what == uuid4 ? 4 : 7);
	default:
		return fmt::format("{}s", kinds[what]);
	}
}

std::string task::request() const
{
	return fmt::format("{} {} {}", kinds[what], of, count);
}

} // namespace choices

std::function<void()> add_choices(CLI::App &app)
{
	const auto chosen = std::make_shared<choices::options>();
	add_run_options(app, *chosen);
	app.add_option("--most", chosen->most, "elements of the largest shuffle (10^7); 100000000 takes gigabytes")
		->check(CLI::Range(std::uint64_t{ 1000 }, std::uint64_t{ 100000000 }))
		->option_text("N")
		->excludes("--quick");
	app.add_option("--only", chosen->only,
		       "only these kinds of rows: " + fmt::format("{}", fmt::join(choices::kinds, ",")))
		->delimiter(',')
		->check(CLI::IsMember(choices::kinds))
		->option_text("KIND,...");
	return making_report("choices", chosen, choices::measure);
}

} // namespace lab
