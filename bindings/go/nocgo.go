// SPDX-License-Identifier: BSD-2-Clause

//go:build !cgo

package cprng

// The package calls the C library through cgo.  Without it nothing else of the package is compiled, and this name is all that the
// compiler says.
var _ = cprng_needs_cgo_and_CGO_ENABLED_is_0_or_there_is_no_C_compiler_for_this_target
