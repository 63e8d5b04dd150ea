// SPDX-License-Identifier: BSD-2-Clause

//go:build !cgo

package cprng

// The package calls the C library through cgo.  Without cgo nothing else of the package is compiled, and the compiler
// only reports this name.
var _ = cprng_needs_cgo_and_CGO_ENABLED_is_0_or_there_is_no_C_compiler_for_this_target
