// SPDX-License-Identifier: BSD-2-Clause
#include "system/windows.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cwchar>
#include <optional>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <io.h>
#include <shellapi.h>

#include "system/system.hpp"

std::wstring as_utf16(std::string_view text)
{
	const int size = static_cast<int>(text.size());
	std::wstring wide(static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0)), 0);
	MultiByteToWideChar(CP_UTF8, 0, text.data(), size, wide.data(), static_cast<int>(wide.size()));
	return wide;
}

std::string as_utf8(std::wstring_view text)
{
	const int size = static_cast<int>(text.size());
	const int bytes = WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
	std::string narrow(static_cast<std::size_t>(bytes), 0);
	WideCharToMultiByte(CP_UTF8, 0, text.data(), size, narrow.data(), bytes, nullptr, nullptr);
	return narrow;
}

int last_error() noexcept
{
	const DWORD error = GetLastError();
	// The compiler's table has other numbers for a pipe without a reader, or none.
	if (error == ERROR_NO_DATA || error == ERROR_BROKEN_PIPE || error == ERROR_PIPE_NOT_CONNECTED)
		return EPIPE;
	const auto known = std::system_category().default_error_condition(static_cast<int>(error));
	return known.category() == std::generic_category() ? known.value() : EIO;
}

HANDLE handle_of(int descriptor) noexcept
{
	const intptr_t handle = _get_osfhandle(descriptor);
	// -2: a standard descriptor without a stream.
	return handle == -2 ? INVALID_HANDLE_VALUE : reinterpret_cast<HANDLE>(handle);
}

int descriptor_of(HANDLE handle) noexcept
{
	if (handle == INVALID_HANDLE_VALUE) {
		errno = last_error();
		return -1;
	}
	const int descriptor = _open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_BINARY);
	if (descriptor < 0)
		CloseHandle(handle);
	return descriptor;
}

namespace {

// A function of a system DLL, or null if this version of Windows lacks it.
template <typename Function> Function *call_of(const wchar_t *library, const char *name) noexcept
{
	wchar_t path[MAX_PATH + 1];
	const UINT length = GetSystemDirectoryW(path, MAX_PATH);
	if (length == 0 || length + 1 + std::wcslen(library) > MAX_PATH)
		return nullptr;
	path[length] = L'\\';
	std::wcscpy(path + length + 1, library);
	const HMODULE module = GetModuleHandleW(path);
	return module == nullptr ? nullptr :
				   reinterpret_cast<Function *>(reinterpret_cast<void *>(GetProcAddress(module, name)));
}

bool is_console(HANDLE handle) noexcept
{
	DWORD mode;
	return GetConsoleMode(handle, &mode) != 0;
}

bool has_escapes = false;

// A console takes characters, in pieces of limited size, so the text is cut between two characters.
std::ptrdiff_t write_to_console(HANDLE handle, const char *text, std::size_t size) noexcept
{
	constexpr std::size_t most = 8192;
	std::size_t part = std::min(size, most);
	while (part < size && part > most - 4 && (static_cast<unsigned char>(text[part]) & 0xc0) == 0x80)
		part--;
	wchar_t wide[most];
	const int units = MultiByteToWideChar(CP_UTF8, 0, text, static_cast<int>(part), wide, most);
	DWORD written = 0;
	int at = 0;
	while (at < units && WriteConsoleW(handle, wide + at, static_cast<DWORD>(units - at), &written, nullptr))
		at += static_cast<int>(written);
	wipe(wide, sizeof(wide));
	return at < units ? -1 : static_cast<std::ptrdiff_t>(part);
}

// A console returns characters, whose bytes are kept until they are read, and then wiped.
std::ptrdiff_t read_from_console(HANDLE handle, char *data, std::size_t size) noexcept
{
	constexpr std::size_t most = 4096;
	static char kept[3 * most];
	static std::size_t used = 0;
	static std::size_t next = 0;
	if (next == used) {
		wchar_t wide[most];
		DWORD units = 0;
		DWORD more = 0;
		// One is left for the second half of a character.
		const bool done = ReadConsoleW(handle, wide, most - 1, &units, nullptr) != 0;
		if (!done)
			errno = last_error();
		else if (units > 0 && IS_HIGH_SURROGATE(wide[units - 1]) &&
			 ReadConsoleW(handle, wide + units, 1, &more, nullptr))
			units += more;
		// As in other programs, a line that begins with Ctrl-Z ends the input.
		const bool ended = units == 0 || wide[0] == 0x1a;
		used = !done || ended ? 0 :
					static_cast<std::size_t>(
						WideCharToMultiByte(CP_UTF8, 0, wide, static_cast<int>(units), kept,
								    static_cast<int>(sizeof(kept)), nullptr, nullptr));
		next = 0;
		wipe(wide, sizeof(wide));
		if (!done || ended)
			return done ? 0 : -1;
	}
	const std::size_t part = std::min(size, used - next);
	std::copy_n(kept + next, part, data);
	wipe(kept + next, part);
	next += part;
	return static_cast<std::ptrdiff_t>(part);
}

} // namespace

