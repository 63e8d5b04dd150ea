# SPDX-License-Identifier: BSD-2-Clause
"""What tests of the lab have in common is one directory up."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
