// SPDX-License-Identifier: BSD-2-Clause
// cprng uuid: identifiers.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "common/hex.hpp"
#include "common/source.hpp"
#include "common/suggest.hpp"
#include "common/wiped.hpp"
#include "shell/commands.hpp"
#include "shell/values.hpp"

namespace {

struct uuid_arguments {
	values_arguments values;
	std::optional<std::string> version;
	bool random = false;
	bool time = false;
	bool named = false;
	std::optional<std::string> space;
	std::optional<std::string> name;
};

// A version 4 UUID may be a secret, such as a token.
using uuid = wiped_array<std::uint8_t, 16>;
using uuid_text = wiped_array<char, 37>;

using sha1_digest = std::array<std::uint32_t, 5>;

constexpr std::size_t sha1_block = 64;

constexpr std::uint32_t rotated(std::uint32_t x, unsigned int by)
{
	return x << by | x >> (32 - by);
}

void sha1_add(sha1_digest &digest, const std::uint8_t *block)
{
	std::array<std::uint32_t, 80> w;
	for (std::size_t i = 0; i < 16; i++)
		w[i] = std::uint32_t{ block[4 * i] } << 24 | std::uint32_t{ block[4 * i + 1] } << 16 |
		       std::uint32_t{ block[4 * i + 2] } << 8 | block[4 * i + 3];
	for (std::size_t i = 16; i < w.size(); i++)
		w[i] = rotated(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	auto [a, b, c, d, e] = digest;
	for (std::size_t i = 0; i < w.size(); i++) {
		const std::uint32_t f = i < 20 ? ((b & c) | (~b & d)) + 0x5a827999 :
					i < 40 ? (b ^ c ^ d) + 0x6ed9eba1 :
					i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc :
						 (b ^ c ^ d) + 0xca62c1d6;
		const std::uint32_t next = rotated(a, 5) + f + e + w[i];
		e = d;
		d = c;
		c = rotated(b, 30);
		b = a;
		a = next;
	}
	const sha1_digest step = { a, b, c, d, e };
	for (std::size_t i = 0; i < digest.size(); i++)
		digest[i] += step[i];
}

// FIPS 180-4, for version 5 of RFC 9562, which is no secret and needs no resistance to collisions.  The library has no SHA-1.
sha1_digest sha1(std::vector<std::uint8_t> data)
{
	const std::uint64_t bits = 8 * std::uint64_t{ data.size() };
	data.push_back(0x80);
	while (data.size() % sha1_block != sha1_block - sizeof(bits))
		data.push_back(0);
	for (unsigned int shift = 64; shift > 0; shift -= 8)
		data.push_back(static_cast<std::uint8_t>(bits >> (shift - 8)));
	sha1_digest digest = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
	for (std::size_t i = 0; i < data.size(); i += sha1_block)
		sha1_add(digest, &data[i]);
	return digest;
}

struct named_space {
	std::string_view name;
	std::string_view id;
};

// RFC 9562, 6.6
constexpr named_space known_spaces[] = {
	{ "dns", "6ba7b810-9dad-11d1-80b4-00c04fd430c8" },
	{ "url", "6ba7b811-9dad-11d1-80b4-00c04fd430c8" },
	{ "oid", "6ba7b812-9dad-11d1-80b4-00c04fd430c8" },
	{ "x500", "6ba7b814-9dad-11d1-80b4-00c04fd430c8" },
};

// The bytes of a namespace.
std::vector<std::uint8_t> parse_space(std::string_view text)
{
	constexpr std::string_view form = "........-....-....-....-............";
	std::vector<std::string> names;
	// uuidgen(1) writes @dns.
	const std::string_view name = text.substr(!text.empty() && text.front() == '@');
	for (const named_space &one : known_spaces) {
		if (one.name == name)
			return parse_space(one.id);
		names.emplace_back(one.name);
	}
	std::string digits;
	for (std::size_t i = 0; i < text.size() && text.size() == form.size(); i++) {
		if ((text[i] == '-') != (form[i] == '-'))
			break;
		if (text[i] != '-')
			digits += text[i];
	}
	if (digits.size() != 2 * sizeof(uuid))
		refuse_unknown("--namespace", text, names);
	const auto bytes = parse_hex("--namespace", digits);
	return { bytes.begin(), bytes.end() };
}

int print_named(const uuid_arguments &arguments)
{
	if (!arguments.space || !arguments.name)
		throw usage_error(
			"version 5 needs --namespace and --name: cprng uuid 5 --namespace dns --name example.com");
	if (arguments.values.count != "1")
		throw usage_error("--count: a name has one UUID of version 5");
	std::vector<std::uint8_t> data = parse_space(*arguments.space);
	data.insert(data.end(), arguments.name->begin(), arguments.name->end());
	const sha1_digest digest = sha1(std::move(data));
	uuid id;
	for (std::size_t i = 0; i < id.size(); i++)
		id[i] = static_cast<std::uint8_t>(digest[i / 4] >> (24 - 8 * (i % 4)));
	id[6] = static_cast<std::uint8_t>((id[6] & 0x0f) | 0x50);
	id[8] = static_cast<std::uint8_t>((id[8] & 0x3f) | 0x80);
	uuid_text text;
	cprng_uuid_text(text.data(), id.data());
	print_values(arguments.values,
		     [&](value_writer &writer) { writer.put_quoted({ text.data(), text.size() - 1 }); });
	return 0;
}

int run_uuid(const uuid_arguments &arguments)
{
	if (arguments.random + arguments.time + arguments.named + arguments.version.has_value() > 1)
		throw usage_error("VERSION, -4, -5 and -7 exclude each other");
	std::string version = arguments.version ? *arguments.version :
			      arguments.time    ? "7" :
			      arguments.named   ? "5" :
						  "4";
	if (version.size() == 2 && version[0] == 'v')
		version.erase(0, 1);
	if (version == "5")
		return print_named(arguments);
	const bool is_random = version == "4";
	if (!is_random && version != "7")
		throw usage_error(
			fmt::format("VERSION: {} is not supported; versions are 4 (random), 5 (of a name) and 7 "
				    "(time and random)",
				    quote(*arguments.version)));
	if (arguments.space || arguments.name)
		throw usage_error("--namespace and --name are for version 5");
	require_entropy();
	uuid id;
	uuid_text text;
	print_values(arguments.values, [&](value_writer &writer) {
		if (is_random)
			cprng_uuid4(id.data());
		else
			check_library("VERSION", cprng_uuid7(id.data()));
		cprng_uuid_text(text.data(), id.data());
		writer.put_quoted({ text.data(), text.size() - 1 });
	});
	return 0;
}

} // namespace

void add_uuid(command_line &line)
{
	auto arguments = std::make_shared<uuid_arguments>();
	command &command = line.add("Text", "uuid", "UUIDs (RFC 9562)", [arguments] { return run_uuid(*arguments); });
	command.positional("VERSION", arguments->version,
			   "4: random (the default); 7: time and random, in order; 5: of a name", { "4", "5", "7" });
	command.flag("-4", arguments->random, "the same as 4 or v4");
	command.flag("-7", arguments->time, "the same as 7 or v7");
	command.flag("-5", arguments->named, "the same as 5 or v5");
	command.option("--namespace", arguments->space, "NAMESPACE", "of version 5: dns, url, oid, x500 or a UUID",
		       { "dns", "url", "oid", "x500" });
	command.option("--name", arguments->name, "NAME",
		       "of version 5: equal names have equal UUIDs, so not for secrets");
	add_values_arguments(command, arguments->values, "UUIDs");
	command.example("cprng uuid", "a random one");
	command.example("cprng uuid 7 -n 3", "three that sort by time, for keys of a database");
	command.example("cprng uuid 5 --namespace dns --name example.com", "the same each time");
}
