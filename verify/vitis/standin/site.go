package standin

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/cclforge/cclforge/gen/output"
)

// Names of files in an installation.
const (
	configFile = "standin.json"
	callsFile  = "calls.jsonl"
	faultsFile = "faults.json"
	firedDir   = "fired"
)

// Config is the configuration of an installation.
type Config struct {
	Version string // of Vitis and Vivado: "2023.2"
	// Pace is how long a stage of a tool takes; 0 for none.
	Pace time.Duration
	// Git is the real git, URLs the folders that stand in for what would be
	// fetched, Revisions the commits there of those that are asked for.
	Git       string            `json:",omitempty"`
	URLs      map[string]string `json:",omitempty"`
	Revisions map[string]string `json:",omitempty"`
	// Tclsh is the real Tcl shell; "" if there is none.
	Tclsh string `json:",omitempty"`
	// Vitis is the folder of Vitis.
	Vitis string
	// Parts are those of the boards that Coyote knows, by its names for them.
	Parts map[string]string `json:",omitempty"`
	// Cards are what xbutil finds in this host: names of board platforms.
	Cards []string `json:",omitempty"`
}

// Site is an installation on disk: tests write it, the stand-ins read it.
type Site struct {
	Config
	Root string
}

// WriteSite makes the configuration of an installation.
func WriteSite(root string, c Config) (*Site, error) {
	if err := os.MkdirAll(filepath.Join(root, firedDir), 0o777); err != nil {
		return nil, err
	}
	return &Site{c, root}, writeJSON(filepath.Join(root, configFile), c)
}

// FindSite finds the installation that a program was called from, by the name it was
// called with.
func FindSite(name string) (*Site, error) {
	path, err := exec.LookPath(name)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		s := &Site{Root: dir}
		switch err := readJSON(filepath.Join(dir, configFile), &s.Config); {
		case err == nil:
			return s, nil
		case !os.IsNotExist(err):
			return nil, err
		case dir == filepath.Dir(dir):
			return nil, fmt.Errorf("%s is in no installation of stand-ins: there is no %s above it", path, configFile)
		}
	}
}

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// writeJSON writes a file whole: stand-ins may read it at any moment.
func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return output.WriteFile(path, text, 0o600)
}
