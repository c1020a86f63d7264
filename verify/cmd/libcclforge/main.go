//go:build cclforge_library

// Command libcclforge is the engines of the C library, with worlds of all kinds: emulated, Verilated and served
// ranks, and cards.
package main

import (
	"github.com/cclforge/cclforge/driver/capi"
	"github.com/cclforge/cclforge/verify/target"
)

func init() { capi.Register(target.Library) }

func main() {}
