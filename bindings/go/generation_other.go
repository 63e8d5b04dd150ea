// SPDX-License-Identifier: BSD-2-Clause

//go:build !linux

package cprng

import "sync/atomic"

var generation = new(atomic.Uint64)
