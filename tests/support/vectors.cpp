// SPDX-License-Identifier: BSD-2-Clause
#include "vectors.hpp"

#include "nlohmann/json.hpp"

#include <fstream>
#include <stdexcept>

namespace {

Bytes from_hex(const std::string &s)
{
	Bytes v;

	if (s.size() % 2 != 0)
		throw std::runtime_error("an odd number of hexadecimal digits");
	for (std::size_t i = 0; i < s.size(); i += 2)
		v.push_back(static_cast<std::uint8_t>(std::stoul(s.substr(i, 2), nullptr, 16)));
	return v;
}

const cprng_engine *find_engine(const std::string &algorithm, unsigned int rounds, std::size_t key_size)
{
	for (const cprng_engine *e : all_engines()) {
		if (algorithm != e->family->name || rounds != e->rounds)
			continue;
		for (std::size_t size : sizes(e->key_sizes)) {
			if (size == key_size)
				return e;
		}
	}
	throw std::runtime_error("no engine for " + algorithm);
}

} // namespace

std::vector<Vector> read_vectors(const std::string &name)
{
	std::ifstream file(CPRNG_TEST_VECTORS "/" + name);
	const auto json = nlohmann::json::parse(file);
	std::vector<Vector> vectors;

	for (const auto &v : json.at("vectors")) {
		Vector vector;
		vector.comment = name + ": " + v.at("comment").get<std::string>();
		vector.position.key = from_hex(v.at("key"));
		vector.position.nonce = from_hex(v.at("nonce"));
		vector.engine = find_engine(v.at("algorithm"), v.at("rounds"), vector.position.key.size());
		vector.offset = v.value("offset", std::uint64_t{ 0 });
		vector.length = v.at("length");
		vector.keystream = from_hex(v.value("keystream", ""));
		vector.xor_digest_64 = from_hex(v.value("xor_digest_64", ""));
		if (vector.keystream.size() != (vector.xor_digest_64.empty() ? vector.length : 0))
			throw std::runtime_error(vector.comment + ": length");
		vectors.push_back(vector);
	}
	return vectors;
}
