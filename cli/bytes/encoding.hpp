// SPDX-License-Identifier: BSD-2-Clause
// Bytes as text: base16, base32 and base64 of RFC 4648.
#ifndef CPRNG_CLI_BYTES_ENCODING_HPP
#define CPRNG_CLI_BYTES_ENCODING_HPP

#include <cstddef>
#include <cstdint>

enum class encoding { raw, hex, base32, base64, base64url };

// Bytes that make whole characters of every encoding: 1 of hex, 5 of base32, 3 of base64.
constexpr std::size_t encoding_group = 15;

// Length of the text of that many bytes, padding included.
std::uint64_t encoded_size(encoding form, std::uint64_t size) noexcept;

// Write the text to out, which has room for encoded_size().  No branch and no address depends on the bytes.
void encode(encoding form, const unsigned char *bytes, std::size_t size, char *out) noexcept;

#endif
