// SPDX-License-Identifier: BSD-2-Clause
// A regular file is written under a temporary name in the same directory, and renamed at the end.  Until then Windows removes it
// when its handle is closed, which includes every way in which the command may end.
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/error.hpp"
#include "output/sink.hpp"
#include "output/space.hpp"
#include "system/system.hpp"
#include "system/windows.hpp"

namespace {

[[noreturn]] void fail_at(const std::string &file, const std::string &reason)
{
	throw runtime_failure(fmt::format("{}: {}", quote(file), reason));
}

[[noreturn]] void fail_by_windows(const std::string &file)
{
	const DWORD error = GetLastError();
	fail_at(file, error == ERROR_SHARING_VIOLATION ? "another program has it open" : system_message(last_error()));
}

bool is_separator(wchar_t c)
{
	return c == L'/' || c == L'\\';
}

class handle {
public:
	explicit handle(HANDLE number) : number_(number)
	{
	}
	~handle()
	{
		if (number_ != INVALID_HANDLE_VALUE)
			CloseHandle(number_);
	}
	handle(const handle &) = delete;
	handle &operator=(const handle &) = delete;

	HANDLE get() const noexcept
	{
		return number_;
	}

private:
	HANDLE number_;
};

// The file to be replaced: its path, with links resolved, and the properties that the new file keeps.  The access list is kept as
// the mode is on Unix: a rename would leave the new file that of its directory, and ReplaceFile(), which copies it, can fail after
// it has removed the old file.
struct old_file {
	std::wstring path;
	DWORD attributes = FILE_ATTRIBUTE_NORMAL;
	// A security descriptor with its access list; may be empty.
	std::vector<char> access;
};

// A file's access list; empty if its file system has none.
std::vector<char> access_of(const std::string &file, HANDLE handle)
{
	DWORD size = 0;
	if (!GetKernelObjectSecurity(handle, DACL_SECURITY_INFORMATION, nullptr, 0, &size) &&
	    (GetLastError() == ERROR_INVALID_FUNCTION || GetLastError() == ERROR_NOT_SUPPORTED))
		return {};
	std::vector<char> access(size);
	if (!GetKernelObjectSecurity(handle, DACL_SECURITY_INFORMATION, access.data(), size, &size))
		fail_by_windows(file);
	return access;
}

// Refuse a file that a rename could not replace, or that its owner protects from writes.
old_file look_at(const std::string &file, const std::wstring &path, DWORD attributes)
{
	if ((attributes & FILE_ATTRIBUTE_READONLY) != 0)
		fail_at(file, system_message(EACCES));
	const handle old(CreateFileW(path.c_str(), READ_CONTROL | DELETE | FILE_READ_ATTRIBUTES | FILE_WRITE_DATA,
				     FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING, 0,
				     nullptr));
	if (old.get() == INVALID_HANDLE_VALUE) {
		if (GetLastError() == ERROR_FILE_NOT_FOUND && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0)
			fail_at(file, "a dangling symbolic link");
		fail_by_windows(file);
	}
	old_file found;
	found.path.resize(32768);
	found.path.resize(GetFinalPathNameByHandleW(old.get(), found.path.data(), 32768, FILE_NAME_NORMALIZED));
	if (found.path.empty())
		found.path = path;
	BY_HANDLE_FILE_INFORMATION information;
	if (GetFileInformationByHandle(old.get(), &information))
		found.attributes = information.dwFileAttributes &
				   (FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_SYSTEM | FILE_ATTRIBUTE_ENCRYPTED |
				    FILE_ATTRIBUTE_NOT_CONTENT_INDEXED);
	found.access = access_of(file, old.get());
	return found;
}

class windows_file final : public sink {
public:
	windows_file(const std::string &file, const old_file &old);
	~windows_file() override
	{
		if (descriptor_ >= 0)
			remove_at_end(true);
	}

	void reserve(std::uint64_t size) override;
	void finish() override;

private:
	// Whether Windows removes the file when it is closed.
	bool remove_at_end(bool removes) const noexcept;
	bool rename(FILE_INFO_BY_HANDLE_CLASS how, DWORD flags) const;

