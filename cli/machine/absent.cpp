// SPDX-License-Identifier: BSD-2-Clause
// Commands that Windows lacks: why_absent() has the reasons.
#include "shell/commands.hpp"

void add_run(command_line &)
{
}

void add_invalidate(command_line &)
{
}
