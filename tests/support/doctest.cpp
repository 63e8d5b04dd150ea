// SPDX-License-Identifier: BSD-2-Clause
// doctest's implementation, compiled once for all test programs, and a check for test cases that cannot fail.
#define DOCTEST_CONFIG_IMPLEMENT
#include "doctest/doctest.h"

#include "skips.hpp"

namespace {

class Watcher : public doctest::IReporter {
public:
	explicit Watcher(const doctest::ContextOptions & /*options*/)
	{
	}

	void test_case_start(const doctest::TestCaseData &data) override
	{
		name = data.m_name;
		skips::counter.begin_case();
	}

	void test_case_end(const doctest::CurrentTestCaseStats &stats) override
	{
		skips::counter.end_case(name, stats.numAssertsCurrentTest != 0 || stats.failure_flags != 0);
	}

	void report_query(const doctest::QueryData & /*query*/) override
	{
	}
	void test_run_start() override
	{
	}
	void test_run_end(const doctest::TestRunStats & /*stats*/) override
	{
	}
	void test_case_reenter(const doctest::TestCaseData & /*data*/) override
	{
	}
	void test_case_exception(const doctest::TestCaseException & /*exception*/) override
	{
	}
	void subcase_start(const doctest::SubcaseSignature & /*subcase*/) override
	{
	}
	void subcase_end() override
	{
	}
	void log_assert(const doctest::AssertData & /*assertion*/) override
	{
	}
	void log_message(const doctest::MessageData & /*message*/) override
	{
	}
	void test_case_skipped(const doctest::TestCaseData & /*data*/) override
	{
	}

private:
	const char *name = "";
};

REGISTER_LISTENER("watcher", 1, Watcher);

} // namespace
