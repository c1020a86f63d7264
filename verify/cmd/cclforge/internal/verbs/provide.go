package verbs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/cclforge/cclforge/gen/command"
)

// wanted are the tools that tests skip without.
var wanted = []string{"gcc", "g++", "make", "verilator", "yosys", "z3", "riscv64-unknown-elf-gcc", "mpirun", "mpicc",
	"tclsh", "slurmd", "munged", "tshark", "numpy"}

// wantedNightly is what only the tests of nightly are worth: it is large.
var wantedNightly = append(slices.Clone(wanted), "torch")

// installLimit bounds the installation of missing tools.
const installLimit = 15 * time.Minute

// provide installs missing tools where that is possible without asking: as
// root, on a system with apt. Elsewhere it says what to install.
func provide(ctx context.Context, tools []string) {
	packages := missing(tools)
	if len(packages) == 0 {
		return
	}
	install := "apt-get install -y --no-install-recommends " + strings.Join(packages, " ")
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		fmt.Printf("Some tests will be skipped. To run them: %s\n", install)
		return
	}
	fmt.Printf("== %s\n", install)
	ctx, cancel := context.WithTimeout(ctx, installLimit)
	defer cancel()
	for _, line := range []string{"apt-get update -qq", install + " -qq"} {
		args := strings.Fields(line)
		quiet := []string{"DEBIAN_FRONTEND=noninteractive"} // tshark's package has a question
		if err := (commandLine{name: args[0], args: args[1:], env: quiet}).run(ctx); err != nil {
			fmt.Printf("SKIPPED: %s: %v; some tests will be skipped\n", line, err)
			return
		}
	}
}

// missing lists the packages of tools that are not there.
func missing(tools []string) []string {
	var packages []string
	for _, name := range tools {
		for _, t := range command.Tools {
			if _, err := exec.LookPath(t.Version[0]); t.Name == name && err != nil && !slices.Contains(packages, t.Package) {
				packages = append(packages, t.Package)
			}
		}
	}
	return packages
}
