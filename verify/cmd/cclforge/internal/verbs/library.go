package verbs

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/magefile/mage/mg"
	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/driver/capi"
	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/verify/world"
)

// engines is the package of the library's worlds.
const engines = "github.com/cclforge/cclforge/verify/cmd/libcclforge"

func libraryVerb() *cobra.Command {
	var out, from string
	c := &cobra.Command{
		Use: "library", GroupID: command.Worlds,
		Short: "build the C library: libcclforge.so, its header and its file for pkg-config",
		Long: "Library builds <out>/lib: libcclforge.so, which programs link, libcclforge-engines.so, which it loads,\n" +
			"cclforge.h and cclforge.pc. It needs gcc, or the compiler that CC names.",
		Example: "  cclforge library\n  cc program.c $(PKG_CONFIG_PATH=out/lib pkg-config --cflags --libs cclforge)",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return buildLibrary(cmd.Context(), filepath.Join(out, "lib"), from, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&out, "out", "out", "`directory` whose folder lib is written")
	c.Flags().StringVar(&from, "engines", engines, "main `package` that registers the worlds")
	return c
}

// noSignals keeps Go from interrupting its threads by SIGURG. Programs that catch all signals, as those of PETSc do,
// would end.
const noSignals = "-ldflags=-w -X=runtime.godebugDefault=asyncpreemptoff=1"

// buildLibrary builds the library in a folder of its own, and moves it to where it belongs when it is whole.
func buildLibrary(ctx context.Context, lib, engines string, out, log io.Writer) error {
	if err := os.MkdirAll(lib, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(lib, ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string][]byte{
		"cclforge.h": capi.Header(), "loader.c": capi.Loader(), "cclforge.pc": capi.Package()} {
		if err := output.WriteFile(at(name), text, 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{cmp.Or(os.Getenv("CC"), "gcc"), "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-o", at("libcclforge.so"),
			"-Wl,-soname,libcclforge.so", at("loader.c"), "-ldl", "-pthread"},
		{mg.GoCmd(), "build", "-buildmode=c-shared", "-tags=cclforge_library", noSignals, "-o",
			at("libcclforge-engines.so"), engines},
	} {
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		c.Env = append(os.Environ(), "CGO_ENABLED=1", "GOFLAGS="+command.GoFlags())
		c.Stdout, c.Stderr = log, log
		if err := c.Run(); err != nil {
			return fmt.Errorf("build the library: %s: %w", args[0], err)
		}
	}
	for _, name := range []string{"libcclforge-engines.so", "libcclforge.so", "cclforge.h", "cclforge.pc"} {
		if err := os.Rename(at(name), filepath.Join(lib, name)); err != nil {
			return err
		}
		fmt.Fprintln(out, filepath.Join(lib, name))
	}
	return nil
}

// readyLibrary returns the folder of the C library, which it builds if this build's is not there. Platforms that worlds
// are named by are known before.
func readyLibrary(ctx context.Context, out string, worlds []string, log io.Writer) (string, error) {
	for _, name := range worlds {
		if name != "" && !strings.Contains(name, ":") {
			if _, err := world.Design(name, ""); err != nil {
				return "", err
			}
		}
	}
	lib, err := filepath.Abs(filepath.Join(out, "lib"))
	if err != nil {
		return "", err
	}
	if there, err := os.ReadFile(filepath.Join(lib, "cclforge.h")); err == nil && bytes.Equal(there, capi.Header()) {
		return lib, nil
	}
	return lib, buildLibrary(ctx, lib, engines, log, log)
}
