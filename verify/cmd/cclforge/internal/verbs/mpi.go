package verbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/driver"
	"github.com/cclforge/cclforge/driver/capi"
	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/output"
)

// errMPI says that there is no MPI to compile with.
var errMPI = errors.New("no MPI")

func mpiVerb() *cobra.Command {
	var out, compiler string
	c := &cobra.Command{
		Use: "mpi <world>", GroupID: command.Worlds,
		Short: "print what to set so that MPI programs have their collectives done by engines, unchanged",
		Long: "Mpi prints the environment of programs of MPI whose collectives are done by the engines of a world: a\n" +
			"platform's name for emulated ranks, verilated:platform, sim:host:port, card:file.xclbin. Before, it builds\n" +
			"into <out>/lib the C library, unless it is there, and a component for Open MPI, or a library to be loaded\n" +
			"before any other MPI. It needs gcc and the compiler of the MPI. What engines cannot do, MPI does;\n" +
			"CCLFORGE_STATS=1 shows how often.",
		Example: "  eval \"$(out/bin/cclforge mpi u55c_tcp)\"\n  mpirun --oversubscribe -np 4 ./program",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := printMPI(cmd.Context(), out, args[0], compiler, cmd.OutOrStdout(), cmd.ErrOrStderr())
			if err != nil {
				return fmt.Errorf("mpi %s: %w", args[0], err)
			}
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "out", "`directory` whose folder lib has the libraries")
	c.Flags().StringVar(&compiler, "mpicc", "mpicc", "`compiler` of the MPI that programs run with")
	return c
}

// printMPI prints lines for a shell. What is built is told to log.
func printMPI(ctx context.Context, out, on, compiler string, to, log io.Writer) error {
	set, err := environmentOfMPI(ctx, out, on, compiler, log)
	if err != nil {
		return err
	}
	for _, variable := range set {
		name, value, _ := strings.Cut(variable, "=")
		if _, err := fmt.Fprintf(to, "export %s=%s\n", name, quoted(value)); err != nil {
			return err
		}
	}
	return nil
}

// environmentOfMPI builds what is missing, and returns the variables with which programs of MPI use engines.
func environmentOfMPI(ctx context.Context, out, on, compiler string, log io.Writer) ([]string, error) {
	lib, err := readyLibrary(ctx, out, []string{on}, log)
	if err != nil {
		return nil, err
	}
	isOpen, err := isOpenMPI(ctx, compiler)
	if err != nil {
		return nil, err
	}
	own, name, variable := []string{"profiling", "requests"}, "libcclforge-mpi.so", "LD_PRELOAD"
	if isOpen {
		own, name, variable = []string{"openmpi"}, "mca_coll_cclforge.so", "OMPI_MCA_mca_base_component_path"
	}
	value, err := buildMPI(ctx, lib, compiler, own, name, log)
	if err != nil {
		return nil, err
	}
	if isOpen {
		value = "SYS_DEFAULT:" + filepath.Dir(value)
	}
	return []string{capi.EnvWorld + "=" + on, variable + "=" + value}, nil
}

// isOpenMPI says of which MPI a compiler is. Open MPI's reads files alone.
func isOpenMPI(ctx context.Context, compiler string) (bool, error) {
	dir, err := os.MkdirTemp("", "cclforge-mpi-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "which.c")
	err = output.WriteFile(source, []byte("#include <mpi.h>\n#ifdef OPEN_MPI\ncclforge_open_mpi\n#endif\n"), 0o644)
	if err != nil {
		return false, err
	}
	c := exec.CommandContext(ctx, compiler, "-E", source)
	var said bytes.Buffer
	c.Stderr = &said
	text, err := c.Output()
	if err != nil {
		return false, fmt.Errorf("%w to compile with: %s: %w%s (Debian: apt-get install libopenmpi-dev, or libmpich-dev)",
			errMPI, compiler, err, &said)
	}
	return bytes.Contains(text, []byte("\ncclforge_open_mpi")), nil
}

// buildMPI compiles the sources, with those of one of the two ways into MPI, the first of which names it, and returns
// the library. It is replaced when the new one is whole.
func buildMPI(ctx context.Context, lib, compiler string, own []string, name string, log io.Writer) (string, error) {
	dir, err := os.MkdirTemp(lib, ".new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	sources, err := fs.Sub(driver.MPI, "mpi/c")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, sources); err != nil {
		return "", err
	}
	args := []string{"-std=gnu17", "-O2", "-Wall", "-Wextra", "-fPIC", "-shared", "-fvisibility=hidden", "-I" + lib,
		"-o", filepath.Join(dir, name)}
	for _, source := range append(own, "collectives", "operations", "meeting", "engines", "statistics") {
		args = append(args, filepath.Join(dir, source+".c"))
	}
	// Libraries of different MPIs stand beside each other, in folders below that of the engines.
	args = append(args, "-L"+lib, "-lcclforge", "-Wl,-rpath,$ORIGIN/..", "-pthread", "-lrt")
	c := exec.CommandContext(ctx, compiler, args...)
	c.Stdout, c.Stderr = log, log
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("build %s: %s: %w", name, compiler, err)
	}
	to := filepath.Join(lib, own[0], name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(filepath.Join(dir, name), to); err != nil {
		return "", err
	}
	fmt.Fprintln(log, to)
	return to, nil
}
