// SPDX-License-Identifier: BSD-2-Clause
module cprng.example/cprng

go 1.24
