//go:build mage

// cclforge turns one HCL description of an FPGA platform into everything that
// must agree with it. Begin with: go tool mage platforms
package main

import (
	// mage:import
	_ "github.com/cclforge/cclforge/gen/targets"
	// mage:import
	_ "github.com/cclforge/cclforge/gen/targets/groups"
	// mage:import verify
	_ "github.com/cclforge/cclforge/gen/targets/verify"
	// mage:import
	_ "github.com/cclforge/cclforge/gen/targets/develop"
)
