// Package proofs shows that blocks of the hardware keep their promises in every
// run there can be, with yosys and z3.
//
// A proof is a module of properties around a block (properties/<name>.sv). It is
// checked in two ways. The base case looks at all runs of some cycles from a
// reset on. The induction step looks at all runs of k cycles from any state in
// which nothing is wrong, and finds nothing wrong in the next cycle: with the
// base case this holds for runs of any length. A proof without an induction step
// is about runs of that many cycles only, and is called bounded.
//
// Invariants (in the properties: between `ifdef INVARIANTS and `endif) say what
// the registers of a block have to do with each other. Induction needs them; they
// are proved with the rest. Variants of the block with a planted defect are
// checked without them: what fails there can be seen from outside. Where it takes
// long, defects are looked for in some of the runs only (between `ifndef INVARIANTS
// and `endif, with assumptions and nothing else): what fails in these fails.
//
// Covers are situations that a proof would be worth nothing without, such as a
// word that has come through: the assumptions must leave room for each. So are the
// conditions of all assertions that have names, and going on after a second reset.
package proofs

import (
	"embed"
	"errors"
	"fmt"
	"os/exec"
	"slices"
)

//go:embed properties/*.sv
var properties embed.FS

// Proof is what is to be shown of a block.
type Proof struct {
	Name   string // of the block, and of the file of properties
	Shows  string
	Design []string // files of RTL, with the folders that they are in
	// files of properties with modules that stand in for parts of the block: what has been proved of these
	StandIns []string
	Sizes    map[string]string // constants that have other values here, each with its file in front: engine_pkg.SLOTS
	// the logic is the same as in the hardware with these sizes and with those of the properties
	Why    string
	Depth  int  // cycles in which situations come about and defects show, that of the reset included
	Base   int  // cycles of the base case; 0: as many. Induction needs more than K
	K      int  // of the induction; 0: there is none
	Quick  bool // a few seconds
	AtOnce bool // a defect is looked for in all cycles with one question: quicker where each of them takes long
	Broken []Defect
}

// Defect is a change of the RTL that the properties have to find.
type Defect struct {
	Name     string
	File     string // one of Design; empty: the first
	Old, New string // Old is there once
	Depth    int    // cycles after which it can be seen; 0: those of the proof
}

// Bounded tells whether only runs of some cycles are looked at.
func (p Proof) Bounded() bool { return p.K == 0 }

// BaseCase is how many cycles from a reset on are looked at.
func (p Proof) BaseCase() int {
	if p.Base != 0 {
		return p.Base
	}
	return p.Depth
}

// Why a proof cannot be trusted.
var (
	ErrTools     = errors.New("a tool is missing")
	ErrFails     = errors.New("a property fails")
	ErrInduction = errors.New("no conclusion from one cycle to the next")
	ErrNeverSeen = errors.New("a situation never comes about")
	ErrSurvives  = errors.New("a planted defect is not found")
)

// Available tells whether there is what proofs need. Errors match ErrTools.
func Available() error {
	for _, tool := range [][2]string{{"yosys", "yosys"}, {"yosys-smtbmc", "yosys"}, {"z3", "z3"}} {
		if _, err := exec.LookPath(tool[0]); err != nil {
			return fmt.Errorf("%w: %s; install it (Debian: apt-get install %s)", ErrTools, tool[0], tool[1])
		}
	}
	return nil
}

// All are the proofs that are done.
func All() []Proof {
	return slices.Concat(common, movers, arbiters, streams, packets, control)
}

// Unfinished are those that have not been proved yet: nothing is claimed of their
// blocks.
func Unfinished() []Proof { return slices.Clone(unfinished) }
