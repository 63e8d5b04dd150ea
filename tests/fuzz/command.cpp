// SPDX-License-Identifier: BSD-2-Clause
// The command.  Its parsers are compared with simple implementations of what they accept.  Whole command lines run in this
// process; with a seed, their numbers must be the model's.
#include "fuzz.hpp"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/error.hpp"
#include "common/hex.hpp"
#include "common/quantity.hpp"
#include "machine/elf_file.hpp"
#include "model.hpp"
#include "numbers/dice.hpp"
#include "output/output.hpp"
#include "shell/command_line.hpp"
#include "shell/commands.hpp"
#include "text/password.hpp"

namespace fuzz {

namespace {

// ------------------------------------------------------------------------------------------------------------ parsers

// Digits as a number; none if it needs more than 64 bits.
std::optional<std::uint64_t> digits(const std::string &text)
{
	std::uint64_t value = 0;

	for (const char c : text) {
		const auto digit = static_cast<std::uint64_t>(c - '0');
		if (value > UINT64_MAX / 10 || 10 * value > UINT64_MAX - digit)
			return {};
		value = 10 * value + digit;
	}
	return value;
}

std::optional<std::uint64_t> number(const std::string &text)
{
	static const std::regex form("[0-9]+");
	return std::regex_match(text, form) ? digits(text) : std::nullopt;
}

std::optional<std::uint64_t> size(const std::string &text)
{
	static const std::regex form("([0-9]+)(|B|(?:[kKMGTPE])(?:|B|iB))");
	std::smatch m;

	if (!std::regex_match(text, m, form) || m[2] == "k" || m[2] == "kiB")
		return {};
	std::optional<std::uint64_t> value = digits(m[1]);
	const std::string unit = m[2];
	const std::uint64_t step = unit.size() == 2 ? 1000 : 1024;
	std::size_t power = 0;
	if (!unit.empty() && unit != "B")
		power = std::string("KMGTPE").find(static_cast<char>(std::toupper(unit[0]))) + 1;
	for (; value && power > 0; power--)
		value = *value > UINT64_MAX / step ? std::nullopt : std::optional<std::uint64_t>(*value * step);
	return value;
}

std::optional<std::int64_t> signed_number(const std::string &text)
{
	const bool negative = !text.empty() && text[0] == '-';
	const std::optional<std::uint64_t> value = number(negative ? text.substr(1) : text);
	const std::uint64_t most = (std::uint64_t{ 1 } << 63) - (negative ? 0 : 1);

	if (!value || *value > most)
		return {};
	return static_cast<std::int64_t>(negative ? 0 - *value : *value);
}

std::optional<range> between(const std::string &text)
{
	static const std::regex dots(R"((-?[0-9]+)\.\.(-?[0-9]+))"), hyphen("(-?[0-9]+)-(-?[0-9]+)");
	std::smatch m;

	if (!std::regex_match(text, m, dots) && !std::regex_match(text, m, hyphen))
		return {};
	const std::optional<std::int64_t> low = signed_number(m[1]), high = signed_number(m[2]);
	if (!low || !high || *low > *high)
		return {};
	return range{ *low, *high };
}

std::optional<double> real(const std::string &text)
{
	static const std::regex form(R"((-?)([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)");
	std::smatch m;

	if (text.size() > 400 || !std::regex_match(text, m, form))
		return {};
	const double value = std::strtod(text.c_str(), nullptr);
	const bool is_zero = m[2].str().find_first_of("123456789") == std::string::npos;
	if (!std::isfinite(value) || (value == 0 && !is_zero))
		return {};
	return value;
}

bool same(double a, double b)
{
	return std::memcmp(&a, &b, sizeof(a)) == 0;
}

// parse()'s result for a text, or nothing if it refuses the text.
template <typename Parse> auto taken(Parse parse) -> std::optional<decltype(parse())>
{
	try {
		return parse();
	} catch (const usage_error &error) {
		demand(error.what()[0] != '\0', "a refusal without a message");
		return {};
	}
}

void check_dice(const std::string &text)
{
	static const std::regex term(R"(([+*-]?)([0-9]*)(?:[dD]([0-9]+|%)(?:[kK]([hHlL]?)([0-9]*))?|))");
	const auto terms = taken([&] { return parse_dice(text); });

	if (!terms)
		return;
	auto at = text.cbegin();
	std::smatch m;
	for (const dice_term &one : *terms) {
		demand(std::regex_search(at, text.cend(), m, term, std::regex_constants::match_continuous) &&
			       m.length() > 0,
		       "dice: a term that the text does not have");
		demand(one.sign == (m[1] == "-" ? -1 : m[1] == "*" ? 0 : 1), "dice: a sign");
		demand(m[2].length() != 0 ? one.count == digits(m[2]) : one.count == 1, "dice: a count");
		demand(one.sides == (m[3].length() == 0 ? 0 : m[3] == "%" ? 100 : digits(m[3])), "dice: sides");
		demand(one.kept == (m[5].length() != 0 ? digits(m[5]) :
				    m[4].matched       ? 1 :
							 one.count),
		       "dice: kept dice");
		demand(one.lowest == (m[4] == "l" || m[4] == "L"), "dice: the lowest");
		at = m[0].second;
	}
	demand(at == text.cend(), "dice: a rest");
}

void check_elf(const std::string &text)
{
	std::istringstream file(text);
	Elf64_Ehdr head = elf_head(file);

	// Each of these multiplies the work.  In an undamaged file the file's size bounds them.
	head.e_phnum = static_cast<Elf64_Half>(head.e_phnum % 16);
	demand(elf_dynamic_linker(file, head).size() <= 4096, "ELF: the linker's name");
	for (const std::string &name : elf_libraries(file, head))
		demand(name.size() <= 4096, "ELF: a library's name");
}

} // namespace

void parsers(Input input)
{
	const std::size_t which = input.below(9);
	const std::string text = input.text();

	switch (which) {
	case 0:
		return demand(taken([&] { return parse_number("N", text); }) == number(text), "a number");
	case 1:
		return demand(taken([&] { return parse_size("N", text); }) == size(text), "a size");
	case 2: {
		const auto found = taken([&] { return parse_amount("N", text); });
		if (text == "inf")
			return demand(found && found->is_endless(), "no end");
		const auto want = size(text);
		return demand(found.has_value() == want.has_value() &&
				      (!found || (found->value() == *want && !found->is_endless())),
			      "an amount");
	}
	case 3:
		return demand(taken([&] { return parse_signed("N", text); }) == signed_number(text), "a signed number");
	case 4: {
		const auto found = taken([&] { return parse_range("N", text); });
		const auto want = between(text);
		return demand(found.has_value() == want.has_value() &&
				      (!found || (found->low == want->low && found->high == want->high)),
			      "a range");
	}
	case 5: {
		const auto found = taken([&] { return parse_real("N", text); });
		const auto want = real(text);
		return demand(text.size() > 400 ||
				      (found.has_value() == want.has_value() && (!found || same(*found, *want))),
			      "a real number");
	}
	case 6: {
		static const std::regex form("([0-9a-fA-F]{2})*");
		const auto found = taken([&] { return parse_hex("N", text); });
		demand(text.size() > 400 || found.has_value() == std::regex_match(text, form), "hexadecimal digits");
		for (std::size_t i = 0; found && i < found->size(); i++)
			demand((*found)[i] == std::stoul(text.substr(2 * i, 2), nullptr, 16), "a hexadecimal byte");
		return;
	}
	case 7:
		return check_dice(text.substr(0, 400));
	default:
		return check_elf(text);
	}
}

// ------------------------------------------------------------------------------------------------------ command lines

namespace {

// All subcommands except run, invalidate and seed-file, which start programs and write files.
constexpr void (*commands[])(command_line &) = {
	add_bytes,       add_encodings, add_unsigned, add_int,        add_float,  add_normal,
	add_exponential, add_dice,      add_uuid,     add_password,   add_phrase, add_shuffle,
	add_pick,        add_stream,    add_info,     add_completion, add_help,
};

// Replaces a standard descriptor by a file in memory until the end of the scope.
class Redirected {
public:
	explicit Redirected(int descriptor) : descriptor_(descriptor), before_(fcntl(descriptor, F_DUPFD_CLOEXEC, 100))
	{
		const int file = memfd_create("fuzz", MFD_CLOEXEC);
		demand(before_ >= 0 && file >= 0, "no file in memory");
		copy_ = fcntl(file, F_DUPFD_CLOEXEC, 100);
		dup2(file, descriptor);
		close(file);
	}

