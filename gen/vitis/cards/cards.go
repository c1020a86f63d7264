// Package cards finds the accelerator cards of this host, loads them by XRT's tools, and
// looks into those that hold one of our designs: whether its engines are configured,
// what they were built with, and how its networks are.
//
// # What a look does to a card
//
// It reads registers, and no more: it never loads a card, and writes no register. (Bits
// of a MAC's state that keep what they have had are read, and begin anew.) Registers can
// only be read by who has the kernel alone, so it takes each engine and each network,
// reads, and gives it back at once, within milliseconds. What another process has is left
// alone, and reported as in use. A program that wants an engine in those milliseconds
// finds it in use: do not scan cards by the second while programs start on them.
package cards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Card is one accelerator card.
type Card struct {
	Index int    `json:"index"`
	BDF   string `json:"bdf"`  // PCI address: "0000:65:00.1"
	Name  string `json:"name"` // of the board; empty if not known
	Shell string `json:"shell"`
	// Interface are the UUIDs by which the shell is known.
	Interface []string `json:"interface,omitempty"`
	Ready     bool     `json:"ready"`
	Loaded    string   `json:"loaded,omitempty"` // UUID of the .xclbin; empty if there is none
	// Temperatures are in degrees Celsius, of the sensors that are there.
	Temperatures []Temperature `json:"temperatures,omitempty"`
	Power        float64       `json:"power_watts,omitempty"`     // 0 if not known
	PowerLimit   float64       `json:"power_max_watts,omitempty"` // 0 if not known
	Link         *Link         `json:"pcie,omitempty"`
	// Running are compute units that are at work.
	Running []string `json:"running,omitempty"`
	// Users are processes that have the card open, as far as one may see that.
	Users []Process `json:"users,omitempty"`
	// Note says why something is not known.
	Note string `json:"note,omitempty"`
}

// Temperature is what a sensor says.
type Temperature struct {
	Sensor  string  `json:"sensor"`
	Celsius float64 `json:"celsius"`
}

// Link is the state of the PCIe link.
type Link struct {
	Generation int `json:"generation"`
	Lanes      int `json:"lanes"`
	// Expected are what the card can do, 0 if not known.
	ExpectedGeneration int `json:"expected_generation,omitempty"`
	ExpectedLanes      int `json:"expected_lanes,omitempty"`
}

// Process is a process on this host.
type Process struct {
	ID   int    `json:"pid"`
	Name string `json:"name"`
}

var (
	// ErrNoXRT matches errors of hosts without XRT's tools.
	ErrNoXRT = errors.New("XRT is not there")
	// ErrTool matches errors of tools that are there, and do not do their work.
	ErrTool = errors.New("the tool has failed")
	// ErrNoCard matches errors of selections that no card answers to.
	ErrNoCard = errors.New("no such card")
	// ErrNotReady matches errors of cards that XRT cannot use.
	ErrNotReady = errors.New("the card is not ready")
	// ErrBusy matches errors of cards that somebody uses.
	ErrBusy = errors.New("the card is in use")
	// ErrShell matches errors of files that were built for another platform.
	ErrShell = errors.New("built for another platform")
	// ErrFile matches errors of files that no card of XRT can be loaded with.
	ErrFile = errors.New("cannot be loaded by XRT")
	// ErrNotLoaded matches errors of cards that hold something else after the tool
	// said that it has loaded them.
	ErrNotLoaded = errors.New("the card does not have it")
)

// List finds all cards of this host. Details that a card does not tell are left
// out, with a note. No cards is no error; no tool is one that matches ErrNoXRT.
func List(ctx context.Context) ([]Card, error) { return host().list(ctx) }

// Select finds a card by its PCI address, which may lack the domain and the
// function, or by its index; an empty selection takes the only one there is.
func Select(cards []Card, selection string) (Card, error) {
	if len(cards) == 0 {
		return Card{}, fmt.Errorf("%w: XRT sees no card on this host", ErrNoCard)
	}
	var found []Card
	for _, c := range cards {
		if selection == "" || matches(c, strings.ToLower(selection)) {
			found = append(found, c)
		}
	}
	have := make([]string, len(cards))
	for i, c := range cards {
		have[i] = strings.TrimSpace(c.BDF + " " + cmp.Or(c.Name, c.Shell))
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case selection == "":
		return Card{}, fmt.Errorf("%w: say which: this host has %s", ErrNoCard, strings.Join(have, ", "))
	case len(found) > 1:
		return Card{}, fmt.Errorf("%w: %q is not one of the cards only: this host has %s", ErrNoCard, selection,
			strings.Join(have, ", "))
	}
	return Card{}, fmt.Errorf("%w as %q: this host has %s", ErrNoCard, selection, strings.Join(have, ", "))
}

func matches(c Card, selection string) bool {
	bdf := strings.ToLower(c.BDF)
	device, _, _ := strings.Cut(bdf, ".")
	_, short, domain := strings.Cut(bdf, ":")
	forms := []string{bdf, device}
	if domain {
		deviceShort, _, _ := strings.Cut(short, ".")
		forms = append(forms, short, deviceShort)
	}
	if slices.Contains(forms, selection) {
		return true
	}
	index, err := strconv.Atoi(selection)
	return err == nil && index == c.Index
}

var board = regexp.MustCompile(`(?i)(?:^|[_:-])((?:u|v|vck|vmk)[0-9]+[a-z]*)(?:[_:-]|$)`)

// boardOf is the board that a shell's name tells: "u55c" of
// "xilinx_u55c_gen3x16_xdma_base_3".
func boardOf(shell string) string {
	if m := board.FindStringSubmatch(shell); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}
