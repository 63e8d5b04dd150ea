/* SPDX-License-Identifier: BSD-2-Clause */
/* Of macOS 14.4. */
