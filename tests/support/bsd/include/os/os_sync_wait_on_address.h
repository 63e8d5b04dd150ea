/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations as in macOS 14.4. */
