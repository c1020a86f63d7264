package verilate

import (
	"os"
	"path/filepath"
)

// CoverageVariable names the environment's variable with the directory where
// every model leaves what was covered when it ends: all libraries that a process
// builds or loads then count lines and toggles.
//
// A process leaves <name>.points, a line for each point (file, line, column, page
// of Verilator, comment, lines that it stands for, with tabs between), and
// <name>.hits, a 64-bit little-endian count for each.
const CoverageVariable = "CCLFORGE_COVERAGE"

// Counting is what models need to count coverage.
type Counting struct {
	Verilator, Linker []string // options
	First             string   // header that C++ begins with
	Source            string   // C++, compiled along
}

// LinesVariable names the variable that, if it is not empty, has models count lines but
// no toggles: they are then built several times as fast.
const LinesVariable = "CCLFORGE_COVERAGE_LINES"

// counting are Verilator's options. Its statements that count do not move along with
// what they count when it takes blocks apart, which is why it must not; what stays
// together looks circular to it.
func counting() []string {
	options := []string{"--coverage-line", "-fno-split", "-fno-reorder", "-Wno-UNOPTFLAT"}
	if os.Getenv(LinesVariable) == "" {
		options = append(options, "--coverage-toggle")
	}
	return options
}

// Coverage returns what models need to count lines and toggles, without a source if coverage is not
// asked for. Signals wider than Verilator's default are data, whose toggles say
// nothing.
func Coverage() (Counting, error) {
	if os.Getenv(CoverageVariable) == "" {
		return Counting{}, nil
	}
	dir, err := placeModel()
	if err != nil {
		return Counting{}, err
	}
	return Counting{
		Verilator: counting(), Linker: []string{"-Wl,--wrap=_ZN13VerilatedSymsD2Ev"},
		First: filepath.Join(dir, "coverage.h"), Source: filepath.Join(dir, "coverage.cpp"),
	}, nil
}
