// SPDX-License-Identifier: BSD-2-Clause
// A child process that answers each line with a line.
#ifndef CPRNG_LAB_COMMON_CHILD_HPP
#define CPRNG_LAB_COMMON_CHILD_HPP

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace lab {

class child {
public:
	// Throws lab::failure if it cannot be started.
	explicit child(const std::vector<std::string> &command);

	// Closes its standard input, and waits for it.
	~child();

	child(const child &) = delete;
	child &operator=(const child &) = delete;

	void ask(const std::string &line);

	// The next line, without its end.  Throws if there is none.
	std::string answer();

	std::string asked(const std::string &line)
	{
		ask(line);
		return answer();
	}

private:
	struct close_file {
		void operator()(std::FILE *file) const
		{
			std::fclose(file);
		}
	};

	std::string name_;
	pid_t pid_ = -1;
	std::unique_ptr<std::FILE, close_file> to_, from_;
};

// The command for a script in Python, by the distribution's if there is one: it has the distribution's NumPy.
std::vector<std::string> python(const std::string &script);

} // namespace lab

#endif
