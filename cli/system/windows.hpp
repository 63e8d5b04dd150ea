// SPDX-License-Identifier: BSD-2-Clause
// What the sources for Windows share.
#ifndef CPRNG_CLI_SYSTEM_WINDOWS_HPP
#define CPRNG_CLI_SYSTEM_WINDOWS_HPP

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <string>
#include <string_view>

// UTF-8 as UTF-16, where wrong bytes become U+FFFD, and the reverse.
std::wstring as_utf16(std::string_view text);
std::string as_utf8(std::wstring_view text);

// The errno value of the thread's last error.
int last_error() noexcept;

HANDLE handle_of(int descriptor) noexcept;

// Takes the handle, or the last error if it is INVALID_HANDLE_VALUE.
int descriptor_of(HANDLE handle) noexcept;

// Create a file that no other process may open meanwhile, in the directory, which ends with a separator, under a name that no
// other file has.
HANDLE create_temporary(const std::wstring &directory, DWORD access, SECURITY_ATTRIBUTES *security, DWORD attributes);

#endif
