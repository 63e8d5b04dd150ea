// SPDX-License-Identifier: BSD-2-Clause
#include "text/secrets.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/quantity.hpp"
#include "shell/values.hpp"
#include "system/system.hpp"

namespace {

// More bits exceed the generator's strength, and the search for a length stays short.
constexpr std::uint64_t bits_max = 1024;

// A computer can guess a secret of fewer bits from its hash.
constexpr double weak_bits = 60;

} // namespace

void add_secrets_arguments(command &command, secrets_arguments &arguments, const std::string &noun)
{
	command.option("--bits", arguments.bits, "BITS", "choose the length for this entropy");
	command.option("-n,--count", arguments.count, "COUNT", fmt::format("how many {}, one a line (1)", noun));
	command.flag("-v,--verbose", arguments.verbose, "show the entropy, on standard error");
	command.flag("--json", arguments.json, fmt::format("print a JSON object with the {} and their entropy", noun));
}

double parse_bits(const std::string &text)
{
	const std::uint64_t bits = parse_number("--bits", text);
	if (bits == 0 || bits > bits_max)
		throw usage_error(fmt::format("--bits: {} is not between 1 and {}", bits, bits_max));
	return static_cast<double>(bits);
}

int print_secrets(const secrets_arguments &arguments, const std::string &noun, const std::string &what,
		  const std::string &json, double entropy, const std::function<void(secret_text &)> &make)
{
	amount left = parse_amount("--count", arguments.count);
	if (arguments.json && left.is_endless())
		throw usage_error("--count: inf and --json exclude each other");
	value_writer writer(arguments.json,
			    fmt::format("{{\"entropy_bits\": {:.2f}, {}, \"{}\": ", entropy, json, noun), "}");
	secret_text secret;
	while (left.take(1) > 0) {
		secret.clear();
		make(secret);
		writer.put_quoted(as_view(secret));
	}
	writer.finish();
	if (arguments.verbose || (!arguments.json && is_terminal(standard_error_descriptor)))
		inform(fmt::format("{}: {:.1f} bits of entropy{}", what, entropy,
				   entropy < weak_bits ? ", which is weak against guessing by computers" : ""));
	return 0;
}
