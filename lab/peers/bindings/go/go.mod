// SPDX-License-Identifier: BSD-2-Clause
module cprng-lab-bindings-go

go 1.24

require github.com/cprng/cprng/bindings/go v0.0.0

replace github.com/cprng/cprng/bindings/go => ../../../../bindings/go
