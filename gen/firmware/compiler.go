// Package firmware builds the control firmware of an interface generation with
// the RISC-V compiler, the same bytes every time.
package firmware

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// CompilerVariable names a compiler other than the one in the path.
const CompilerVariable = "CCLFORGE_RISCV_GCC"

// Package is where Debian has the compiler.
const Package = "gcc-riscv64-unknown-elf"

const defaultCompiler = "riscv64-unknown-elf-gcc"

// ErrNoCompiler says that there is no RISC-V compiler.
var ErrNoCompiler = errors.New("there is no RISC-V compiler")

// Compiler is a RISC-V compiler that was found.
type Compiler struct {
	Path    string
	Version string // first line of what it says about itself, without its name
}

// FindCompiler looks for the compiler. Without one it fails with ErrNoCompiler.
func FindCompiler(ctx context.Context) (*Compiler, error) {
	name := os.Getenv(CompilerVariable)
	name = cmp.Or(name, defaultCompiler)
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("%w: install %s, or set %s", ErrNoCompiler, Package, CompilerVariable)
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	_, version, _ := strings.Cut(line, " ")
	return &Compiler{Path: path, Version: version}, nil
}

// flags make code for the control processor. The multilib that they name has
// the CSR instructions without another letter.
func flags(ramBytes uint32) []string {
	return []string{
		"-march=rv32im", "-misa-spec=2.2", "-mabi=ilp32", "-std=c11",
		"-O2", "--param", "max-inline-insns-auto=30", // -O3 is 4 KB larger and 1 % faster; -O2 alone inlines too little
		"-ffreestanding", "-nostdlib", "-fno-common", "-ffunction-sections",
		"-fno-tree-loop-distribute-patterns", // would make memcpy call itself
		"-Wall", "-Wextra", "-Werror",
		"-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments", "-Wl,--build-id=none",
		fmt.Sprintf("-Wl,--defsym=ram_bytes=%d", ramBytes),
	}
}

func (c *Compiler) run(ctx context.Context, dir string, args []string) error {
	cmd := exec.CommandContext(ctx, c.Path, args...)
	cmd.Dir = dir
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("compile the control firmware: %w\n%s", err, text.Bytes())
	}
	return nil
}
