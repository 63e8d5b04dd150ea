// SPDX-License-Identifier: BSD-2-Clause
// cprng bytes, hex, base32, base64, base64url: random bytes, as they are or as text.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "bytes/encoding.hpp"
#include "bytes/keystream.hpp"
#include "common/buffer.hpp"
#include "common/error.hpp"
#include "common/source.hpp"
#include "output/pump.hpp"
#include "shell/commands.hpp"

namespace {

// A multiple of every encoding's group, close to the usual buffer size.
constexpr std::size_t whole_groups = std::size_t{ encoding_group } * 4096;
constexpr std::size_t piece = wiped_buffer::usual_size / whole_groups * whole_groups;
static_assert(piece > 0);
// Limits the short texts in a piece: their line ends take more room than the bytes.
constexpr std::size_t texts_max = 16384;

struct bytes_arguments {
	std::string size;
	std::string count = "1";
	output_options output;
	keystream_options key{ "chacha20", {}, {}, {} };
	std::string wrap = "0";
	encoding form = encoding::raw;
	bool hex = false;
	bool base32 = false;
	bool base64 = false;
	bool base64url = false;
	bool strong = false;
	bool force = false;
};

using arguments_pointer = std::shared_ptr<bytes_arguments>;

encoding chosen_form(const bytes_arguments &arguments)
{
	struct choice {
		bool chosen;
		encoding form;
	};
	const choice choices[] = {
		{ arguments.hex, encoding::hex },
		{ arguments.base32, encoding::base32 },
		{ arguments.base64, encoding::base64 },
		{ arguments.base64url, encoding::base64url },
	};
	encoding form = arguments.form;
	for (const choice &c : choices) {
		if (!c.chosen)
			continue;
		if (form != encoding::raw)
			throw usage_error("--hex, --base32, --base64 and --base64url exclude each other");
		form = c.form;
	}
	return form;
}

// Random bytes, or those of a keystream, as text in lines.
class maker {
public:
	explicit maker(const bytes_arguments &arguments)
	    : form_(chosen_form(arguments)), wrap_(parse_number("--wrap", arguments.wrap)), strong_(arguments.strong)
	{
		if (form_ == encoding::raw && wrap_ != 0)
			throw usage_error("--wrap: raw bytes have no lines; add --hex or the like");
		if (strong_ && arguments.key.has_key())
			throw usage_error("--strong and --key exclude each other");
		if (arguments.key.has_key())
			keystream_ = std::make_unique<keystream>(arguments.key);
		else
			require_entropy();
	}

	bool is_raw() const noexcept
	{
		return form_ == encoding::raw;
	}

	// Makes `count` texts of `each` bytes.  Throws usage_error if one does not fit into a piece.
	void set_texts(std::uint64_t each, const amount &count)
	{
		if (each > piece)
			throw usage_error(fmt::format("--count: several texts have up to {} bytes each", piece));
		each_ = static_cast<std::size_t>(each);
		size_ = count.is_endless() && each != 0 ? count : amount(0);
		if (count.is_endless() || each == 0)
			return;
		if (count.value() > UINT64_MAX / each)
			throw usage_error("--count: the texts would have more than 2^64 bytes");
		size_ = amount(each * count.value());
	}

	// Throws usage_error if the keystream ends before that size.
	void set_size(const amount &size)
	{
		size_ = keystream_ ? keystream_->check_end(0, size) : size;
	}

	const amount &size() const noexcept
	{
		return size_;
	}

	// The size of the whole output as it is written.
	amount text_size() const
	{
		if (is_raw() || size_.is_endless())
			return size_;
		// Saturate: no file system holds an exabyte.
		if (size_.value() > UINT64_MAX / 4)
			return amount(UINT64_MAX);
		if (each_ != 0) {
			const std::uint64_t count = size_.value() / each_;
			return amount(count != 0 && one_text() > UINT64_MAX / count ? UINT64_MAX : one_text() * count);
		}
		const std::uint64_t characters = encoded_size(form_, size_.value());
		return amount(characters + lines(characters));
	}

	// The most bytes that one call encodes: whole texts if there are several.
	std::size_t piece_size() const
	{
		return each_ == 0 ? piece : std::min(piece / each_, texts_max) * each_;
	}

	std::size_t room() const
	{
		return is_raw() ? piece : text_room() + encoded_size(form_, each_ == 0 ? piece : each_) + piece_size();
	}

	std::size_t operator()(std::uint64_t begin, std::size_t size, char *out) const
	{
		if (is_raw()) {
			draw(begin, out, size);
			return size;
		}
		// The buffer holds the text in lines, then the text without lines, then the bytes.
		char *text = out + text_room();
		char *bytes = text + encoded_size(form_, each_ == 0 ? piece : each_);
		draw(begin, bytes, size);
		if (each_ == 0) {
			encode(form_, reinterpret_cast<const unsigned char *>(bytes), size, text);
			return break_lines(begin, size, text, out,
					   !size_.is_endless() && begin + size == size_.value());
		}
		char *next = out;
		for (std::size_t i = 0; i < size; i += each_) {
			encode(form_, reinterpret_cast<const unsigned char *>(bytes + i), each_, text);
			next += break_lines(0, each_, text, next, true);
		}
		return static_cast<std::size_t>(next - out);
	}

private:
	void draw(std::uint64_t begin, char *data, std::size_t size) const
	{
		if (keystream_)
			keystream_->read(begin, data, size);
		else
			(strong_ ? cprng_strong : cprng_fast)(data, size);
	}

	std::uint64_t lines(std::uint64_t characters) const
	{
		if (wrap_ == 0)
			return characters > 0 ? 1 : 0;
		return characters / wrap_ + (characters % wrap_ != 0 ? 1 : 0);
	}

