package verilate

import (
	"embed"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// CoverageVariable names the environment's variable with the directory where
// every model leaves what was covered when it ends: all libraries that a process
// builds or loads then count lines and toggles.
//
// A process leaves <name>.points, a line for each point (file, line, column, page
// of Verilator, comment, lines that it stands for, with tabs between), and
// <name>.hits, a 64-bit little-endian count for each.
const CoverageVariable = "CCLFORGE_COVERAGE"

// keepsCoverage is the C++ that keeps what was covered.
//
//go:embed coverage
var keepsCoverage embed.FS

// covers tells whether coverage is wanted.
func covers() bool { return os.Getenv(CoverageVariable) != "" }

// coverageFlags are what coverage needs beside all other flags. Signals wider than
// Verilator's default are data, whose toggles say nothing.
func coverageFlags() ([]string, error) {
	const folder = "coverage"
	entries, err := keepsCoverage.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = keepsCoverage.ReadFile(path.Join(folder, e.Name())); err != nil {
			return nil, err
		}
	}
	places, err := Place(files)
	if err != nil {
		return nil, err
	}
	flags := []string{"--coverage-line", "--coverage-toggle", "-LDFLAGS", "-Wl,--wrap=_ZN13VerilatedSymsD2Ev"}
	for _, file := range places {
		if filepath.Ext(file) == ".h" {
			flags = append(flags, "-CFLAGS", "-include "+file)
		}
	}
	for _, file := range places {
		if strings.HasSuffix(file, ".cpp") {
			flags = append(flags, file)
		}
	}
	return flags, nil
}
