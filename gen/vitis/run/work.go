package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

// Names of further files in a work directory.
const (
	// CommandsFile are the commands of the step alone.
	CommandsFile = "step.commands.sh"
	ownerFile    = "step.owner.json"
	secondsFile  = "step.seconds"
)

// owner says who has made a work directory.
type owner struct {
	Step     string            `json:"step"`
	Host     string            `json:"host"`
	PID      int               `json:"pid"`
	Executor string            `json:"executor"` // its type
	Script   string            `json:"script"`   // hash of both scripts
	Needs    map[string]string `json:"needs"`    // work directories of producers by key
}

// checkStep refuses steps that cannot stand in a work directory.
func checkStep(s *step.Step) error {
	var errs []error
	path := func(what, p string) {
		switch {
		case p == "." || !fs.ValidPath(p) || !filepath.IsLocal(filepath.FromSlash(p)) || strings.ContainsAny(p, "\x00\n"):
			errs = append(errs, fmt.Errorf("%s %q does not stay inside the work directory", what, p))
		case slices.Contains([]string{step.ScriptFile, step.LogFile, step.ExitFile, CommandsFile, ownerFile, secondsFile}, p):
			errs = append(errs, fmt.Errorf("%s %q has a name that the runner uses", what, p))
		}
	}
	for _, f := range s.Files {
		path("the file", f.Path)
		if f.Disk != "" && !filepath.IsAbs(f.Disk) {
			errs = append(errs, fmt.Errorf("the file %s comes from %q, which is not absolute", f.Path, f.Disk))
		}
	}
	for _, n := range s.Needs {
		path("the need", n.Path)
		path("the need", n.Output)
	}
	for _, o := range s.Outputs {
		path("the output", o)
	}
	if len(s.Outputs) == 0 {
		errs = append(errs, errors.New("it has no outputs"))
	}
	return errors.Join(errs...)
}

// fill puts all into a work directory that does not come from other steps.
func (u *unit) fill(dir string, o owner) error {
	for _, f := range u.step.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if f.Disk == "" {
			if err := os.WriteFile(name, f.Content, 0o666); err != nil {
				return err
			}
			continue
		}
		sum, err := copyFile(f.Disk, name)
		if err != nil {
			return err
		}
		if !slices.Contains(u.key.Ingredients, step.Ingredient{Name: f.Path, Hash: sum}) {
			return fmt.Errorf("%s has changed since the build began; start it again", f.Disk)
		}
	}
	commands, script := u.step.Script(), u.script()
	o.Script = output.Hash(slices.Concat(commands, script))
	text, err := json.MarshalIndent(o, "", " ")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, CommandsFile), commands, 0o777),
		os.WriteFile(filepath.Join(dir, step.ScriptFile), script, 0o777),
		os.WriteFile(filepath.Join(dir, ownerFile), text, 0o666))
}

// copyFile copies a file to a new one and hashes what it has read.
func copyFile(from, to string) (sum string, err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return "", err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666|info.Mode()&0o111)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	h := sha256.New()
	_, err = io.Copy(out, io.TeeReader(in, h))
	return hex.EncodeToString(h.Sum(nil)), err
}

// readOwner is nil where the work directory is not whole.
func readOwner(dir string) *owner {
	text, err := os.ReadFile(filepath.Join(dir, ownerFile))
	o := &owner{}
	if err != nil || json.Unmarshal(text, o) != nil {
		return nil
	}
	return o
}

// untouched reports whether the scripts of a work directory are those that were
// put there: somebody may have tried something else by hand.
func (o *owner) untouched(dir string) bool {
	commands, err := os.ReadFile(filepath.Join(dir, CommandsFile))
	if err != nil {
		return false
	}
	script, err := os.ReadFile(filepath.Join(dir, step.ScriptFile))
	return err == nil && output.Hash(slices.Concat(commands, script)) == o.Script
}

// exitOf is the exit status of the script of a work directory, if it has ended.
func exitOf(dir string) (code int, ended bool) {
	text, err := os.ReadFile(filepath.Join(dir, step.ExitFile))
	if err != nil {
		return 0, false
	}
	code, err = strconv.Atoi(strings.TrimSpace(string(text)))
	return code, err == nil
}

// secondsOf is how long the script took, by the clock of the host on which it ran.
func secondsOf(dir string) time.Duration {
	text, err := os.ReadFile(filepath.Join(dir, secondsFile))
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Second
}
