// SPDX-License-Identifier: BSD-2-Clause
module github.com/cprng/cprng/bindings/go

go 1.24
