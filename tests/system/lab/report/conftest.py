# SPDX-License-Identifier: BSD-2-Clause
"""The lab's shared test code is one directory up."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
