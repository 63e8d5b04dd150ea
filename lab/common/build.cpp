// SPDX-License-Identifier: BSD-2-Clause
#include "build.hpp"

#include <sstream>
#include <string>

#ifdef LAB_OPENSSL
#include <openssl/crypto.h>
#endif
#ifdef LAB_SODIUM
#include <sodium.h>
#endif

#include "lab_built_with.hpp"
#include "lab_commit.h"

namespace lab {

nlohmann::ordered_json describe_build()
{
	return {
		{ "commit", LAB_COMMIT },
		{ "type", LAB_BUILD_TYPE },
		{ "library_compiler", LAB_C_COMPILER },
		{ "library_flags", LAB_C_FLAGS },
		{ "lab_compiler", LAB_CXX_COMPILER },
		{ "lab_flags", LAB_CXX_FLAGS },
	};
}

nlohmann::ordered_json describe_peers()
{
	nlohmann::ordered_json peers = nlohmann::ordered_json::object();
	const auto add = [&peers](const char *name, const std::string &version) {
		if (!version.empty())
			peers[name] = version;
	};
#ifdef LAB_OPENSSL
	add("openssl", OpenSSL_version(OPENSSL_VERSION));
#endif
#ifdef LAB_SODIUM
	add("libsodium", sodium_version_string());
#endif
#ifdef __GLIBCXX__
	add("libstdc++", std::to_string(_GLIBCXX_RELEASE) + ", " + std::to_string(__GLIBCXX__));
#endif
	add("pcg", LAB_PCG_VERSION);
	add("go", LAB_GO_VERSION);
	add("rustc", LAB_RUSTC_VERSION);
	std::istringstream crates(LAB_RUST_CRATES);
	for (std::string crate; std::getline(crates, crate, ',');) {
		const std::size_t blank = crate.find(' ');
		// The generators' own crates, without dependencies.
		for (const char *name : { "rand", "rand_chacha", "rand_core", "chacha20", "aws-lc-rs", "aws-lc-sys" })
			if (crate.substr(0, blank) == name)
				add(("rust: " + std::string(name)).c_str(), crate.substr(blank + 1));
	}
	return peers;
}

} // namespace lab
