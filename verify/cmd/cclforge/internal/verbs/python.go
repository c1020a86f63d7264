package verbs

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/capi"
	"github.com/cclforge/cclforge/gen/command"
)

func pythonVerb() *cobra.Command {
	var out, platform string
	c := &cobra.Command{
		Use: "python <world>", GroupID: command.Worlds,
		Short: "print what to set so that Python programs are on a world: package cclforge, and ACCL's pyaccl",
		Long: "Python prints the environment of Python programs whose engines are those of a world: a platform's name for\n" +
			"emulated ranks, verilated:platform, sim:host:port, card:file.xclbin. It builds the C library first, if\n" +
			"<out>/lib does not have this build's.",
		Example: "  eval \"$(out/bin/cclforge python u280_2022)\"\n  python3 notebook.py",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := printPython(cmd.Context(), out, args[0], platform, cmd.OutOrStdout(), cmd.ErrOrStderr())
			if err != nil {
				return fmt.Errorf("python %s: %w", args[0], err)
			}
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "out", "`directory` whose folder lib has the library")
	c.Flags().StringVar(&platform, "platform", "", "`name` of the platform of a world that has none in its name")
	return c
}

// printPython prints lines for a shell. What is built is told to log.
func printPython(ctx context.Context, out, on, platform string, to, log io.Writer) error {
	lib, err := readyLibrary(ctx, out, []string{on, platform}, log)
	if err != nil {
		return err
	}
	module := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/cclforge/cclforge")
	module.Stderr = log
	dir, err := module.Output()
	if err != nil {
		return fmt.Errorf("find the packages of Python: go list: %w", err)
	}
	packages := filepath.Join(strings.TrimSpace(string(dir)), "driver", "python")
	secret := make([]byte, 16)
	rand.Read(secret) // never fails
	for _, v := range [][2]string{
		{"CCLFORGE_LIBRARY", lib}, {capi.EnvWorld, on}, {capi.EnvPlatform, platform},
		{bringup.EnvSecret, cmp.Or(os.Getenv(bringup.EnvSecret), hex.EncodeToString(secret))},
	} {
		if v[1] == "" {
			fmt.Fprintln(to, "unset", v[0])
			continue
		}
		fmt.Fprintf(to, "export %s=%s\n", v[0], quoted(v[1]))
	}
	fmt.Fprintf(to, "export PYTHONPATH=%s\"${PYTHONPATH:+:$PYTHONPATH}\"\n", quoted(packages))
	return nil
}

// quoted is a word of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
