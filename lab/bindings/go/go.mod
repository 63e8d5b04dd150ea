// SPDX-License-Identifier: BSD-2-Clause
module cprng-lab-bindings-go

go 1.24

require cprng.example/cprng v0.0.0

replace cprng.example/cprng => ../../../bindings/go
