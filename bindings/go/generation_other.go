// SPDX-License-Identifier: BSD-2-Clause

//go:build !linux

package cprng

import "sync/atomic"

func newGeneration() *atomic.Uint64 { return new(atomic.Uint64) }