	// The size of one text, line ends included.
	std::uint64_t one_text() const
	{
		const std::uint64_t characters = encoded_size(form_, each_);
		return characters + lines(characters);
	}

	std::size_t text_room() const
	{
		if (each_ != 0)
			return piece_size() / each_ * one_text();
		const std::uint64_t characters = encoded_size(form_, piece);
		return characters + (wrap_ == 0 ? 1 : characters / wrap_ + 2);
	}

	// A piece may begin and end in the middle of a line.
	std::size_t break_lines(std::uint64_t done, std::size_t size, const char *text, char *out, bool is_end) const
	{
		const std::uint64_t before = encoded_size(form_, done);
		std::size_t left = encoded_size(form_, size);
		char *next = out;
		std::uint64_t column = wrap_ == 0 ? 0 : before % wrap_;
		while (left > 0) {
			const std::size_t part = wrap_ == 0 ? left : std::min<std::uint64_t>(left, wrap_ - column);
			std::memcpy(next, text, part);
			next += part;
			text += part;
			left -= part;
			column += part;
			if (column == wrap_) {
				*next++ = '\n';
				column = 0;
			}
		}
		if (is_end && (wrap_ == 0 || column > 0))
			*next++ = '\n';
		return static_cast<std::size_t>(next - out);
	}

	encoding form_;
	std::uint64_t wrap_;
	bool strong_;
	// The size of each text if there are several, else 0.
	std::size_t each_ = 0;
	amount size_{ 0 };
	std::unique_ptr<keystream> keystream_;
};

int run_bytes(const bytes_arguments &arguments)
{
	const amount size = parse_amount("SIZE", arguments.size);
	const amount count = parse_amount("--count", arguments.count);
	maker make(arguments);
	make.set_size(size);
	if (count.is_endless() || count.value() != 1)
		make.set_texts(size.value(), count);
	output out(arguments.output);
	if (!arguments.force && make.is_raw())
		out.refuse_terminal("bytes", "--hex or --force");
	// An empty text has only its line end, which belongs to no piece.
	if (!make.is_raw() && size.value() == 0) {
		out.expect(count);
		for (amount left = count; left.any();)
			out.write(std::string(static_cast<std::size_t>(left.take(piece)), '\n'));
		out.finish();
		return 0;
	}
	out.expect(make.text_size());
	pump({ [&make](std::uint64_t begin, std::size_t count, char *to) { return make(begin, count, to); }, 0,
	       make.size(), make.piece_size(), make.room() },
	     out);
	out.finish();
	return 0;
}

constexpr char size_note[] =
	"SIZE is a whole number of bytes, with an optional unit: K, M, G, T, P, E (or KiB, MiB, ...)\n"
	"for powers of 1024; kB (or KB), MB, GB, TB, PB, EB for powers of 1000; or inf.";

void add_common(command &command, bytes_arguments &arguments)
{
	command.option("-o,--output", arguments.output.file, "FILE", "write to FILE, not to standard output (-)");
	command.flag("--progress", arguments.output.progress, "show the progress on standard error");
	command.option("-w,--wrap", arguments.wrap, "COLS", "break lines of text after so many characters (0: never)");
	command.flag("--strong", arguments.strong, "from Fortuna, for long-lived keys");
}

void add_short_form(command_line &line, const char *name, const char *what, encoding form, const char *example,
		    const char *meaning)
{
	auto arguments = std::make_shared<bytes_arguments>();
	arguments->form = form;
	command &command = line.add("Bytes", name, fmt::format("random bytes in {}", what),
				    [arguments] { return run_bytes(*arguments); });
	command.positional("SIZE", arguments->size, "how many bytes");
	command.option("-n,--count", arguments->count, "COUNT", "how many texts of SIZE bytes each, one a line (1)");
	add_common(command, *arguments);
	command.note(size_note).example(example, meaning);
}

} // namespace

void add_bytes(command_line &line)
{
	auto arguments = std::make_shared<bytes_arguments>();
	command &command =
		line.add("Bytes", "bytes", "write random bytes", [arguments] { return run_bytes(*arguments); });
	command.positional("SIZE", arguments->size, "how many bytes");
	command.flag("--hex", arguments->hex, "as hexadecimal digits");
	command.flag("--base32", arguments->base32, "in base32 (RFC 4648)");
	command.flag("--base64", arguments->base64, "in base64 (RFC 4648)");
	command.flag("--base64url", arguments->base64url, "in base64 with - and _ for + and /");
	add_common(command, *arguments);
	add_keystream_options(command, arguments->key);
	command.flag("--force", arguments->force, "write raw bytes even to a terminal");
	command.note(size_note);
	command.example("cprng bytes 1M > random.bin", "a mebibyte");
	command.example("cprng bytes 32 --strong -o secret.key", "a long-lived key");
	command.example("cprng bytes inf | pv > /dev/null", "endless");
	command.example("cprng bytes 1G --progress -o FILE", "a file that appears whole or not at all");
}

void add_encodings(command_line &line)
{
	add_short_form(line, "hex", "hexadecimal digits", encoding::hex, "cprng hex 16", "a key of 128 bits");
	add_short_form(line, "base64", "base64", encoding::base64, "cprng base64 32 -w 76",
		       "lines as base64(1) makes them");
	add_short_form(line, "base64url", "base64 with - and _ for + and /", encoding::base64url, "cprng base64url 24",
		       "a token for a URL");
	add_short_form(line, "base32", "base32", encoding::base32, "cprng base32 20",
		       "a secret for one-time passwords");
}
