//go:build mage

// cclforge turns one HCL description of an FPGA platform into everything that
// must agree with it. Begin with: go tool mage platforms
package main

import (
	// mage:import
	_ "github.com/cclforge/cclforge/gen/targets"
	// mage:import build
	_ "github.com/cclforge/cclforge/gen/targets/build"
	// mage:import verify
	_ "github.com/cclforge/cclforge/gen/targets/verify"
	// mage:import cache
	_ "github.com/cclforge/cclforge/gen/targets/cache"
	// mage:import
	_ "github.com/cclforge/cclforge/gen/targets/develop"
)
