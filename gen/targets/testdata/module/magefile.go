//go:build mage

// The targets of a user who builds on cclforge.
package main

import (
	"fmt"

	// mage:import
	_ "github.com/cclforge/cclforge/gen/targets"
	// mage:import
	_ "github.com/cclforge/cclforge/gen/targets/groups"
)

// Hello is a target of the user's own.
func Hello() { fmt.Println("hello from the user's magefile") }
