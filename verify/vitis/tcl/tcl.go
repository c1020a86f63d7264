// Package tcl runs generated Tcl in tclsh with a model of Vivado, whose commands take the
// options in their documentation and no others. The objects that a script leaves can be
// compared with its design.
package tcl

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	Project = "project.tcl"
	IPX     = "ipx.tcl"
	BD      = "bd.tcl"
	Netlist = "netlist.tcl"
	HLS     = "hls.tcl"
	core    = "core.tcl"
)

//go:embed model
var model embed.FS

// ErrNoTcl says that tclsh is missing.
var ErrNoTcl = errors.New("tclsh is missing: apt-get install tcl")

// Available is an error that matches ErrNoTcl if scripts cannot be run.
func Available() error {
	if _, err := exec.LookPath("tclsh"); err != nil {
		return ErrNoTcl
	}
	return nil
}

// Run is a script with its surroundings.
type Run struct {
	Parts  []string // of the model
	Setup  string   // Tcl that comes before the script: what Vivado has already
	Script string   // path of a file
	Dir    string   // where it runs
	Env    []string // added to the environment
}

// Object is a thing in the model: a file, a bus interface, a net.
type Object struct {
	Kind       string            `json:"kind"`
	Name       string            `json:"name"`
	Properties map[string]string `json:"properties"`
}

// State is the commands that a script has called, and the objects that it has left.
type State struct {
	Commands [][]string `json:"commands"` // in order
	Objects  []Object   `json:"objects"`  // by name
}

// All are the objects of a kind.
func (s *State) All(kind string) []Object {
	var out []Object
	for _, o := range s.Objects {
		if o.Kind == kind {
			out = append(out, o)
		}
	}
	return out
}

// Object finds an object; nil if there is none.
func (s *State) Object(name string) *Object {
	for i := range s.Objects {
		if s.Objects[i].Name == name {
			return &s.Objects[i]
		}
	}
	return nil
}

// Do runs the script. An error that the script or the model raises is returned
// with its text.
func (r Run) Do(ctx context.Context) (*State, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "vivado-model")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var main bytes.Buffer
	for _, part := range append([]string{core}, r.Parts...) {
		text, err := model.ReadFile("model/" + part)
		if err != nil {
			return nil, fmt.Errorf("the model of Vivado: %w", err)
		}
		name := filepath.Join(dir, part)
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return nil, err
		}
		fmt.Fprintf(&main, "source %s\n", word(name))
	}
	state := filepath.Join(dir, "state.json")
	fmt.Fprintf(&main,
		"%s\nrename exit model::exit\nproc exit {{code 0}} {\n    model::write_out %s\n    model::exit $code\n}\n",
		r.Setup, word(state))
	fmt.Fprintf(&main, "if {[catch {source %s} problem]} {\n    puts stderr $problem\n    model::exit 1\n}\nexit\n",
		word(r.Script))
	start := filepath.Join(dir, "main.tcl")
	if err := os.WriteFile(start, main.Bytes(), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "tclsh", start)
	cmd.Dir = r.Dir
	cmd.Env = append(os.Environ(), r.Env...)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", filepath.Base(r.Script), strings.TrimSpace(problem.String()), err)
	}
	text, err := os.ReadFile(state)
	if err != nil {
		return nil, fmt.Errorf("%s left nothing: %w", filepath.Base(r.Script), err)
	}
	var s State
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("what %s left: %w", filepath.Base(r.Script), err)
	}
	return &s, nil
}

// word writes a text as one word of Tcl.
func word(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, `[`, `\[`, `]`, `\]`).Replace(s) + `"`
}
