// SPDX-License-Identifier: BSD-2-Clause
// The subjects: each library engine on each backend, the lab's engines, and a control that leaks on purpose.
#ifndef CPRNG_TESTS_NO_TIMING_SUBJECT_HPP
#define CPRNG_TESTS_NO_TIMING_SUBJECT_HPP

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lab::ct {

// The largest key of any subject; RC4's usual key is shorter.
constexpr std::size_t key_size_max = 32;

// The key of the timing test's fixed class, which the control knows.
extern const unsigned char fixed_key[key_size_max];

using marker = std::function<void(void *data, std::size_t size)>;

// Keys are secret; nonces, positions and lengths are public.
class subject {
public:
	virtual ~subject() = default;

	virtual std::vector<std::size_t> key_sizes() const = 0;
	virtual void set_key(const unsigned char *key, std::size_t size) = 0;

	// The secret parts of the state that marks on the key do not reach.  (A table shuffled by a secret contains only public
	// values for a tool that tracks values and not positions.)
	virtual void secrets(const marker &mark) = 0;

	// All of the state that keystream() reads.
	virtual void state(const marker &mark) = 0;

	// Sets the position of the next keystream() call: the n-th of several public positions, some of them right before
	// counter carries.
	virtual void set_position(std::size_t n) = 0;
	static constexpr std::size_t positions = 3;

	// Generates `units`: blocks of a cipher, or bytes of the lab's engines.
	virtual std::size_t unit() const = 0;
	virtual void keystream(unsigned char *out, std::size_t units, bool streaming) = 0;
};

struct entry {
	std::string kind; // library, lab, control
	std::string engine, backend;
	bool usable; // on this CPU, or on the CPU that valgrind emulates
	std::size_t state_size;
};

std::vector<entry> list_subjects();

// nullptr if no subject with these names can run on this CPU.
std::unique_ptr<subject> make_subject(std::string_view engine, std::string_view backend);

} // namespace lab::ct

#endif
