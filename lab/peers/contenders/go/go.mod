// SPDX-License-Identifier: BSD-2-Clause
module cprng-lab-go

go 1.24
