// SPDX-License-Identifier: BSD-2-Clause
// cprng verify: is what `cprng bytes --key` wrote still there?
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "bytes/keystream.hpp"
#include "common/buffer.hpp"
#include "common/error.hpp"
#include "common/input.hpp"
#include "output/direct.hpp"
#include "output/output.hpp"
#include "shell/commands.hpp"
#include "system/system.hpp"

namespace {

constexpr std::size_t compared_at_once = std::size_t{ 1024 } * 1024;

struct verify_arguments {
	keystream_options key{ "chacha20", {}, {}, {} };
	std::string file;
	std::string offset = "0";
	std::string size = "inf";
	bool progress = false;
	bool json = false;
};

class reader {
public:
	explicit reader(const std::string &file) : input_(input::file_or_standard(file))
	{
		if (file == "-")
			return;
		const file_kind kind = kind_of(input_.descriptor());
		if (kind == file_kind::unknown)
			input_.fail(errno);
		const bool is_block_device = kind == file_kind::block_device;
		seekable_ = kind == file_kind::regular || is_block_device;
		// Bypass the kernel's cache: it would return what was written without reading the medium.
		std::uint64_t capacity = 0;
		is_device_ = is_block_device && direct_.attach(input_.descriptor(), capacity);
	}

	const std::string &name() const
	{
		return input_.name();
	}

	void seek(std::uint64_t offset)
	{
		if (offset == 0)
			return;
		if (!seekable_)
			throw usage_error(fmt::format("--offset: {} can only be read from its beginning", name()));
		// Unknown for some files of /proc.
		const std::int64_t end = ::seek(input_.descriptor(), 0, SEEK_END);
		if (end >= 0 && offset > static_cast<std::uint64_t>(end))
			throw runtime_failure(fmt::format("--offset: {} ends at {}, before {}", name(), end, offset));
		if (::seek(input_.descriptor(), static_cast<std::int64_t>(offset), SEEK_SET) < 0)
			input_.fail(errno);
		position_ = offset;
	}

	// Reads until size bytes are there or the input ends.
	std::size_t read(char *data, std::size_t size)
	{
		std::size_t done = 0;
		while (done < size) {
			if (is_device_)
				direct_.prepare(position_, data + done, size - done);
			const std::ptrdiff_t got = input_.try_read(data + done, size - done);
			if (got == 0)
				break;
			if (got < 0)
				input_.fail(errno, fmt::format(" at offset {}", position_));
			done += static_cast<std::size_t>(got);
			position_ += static_cast<std::uint64_t>(got);
		}
		return done;
	}

private:
	input input_;
	std::uint64_t position_ = 0;
	bool seekable_ = false;
	bool is_device_ = false;
	direct_transfer direct_;
};

struct finding {
	std::uint64_t compared = 0;
	std::uint64_t different = 0;
	std::uint64_t first = 0;
};

// Returns the number of bytes that differ; `where` receives the first one's index.
std::uint64_t count_differences(const char *a, const char *b, std::size_t size, std::size_t &where)
{
	if (std::memcmp(a, b, size) == 0)
		return 0;
	where = static_cast<std::size_t>(std::mismatch(a, a + size, b).first - a);
	std::uint64_t count = 0;
	for (std::size_t i = where; i < size; i++)
		count += a[i] != b[i] ? 1 : 0;
	return count;
}

finding compare(const keystream &source, reader &input, std::uint64_t offset, amount left, progress &progress)
{
	const wiped_buffer there(compared_at_once);
	const wiped_buffer expected(compared_at_once);
	finding found;
	while (left.any()) {
		// Pieces end at multiples of their size, so that they are whole blocks of a device.
		const std::uint64_t at = offset + found.compared;
		const auto size = static_cast<std::size_t>(left.take(compared_at_once - at % compared_at_once));
		const std::size_t got = input.read(there.data(), size);
		source.check_end(at, amount(got));
		source.read(at, expected.data(), got);
		std::size_t where = 0;
		const std::uint64_t different = count_differences(there.data(), expected.data(), got, where);
		if (found.different == 0 && different != 0)
			found.first = at + where;
		found.different += different;
		found.compared += got;
		progress.add(got);
		if (got < size)
			break;
	}
	return found;
}

int run_verify(const verify_arguments &arguments)
{
	const keystream source(arguments.key);
	const std::uint64_t offset = parse_size("--offset", arguments.offset);
	const amount size = parse_amount("--size", arguments.size);
	source.check_end(offset, size.is_endless() ? amount(0) : size);
	reader input(arguments.file);
	input.seek(offset);
	finding found;
	{
		progress shown("compared");
		if (arguments.progress)
			shown.show_always();
		if (!size.is_endless())
			shown.expect(size.value());
		found = compare(source, input, offset, size, shown);
		shown.finish();
	}
	// Without --size, at least one byte is expected.
	const bool is_short = found.compared < (size.is_endless() ? 1 : size.value());
	if (arguments.json)
		print_beside_verdict(
			fmt::format("{{\"compared\": {}, \"different\": {}, \"first\": {}, \"short\": {}}}\n",
				    found.compared, found.different,
				    found.different != 0 ? fmt::format("{}", found.first) : std::string("null"),
				    is_short));
	else if (found.different == 0 && !is_short)
		print_beside_verdict(fmt::format("{} bytes are those of the stream\n", found.compared));
	if (found.different != 0)
		throw runtime_failure(fmt::format("{}: {} of {} bytes differ from the stream, the first at offset {}",
						  input.name(), found.different, found.compared, found.first));
	if (is_short && size.is_endless())
		throw runtime_failure(fmt::format("{}: has no byte to compare; --size 0 permits that", input.name()));
	if (is_short)
		throw runtime_failure(
			fmt::format("{}: ends after {} of {} bytes", input.name(), found.compared, size.value()));
	return 0;
}

} // namespace

void add_verify(command_line &line)
{
	auto arguments = std::make_shared<verify_arguments>();
	command &command = line.add("Keystreams", "verify",
				    "compare a file or device with the keystream that filled it",
				    [arguments] { return run_verify(*arguments); });
	add_keystream_options(command, arguments->key);
	command.option("--offset", arguments->offset, "SIZE", "begin there in the file and in the stream (0)");
	command.option("--size", arguments->size, "SIZE", "compare so many bytes (to the end of the file)");
	command.flag("--progress", arguments->progress, "show how far it is, on standard error");
	command.flag("--json", arguments->json, "print a JSON object");
	command.positional("FILE", arguments->file, "what `cprng bytes --key` has written; - for standard input");
	command.example("cprng bytes --key-file disk.key -o /dev/sdX --yes", "fill a disk");
	command.example("cprng verify --key-file disk.key /dev/sdX", "and check what it holds");
}
