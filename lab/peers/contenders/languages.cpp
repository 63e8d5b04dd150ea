// SPDX-License-Identifier: BSD-2-Clause
// The generators of Rust and Go, measured by programs in these languages: lab/peers/contenders/rust/, lab/peers/contenders/go/.
#include <filesystem>

#include "program.hpp"

namespace lab {

namespace {

struct row {
	const char *name, *there, *description;
	bool cryptographic;
	const char *absent, *version;
};

void add_rows(contender_list &all, const std::string &program, std::initializer_list<row> rows)
{
	const std::string file = beside_this_program(program);
	const bool built = std::filesystem::exists(file);
	for (const row &r : rows) {
		contender_info info = { r.name, r.description, r.cryptographic, r.absent, {}, r.version };
		if (info.absent.empty() && !built)
			info.absent = program + " is not in the directory of cprng-lab";
		if (info.absent.empty()) {
			info.program = { file };
			info.there = r.there;
			run_in_program(info);
		}
		all.push_back(std::move(info));
	}
}

} // namespace

void add_languages(contender_list &all)
{
	add_rows(all, "cprng-lab-rust",
		 { { "rust-threadrng", "kept", "Rust's rand: a kept handle, rand::rng()", true, LAB_RUST_ABSENT,
		     LAB_RAND_VERSION },
		   { "rust-random", "random", "Rust's rand: rand::random(), random_range(), fill()", true,
		     LAB_RUST_ABSENT, LAB_RAND_VERSION },
		   { "rust-aws-lc", "aws-lc", "Rust's aws_lc_rs::rand::fill", true, LAB_AWS_LC_ABSENT,
		     LAB_AWS_LC_VERSION } });
	add_rows(all, "cprng-lab-go",
		 { { "go-math-rand", "math", "Go's math/rand/v2: ChaCha8 of the runtime", false, LAB_GO_ABSENT,
		     LAB_GO_VERSION },
		   { "go-crypto-rand", "crypto", "Go's crypto/rand", true, LAB_GO_ABSENT, LAB_GO_VERSION } });
}

} // namespace lab