// ----------------------------------------------------------------------------------------------------------- the process

// The C library gives the numbers of closed standard descriptors to no file.  Ctrl-C ends the process, and Windows then removes its
// temporary files.
void prepare_process()
{
	const HANDLE handle = handle_of(standard_error_descriptor);
	DWORD mode;
	// Windows before version 1511 of 10 would show the escape sequences.
	has_escapes = GetConsoleMode(handle, &mode) != 0 &&
		      SetConsoleMode(handle, mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

bool take_arguments(int &argc, char **&argv)
{
	static std::vector<std::string> words;
	static std::vector<char *> pointers;
	int count = 0;
	wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
	if (wide == nullptr)
		throw std::bad_alloc();
	for (int i = 0; i < count; i++) {
		words.push_back(as_utf8(wide[i]));
		if (as_utf16(words.back()) != wide[i])
			return false;
	}
	LocalFree(wide);
	for (std::string &word : words)
		pointers.push_back(word.data());
	pointers.push_back(nullptr);
	argc = count;
	argv = pointers.data();
	return true;
}

void on_progress_signal(void (*)(int))
{
}

void without_signals(const std::function<void()> &start)
{
	start();
}

const char *why_absent(std::string_view command)
{
	if (command == "run")
		return "Windows cannot load a library before a program's own";
	if (command == "invalidate")
		return "Windows itself tells the library of a clone";
	return nullptr;
}

// -------------------------------------------------------------------------------------------------- terminals and messages

bool is_terminal(int descriptor) noexcept
{
	return is_console(handle_of(descriptor));
}

bool rewrites_lines() noexcept
{
	return has_escapes;
}

bool has_colours() noexcept
{
	return has_escapes;
}

void write_message(std::string_view text) noexcept
{
	(void)write_some(standard_error_descriptor, text.data(), text.size());
}

// ----------------------------------------------------------------------------------------------------------------- files

int open_input(const std::string &file)
{
	const std::wstring wide = as_utf16(file);
	const int descriptor = descriptor_of(CreateFileW(wide.c_str(), GENERIC_READ,
							 FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
							 nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
	const DWORD attributes = descriptor < 0 ? GetFileAttributesW(wide.c_str()) : INVALID_FILE_ATTRIBUTES;
	if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0)
		errno = EISDIR;
	return descriptor;
}

int open_temporary(const std::string &directory)
{
	return descriptor_of(create_temporary(as_utf16(directory + "\\"), GENERIC_READ | GENERIC_WRITE | DELETE,
					      nullptr, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE));
}

const char temporary_directory_note[] = "%TMP%, or the user's";

std::string temporary_directory()
{
	wchar_t path[MAX_PATH + 1] = {};
	return as_utf8({ path, std::min<std::size_t>(GetTempPathW(MAX_PATH + 1, path), MAX_PATH) });
}

std::ptrdiff_t read_some(int descriptor, char *data, std::size_t size)
{
	const HANDLE handle = handle_of(descriptor);
	if (is_console(handle))
		return read_from_console(handle, data, size);
	DWORD got;
	while (!ReadFile(handle, data, static_cast<DWORD>(std::min<std::size_t>(size, INT_MAX)), &got, nullptr)) {
		const DWORD error = GetLastError();
		if (error == ERROR_BROKEN_PIPE || error == ERROR_HANDLE_EOF)
			return 0;
		// A non-blocking pipe.
		if (error != ERROR_NO_DATA) {
			errno = last_error();
			return -1;
		}
		Sleep(1);
	}
	return got;
}

std::ptrdiff_t write_some(int descriptor, const void *data, std::size_t size) noexcept
{
	const HANDLE handle = handle_of(descriptor);
	std::ptrdiff_t done = -1;
	if (is_console(handle)) {
		done = write_to_console(handle, static_cast<const char *>(data), size);
	} else {
		auto part = static_cast<DWORD>(std::min<std::size_t>(size, INT_MAX));
		DWORD written = 0;
		while (WriteFile(handle, data, part, &written, nullptr)) {
			done = written;
			if (written > 0 || part == 0)
				break;
			// A non-blocking pipe without room for the whole takes nothing.
			done = -1;
			part = std::max<DWORD>(part / 2, 1);
			Sleep(1);
		}
	}
	if (done < 0)
		errno = last_error();
	return done;
}

int close_file(int descriptor) noexcept
{
	return _close(descriptor);
}

int sync_file(int descriptor) noexcept
{
	if (FlushFileBuffers(handle_of(descriptor)))
		return 0;
	errno = last_error();
	return -1;
}

bool is_directory(int) noexcept
{
	return false;
}

std::int64_t seek(int descriptor, std::int64_t offset, int from) noexcept
{
	return _lseeki64(descriptor, offset, from);
}

std::uint64_t size_left(int descriptor) noexcept
{
	const HANDLE handle = handle_of(descriptor);
	LARGE_INTEGER size = {};
	if (GetFileType(handle) != FILE_TYPE_DISK || !GetFileSizeEx(handle, &size))
		return 0;
	const std::int64_t position = seek(descriptor, 0, SEEK_CUR);
	return position < 0 || position > size.QuadPart ? 0 : static_cast<std::uint64_t>(size.QuadPart - position);
}

void enlarge_pipe(int, int) noexcept
{
}

const bool lines_end_in_crlf = true;

std::optional<space> space_in(const std::string &directory)
{
	ULARGE_INTEGER free;
	ULARGE_INTEGER whole;
	if (!GetDiskFreeSpaceExW(as_utf16(directory).c_str(), &free, &whole, nullptr))
		return std::nullopt;
	return space{ whole.QuadPart, free.QuadPart };
}

// ------------------------------------------------------------------------------------------------------- memory and CPUs

void *allocate_pages(std::size_t size) noexcept
{
	void *pages = VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
	// From Windows 10 version 1703 on.  Best effort: if it fails, an error report may include the pages.
	if (auto *exclude =
		    call_of<HRESULT WINAPI(const void *, DWORD)>(L"kernel32.dll", "WerRegisterExcludedMemoryBlock");
	    pages != nullptr && exclude != nullptr)
		(void)exclude(pages, static_cast<DWORD>(size));
	return pages;
}

void free_pages(void *pages, std::size_t size) noexcept
{
	wipe(pages, size);
	if (auto *include = call_of<HRESULT WINAPI(const void *)>(L"kernel32.dll", "WerUnregisterExcludedMemoryBlock"))
		(void)include(pages);
	VirtualFree(pages, 0, MEM_RELEASE);
}

void wipe(void *data, std::size_t size) noexcept
{
	SecureZeroMemory(data, size);
}

// Without the window that reports a fault, Windows makes no report.
void forbid_dumps() noexcept
{
	SetErrorMode(GetErrorMode() | SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
}

std::uint64_t usable_memory()
{
	MEMORYSTATUSEX status = {};
	status.dwLength = sizeof(status);
	return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : 0;
}

unsigned int processors() noexcept
{
	DWORD_PTR own = 0;
	DWORD_PTR all = 0;
	// 0 where its threads are in several groups, of up to 64 CPUs each.
	if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all) || own == 0)
		return UINT_MAX;
	return static_cast<unsigned int>(__builtin_popcountll(own));
}

// ----------------------------------------------------------------------------------------------- the system's randomness

namespace {

using process_prng = BOOL WINAPI(unsigned char *, SIZE_T);
using generate_random = BOOLEAN WINAPI(void *, ULONG); // RtlGenRandom, which no library exports by that name

// The same calls in the same order as the library, which has loaded the DLLs.
process_prng *prng() noexcept
{
	return call_of<process_prng>(L"bcryptprimitives.dll", "ProcessPrng");
}

bool draw_from_system(void *data, std::size_t size) noexcept
{
	if (process_prng *call = prng())
		return call(static_cast<unsigned char *>(data), size) != 0;
	auto *call = call_of<generate_random>(L"cryptbase.dll", "SystemFunction036");
	if (call == nullptr)
		call = call_of<generate_random>(L"advapi32.dll", "SystemFunction036");
	return call != nullptr && call(data, static_cast<ULONG>(size)) != 0;
}

} // namespace

HANDLE create_temporary(const std::wstring &directory, DWORD access, SECURITY_ATTRIBUTES *security, DWORD attributes)
{
	std::uint64_t number;
	if (!draw_from_system(&number, sizeof(number))) {
		SetLastError(ERROR_GEN_FAILURE);
		return INVALID_HANDLE_VALUE;
	}
	const std::wstring path = directory + as_utf16(fmt::format(".cprng-{:016x}", number));
	return CreateFileW(path.c_str(), access, 0, security, CREATE_NEW, attributes, nullptr);
}

std::string why_no_entropy()
{
	unsigned char byte;
	if (draw_from_system(&byte, sizeof(byte)))
		return {};
	return fmt::format("{} refuses", prng() != nullptr ? "ProcessPrng" : "RtlGenRandom");
}

const char kernel_pool[] = "";

int give_to_kernel(const void *, std::size_t) noexcept
{
	return 0;
}
