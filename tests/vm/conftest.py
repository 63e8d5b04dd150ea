# SPDX-License-Identifier: BSD-2-Clause
"""Kernels for the tests; a machine that cannot have them has them skipped, with the reason."""

import pytest

from guests import apt, kernels


def _kernel(name):
    try:
        return kernels.fetch(name)
    except apt.Unavailable as reason:
        pytest.skip(f"no kernel: {reason}")


@pytest.fixture(scope="session", name="release")
def _release():
    """The kernel of the running release."""
    return _kernel("release")


@pytest.fixture(scope="session", params=["release", "backports"], name="kernel")
def _each(request):
    """Each kernel in turn."""
    return _kernel(request.param)