	std::wstring path_;
	std::wstring directory_;
};

windows_file::windows_file(const std::string &file, const old_file &old) : sink(-1, quote(file)), path_(old.path)
{
	std::size_t end = path_.size();
	while (end > 0 && !is_separator(path_[end - 1]))
		end--;
	directory_ = path_.substr(0, end);
	// Security descriptors consist of words, and those of a vector are aligned.
	std::vector<char> access = old.access;
	SECURITY_ATTRIBUTES security = { sizeof(security), access.empty() ? nullptr : access.data(), FALSE };
	descriptor_ = descriptor_of(create_temporary(directory_, GENERIC_WRITE | DELETE | SYNCHRONIZE, &security,
						     old.attributes == 0 ? FILE_ATTRIBUTE_NORMAL : old.attributes));
	if (descriptor_ < 0)
		fail(errno);
	// Best effort: on a file system without it, a killed command leaves its temporary file.
	(void)remove_at_end(true);
}

bool windows_file::remove_at_end(bool removes) const noexcept
{
	FILE_DISPOSITION_INFO information = { static_cast<BOOLEAN>(removes) };
	return SetFileInformationByHandle(handle_of(descriptor_), FileDispositionInfo, &information,
					  sizeof(information)) != 0;
}

void windows_file::reserve(std::uint64_t size)
{
	if (size == 0)
		return;
	const std::optional<space> there = space_in(as_utf8(directory_));
	const std::uint64_t free = there ? there->free : 0;
	if (size > static_cast<std::uint64_t>(INT64_MAX))
		fail_to_fit(name_, EFBIG, size, free);
	if (there && size > free)
		fail_to_fit(name_, ENOSPC, size, free);
	// Otherwise other programs may take the space.  Some file systems do not support it.
	FILE_ALLOCATION_INFO information;
	information.AllocationSize.QuadPart = static_cast<std::int64_t>(size);
	if (!SetFileInformationByHandle(handle_of(descriptor_), FileAllocationInfo, &information,
					sizeof(information)) &&
	    last_error() == ENOSPC)
		fail_to_fit(name_, ENOSPC, size, free);
}

bool windows_file::rename(FILE_INFO_BY_HANDLE_CLASS how, DWORD flags) const
{
	const std::size_t bytes = path_.size() * sizeof(wchar_t);
	std::vector<std::uint64_t> room((sizeof(FILE_RENAME_INFO) + bytes) / sizeof(std::uint64_t) + 1);
	auto *information = reinterpret_cast<FILE_RENAME_INFO *>(room.data());
	// The flags of the newer form are at the place of the older form's ReplaceIfExists.
	std::memcpy(information, &flags, sizeof(flags));
	information->FileNameLength = static_cast<DWORD>(bytes);
	std::memcpy(information->FileName, path_.data(), bytes);
	return SetFileInformationByHandle(handle_of(descriptor_), how, information,
					  static_cast<DWORD>(room.size() * sizeof(room[0]))) != 0;
}

// A single step: the name refers to the old file or to the new one.
void windows_file::finish()
{
	// FileRenameInfoEx, from Windows 10 version 1709 on, also replaces a file that another program reads.
	constexpr auto newer = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);
	constexpr DWORD replace = 1;
	constexpr DWORD posix_semantics = 2;
	sync();
	(void)remove_at_end(false);
	if (!rename(newer, replace | posix_semantics) && !rename(FileRenameInfo, replace)) {
		const int error = last_error();
		(void)remove_at_end(true);
		fail(error, error == EACCES ? "; another program may have it open" : "");
	}
	close_descriptor();
}

// A device, such as NUL, or a named pipe.
class windows_device final : public sink {
public:
	windows_device(const std::string &file, const std::wstring &path) : sink(-1, quote(file))
	{
		const HANDLE device = CreateFileW(path.c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
						  nullptr, OPEN_EXISTING, 0, nullptr);
		if (device != INVALID_HANDLE_VALUE && GetFileType(device) == FILE_TYPE_DISK) {
			CloseHandle(device);
			fail_at(file, "no disk is overwritten on Windows");
		}
		descriptor_ = descriptor_of(device);
		if (descriptor_ < 0)
			fail(errno);
	}

	void finish() override
	{
		close_descriptor();
	}
};

// The full path of a device is "\\.\NUL" or "\\.\pipe\...".
std::wstring full_path(const std::wstring &path)
{
	std::wstring full(GetFullPathNameW(path.c_str(), 0, nullptr, nullptr), 0);
	full.resize(GetFullPathNameW(path.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr));
	return full;
}

// As in `-o FILE >> FILE`: a replacement would lose the file's content and what is still written to it.
bool is_standard_output(const std::wstring &path)
{
	const handle file(CreateFileW(path.c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
				      OPEN_EXISTING, 0, nullptr));
	BY_HANDLE_FILE_INFORMATION a;
	BY_HANDLE_FILE_INFORMATION b;
	return file.get() != INVALID_HANDLE_VALUE && GetFileInformationByHandle(file.get(), &a) &&
	       GetFileInformationByHandle(handle_of(standard_output_descriptor), &b) &&
	       a.dwVolumeSerialNumber == b.dwVolumeSerialNumber && a.nFileIndexHigh == b.nFileIndexHigh &&
	       a.nFileIndexLow == b.nFileIndexLow;
}

} // namespace

std::unique_ptr<sink> open_sink(const std::optional<std::string> &name)
{
	if (!name || *name == "-")
		return make_standard_output();
	const std::string &file = *name;
	if (file.empty())
		throw runtime_failure("the name of the output file is empty");
	old_file old;
	old.path = full_path(as_utf16(file));
	if (old.path.compare(0, 4, L"\\\\.\\") == 0)
		return std::make_unique<windows_device>(file, old.path);
	const DWORD attributes = GetFileAttributesW(old.path.c_str());
	const bool exists = attributes != INVALID_FILE_ATTRIBUTES;
	if (old.path.empty() || is_separator(old.path.back()) ||
	    (exists && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0))
		fail_at(file, system_message(EISDIR));
	if (!exists && GetLastError() != ERROR_FILE_NOT_FOUND)
		fail_by_windows(file);
	if (old.path.rfind(L':') != std::wstring::npos &&
	    old.path.find_first_of(L"/\\", old.path.rfind(L':')) == std::wstring::npos)
		fail_at(file, "a stream of a file cannot appear in one step");
	if (exists && is_standard_output(old.path))
		return make_standard_output();
	if (exists)
		old = look_at(file, old.path, attributes);
	return std::make_unique<windows_file>(file, old);
}