	~Redirected()
	{
		dup2(before_, descriptor_);
		close(before_);
		close(copy_);
	}

	Redirected(const Redirected &) = delete;
	Redirected &operator=(const Redirected &) = delete;

	void put(const std::string &text) const
	{
		demand(write(copy_, text.data(), text.size()) == static_cast<ssize_t>(text.size()), "write");
		lseek(copy_, 0, SEEK_SET);
	}

	std::string content() const
	{
		std::string text(static_cast<std::size_t>(std::max<off_t>(lseek(copy_, 0, SEEK_END), 0)), '\0');
		demand(pread(copy_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()), "pread");
		return text;
	}

private:
	int descriptor_, before_, copy_ = -1;
};

struct Result {
	int status;
	std::string out, error;
};

// Runs the command as main() does.
int run_here(std::vector<std::string> words)
{
	std::vector<char *> argv;

	words.insert(words.begin(), "cprng");
	for (std::string &word : words)
		argv.push_back(word.data());
	argv.push_back(nullptr);
	try {
		command_line line;
		for (auto add : commands)
			add(line);
		return line.run(static_cast<int>(words.size()), argv.data());
	} catch (const closed_pipe &) {
		return 0;
	} catch (const failure &error) {
		report(error.what());
		return error.status();
	}
}

Result run(const std::vector<std::string> &words, const std::string &in)
{
	// This limit ends endless output with an error.
	constexpr rlim_t most = 100000;
	rlimit before = {};
	Result result = {};
	const Redirected input(STDIN_FILENO), out(STDOUT_FILENO), error(STDERR_FILENO);

	prepare_descriptors();
	input.put(in);
	demand(getrlimit(RLIMIT_FSIZE, &before) == 0, "getrlimit");
	rlimit limit = before;
	limit.rlim_cur = std::min(most, before.rlim_max);
	setrlimit(RLIMIT_FSIZE, &limit);
	try {
		result.status = run_here(words);
	} catch (...) {
		setrlimit(RLIMIT_FSIZE, &before);
		throw;
	}
	setrlimit(RLIMIT_FSIZE, &before);
	result.out = out.content();
	result.error = error.content();
	return result;
}

const char *pick(Input &input, const std::vector<const char *> &from)
{
	return from[input.below(from.size())];
}

// Never a file name, or an option that takes one.
std::string value(Input &input)
{
	static const char characters[] = "0123456789-+.eExkKMGiBinfdD%,_' abcdefz";
	std::string text;

	switch (input.below(4)) {
	case 0:
		return std::to_string(input.below(256));
	case 1:
		return std::to_string(static_cast<std::int64_t>(input.number()));
	case 2:
		return pick(input, { "",
				     "inf",
				     "nan",
				     "1e3",
				     "0x10",
				     "-1",
				     "1,000",
				     "-0",
				     "1..6",
				     "1-6",
				     "3d6+2",
				     "64K",
				     "1KiB",
				     "text:7",
				     "18446744073709551615",
				     "18446744073709551616",
				     "-9223372036854775808",
				     "1e-400",
				     "0.1",
				     "256",
				     "65536" });
	default:
		for (std::size_t i = input.below(8); i > 0; i--)
			text += characters[input.below(sizeof(characters) - 1)];
		return text;
	}
}

// The lines that the model computes for this command line; none if the model does not cover it.
std::optional<std::string> modelled(const std::string &name, const std::vector<double> &reals, model::Stream s,
				    const std::vector<std::int64_t> &ends, std::optional<std::uint64_t> below,
				    std::uint64_t count, const std::string &out)
{
	std::istringstream lines(out);
	std::string all, line;

	for (std::uint64_t i = 0; i < count; i++) {
		if (!std::getline(lines, line))
			return {};
		if (name[0] == 'u') {
			const auto bits = static_cast<unsigned int>(std::stoul(name.substr(1)));
			const bool whole = !below || (bits < 64 && *below == std::uint64_t{ 1 } << bits);
			all += std::to_string(whole ? s.bits(bits) : s.uniform64(*below));
		} else if (name == "int") {
			all += std::to_string(s.int_range(ends[0], ends[1]));
		} else {
			const double want = name == "float"  ? model::unit(s.bits(64)) :
					    name == "normal" ? model::normal(s.bits(64), reals[0], reals[1]) :
							       model::exponential(s.bits(64), reals[0]);
			// Any digits are accepted that denote this double.
			all += same(std::strtod(line.c_str(), nullptr), want) ? line : "another number";
		}
		all += '\n';
	}
	return all;
}

// A command line for numbers with a seed: its words and its output.
void seeded(Input &input)
{
	const std::string name = pick(input, { "u8", "u16", "u32", "u64", "int", "float", "normal", "exponential" });
	const std::string seed = value(input), count = std::to_string(input.below(40));
	std::vector<std::string> words = { name, "--seed=" + seed, "-n", count };
	std::vector<std::string> reals = { "0", "1" }, ends;
	std::optional<std::string> below, index;

	if (input.below(2) == 0)
		words.push_back("--stream=" + *(index = value(input)));
	if (name[0] == 'u' && input.below(2) == 0)
		words.push_back("--below=" + *(below = value(input)));
	if (name == "normal" || name == "exponential") {
		reals[0] = value(input);
		words.push_back("--mean=" + reals[0]);
	}
	if (name == "normal") {
		reals[1] = value(input);
		words.push_back("--deviation=" + reals[1]);
	}
	if (name == "int") {
		ends = { std::to_string(static_cast<std::int64_t>(input.number())),
			 std::to_string(static_cast<std::int64_t>(input.number())) };
		words.insert(words.end(), ends.begin(), ends.end());
	}
	const Result result = run(words, "");

	// The result that the pages and the simple parsers require for these words.
	const bool is_text = seed.compare(0, 5, "text:") == 0;
	static const std::regex minus("-[0-9]+"), all_digits_form("[0-9]+");
	bool good = !seed.empty() && seed != "text:" && !std::regex_match(seed, minus);
	if (!is_text && std::regex_match(seed, all_digits_form))
		good = good && number(seed);
	good = good && (!index || number(*index));
	const std::uint64_t most = name == "u8" ? 256 : name == "u16" ? 65536 : name == "u32" ? 4294967296 : UINT64_MAX;
	good = good && (!below || (number(*below) && *number(*below) != 0 && *number(*below) <= most));
	std::vector<double> parameters;
	for (const std::string &text : reals) {
		good = good && real(text);
		parameters.push_back(real(text).value_or(0));
	}
	good = good && (name != "normal" || parameters[1] >= 0) && (name != "exponential" || parameters[0] >= 0);
	std::vector<std::int64_t> between;
	for (const std::string &text : ends)
		between.push_back(signed_number(text).value_or(0));
	good = good && (ends.empty() || between[0] <= between[1]);

	demand(result.status == (good ? 0 : status_usage), "the status of " + name + ": " + result.error);
	if (!good)
		return;
	const std::string text = is_text ? seed.substr(5) : seed;
	model::Stream stream = !is_text && std::regex_match(seed, all_digits_form) ?
				       model::Stream::of_integer("chacha8", *number(seed)) :
				       model::Stream::of_seed("chacha8", 's', Bytes(text.begin(), text.end()));
	if (index)
		stream = stream.child(*number(*index));
	const auto want = modelled(name, parameters, stream, between, below ? number(*below) : std::nullopt,
				   std::stoull(count), result.out);
	demand(want == result.out, name + ": other numbers than the model's");
}

// Any words: the exit status must be one of the manual's, with a one-line reason.
void any(Input &input)
{
	static const std::vector<const char *> names = { "bytes", "hex",    "base64",   "base32",     "u8",
							 "u64",   "int",    "float",    "normal",     "exponential",
							 "dice",  "uuid",   "password", "phrase",     "shuffle",
							 "pick",  "stream", "info",     "completion", "help",
							 "bites" };
	static const std::vector<const char *> options = {
		"-n",          "--count",
		"--json",      "--below",
		"--seed",      "--stream",
		"--mean",      "--deviation",
		"--verbose",   "-v",
		"--bits",      "--length",
		"--alphabet",  "--each",
		"--at-least",  "--weighted",
		"--namespace", "--name",
		"--echo",      "--zero-terminated",
		"--repeat",    "--input-range",
		"--engine",    "--offset",
		"--progress",  "--help",
		"-h",          "--capitals",
		"--separator", "--characters",
		"--version",   "-V",
		"--v7",        "--cont",
		"-nn",         "--",
	};
	std::vector<std::string> words = { pick(input, names) };
	const bool lines = words[0] == "shuffle" || words[0] == "pick";

	// Operands are lines, not file names.  Permutations of ranges larger than memory would take long.
	if (lines)
		words.emplace_back("--echo");
	for (std::size_t i = input.below(5); i > 0; i--) {
		std::string option = input.below(3) != 0 ? pick(input, options) : "";
		std::string text = value(input);
		if (lines && (option == "--input-range" || option == "--"))
			option = "--json";
		// Excluded: "-o" takes a file name, as does a word that begins with it.
		if (text.size() > 1 && text[0] == '-' && text[1] != '-' &&
		    std::strchr("0123456789", text[1]) == nullptr)
			text[0] = 'x';
		if (option.empty())
			words.push_back(text);
		else if (input.below(2) == 0 && option.compare(0, 2, "--") == 0 && option.size() > 2)
			words.push_back(option + "=" + text);
		else
			words.push_back(option);
	}
	const std::string in = "one\ntwo\nthree\n";
	const Result first = run(words, in);
	std::string shown;
	for (const std::string &word : words)
		shown += "'" + word + "' ";
	demand(first.status >= 0 && first.status <= 2, shown + "another status");
	demand(first.status == 0 || first.error.compare(0, 7, "cprng: ") == 0, shown + "no message");
	demand(first.status != status_usage || first.out.empty(), shown + "output beside a refusal");
	const bool has_seed = std::any_of(words.begin(), words.end(),
					  [](const std::string &w) { return w.compare(0, 7, "--seed=") == 0; });
	if (has_seed && first.status == 0)
		demand(run(words, in).out == first.out, shown + "another output of the same seed");
}

} // namespace

void command_lines(Input input)
{
	if (input.below(2) == 0)
		seeded(input);
	else
		any(input);
}

} // namespace fuzz
