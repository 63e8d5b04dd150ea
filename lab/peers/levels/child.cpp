// SPDX-License-Identifier: BSD-2-Clause
// The child process for one level.
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "../../common/error.hpp"
#include "../contenders/bare.hpp"
#include "../contenders/openssl.hpp"
#include "../contenders/sodium.hpp"
#include "../contenders/timing.hpp"
#include "cpu/cpu.h"
#include "levels.hpp"

#ifdef LAB_OPENSSL
#include <openssl/crypto.h>
#endif

namespace lab::levels {

namespace {

alignas(4096) unsigned char buffer[request_bytes];

const work request = { work::fill, buffer, request_bytes };

// nullptr if the lab lacks this library.
std::unique_ptr<contender> make(const std::string &cipher, const std::string &library)
{
	if (library == "cprng")
		return std::make_unique<contender_of<bare_source>>(cipher.c_str());
#ifdef LAB_OPENSSL
	if (library == "openssl" && cipher == "aes256-ctr")
		return std::make_unique<contender_of<openssl_ctr>>();
	if (library == "openssl" && cipher == "chacha20")
		return std::make_unique<contender_of<openssl_chacha20>>();
#endif
#ifdef LAB_SODIUM
	if (library == "libsodium" && cipher == "chacha20")
		return std::make_unique<contender_of<sodium_chacha20>>();
	if (library == "libsodium" && cipher == "salsa20")
		return std::make_unique<contender_of<sodium_salsa20>>();
#endif
	return nullptr;
}

// A library's cipher, and how many of its requests fill a given time.
class timed {
public:
	timed(const std::string &cipher, const std::string &library) : source_(make(cipher, library))
	{
	}

	std::string ns(double seconds)
	{
		if (source_ == nullptr)
			return "-";
		if (calls_ == 0)
			calls_ = calls_for(*source_, request, seconds);
		return fmt::format("{}", source_->run(request, calls_) / static_cast<double>(calls_) * 1e9);
	}

private:
	std::unique_ptr<contender> source_;
	std::uint64_t calls_ = 0;
};

class server {
public:
	std::string answer(std::istream &in)
	{
		std::string verb, cipher, library;
		double seconds = 0;
		in >> verb;
		if (verb == "time" && in >> cipher >> library >> seconds)
			return ciphers_.try_emplace({ cipher, library }, cipher, library).first->second.ns(seconds);
		if (verb == "backend" && in >> cipher)
			return bare_loop(cipher.c_str()).backend();
		if (verb == "generator")
			return generator();
		if (verb == "openssl")
			return openssl_features();
		throw bad_input("no such request: " + verb);
	}

private:
	static std::string generator()
	{
		const cprng_engine *engine = nullptr;
		const cprng_backend *backend = nullptr;
		if (!cprng_engine_default(&engine, &backend))
			throw failure("no engine gives its known answers");
		return engine->name;
	}

	static std::string openssl_features()
	{
#ifdef LAB_OPENSSL
		const char *features = OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS);
		return features != nullptr ? features : "-";
#else
		return "-";
#endif
	}

	std::map<std::pair<std::string, std::string>, timed> ciphers_;
};

} // namespace

void serve(const level &at)
{
	// Before the first call of libsodium, which chooses its implementation only once.
	cprng_cpu_set_ceiling(at.features);
	server all;
	for (std::string line; std::getline(std::cin, line);) {
		std::istringstream in(line);
		std::cout << all.answer(in) << std::endl;
	}
}

} // namespace lab::levels
