package cards

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// tools are XRT's tools for users, those first that know Alveo cards best. Since
// 2.18, xrt-smi is the name of xbutil.
var tools = []string{"xbutil", "xrt-smi"}

// usual is where XRT's packages put them.
const usual = "/opt/xilinx/xrt"

// system is a host: its tools and its files.
type system struct {
	env   func(string) string
	root  string // of the file system; tests have their own
	grace time.Duration
}

func host() *system { return &system{env: os.Getenv, root: "/", grace: 10 * time.Second} }

func (h *system) tool() (string, error) {
	for _, dir := range filepath.SplitList(h.env("PATH")) {
		for _, name := range tools {
			if path := filepath.Join(dir, name); executable(path) {
				return path, nil
			}
		}
	}
	for _, dir := range []string{h.env("XILINX_XRT"), filepath.Join(h.root, usual)} {
		if dir != "" && executable(filepath.Join(dir, "bin", tools[0])) {
			return "", fmt.Errorf("%w in PATH, but in %s: source %s", ErrNoXRT, dir, filepath.Join(dir, "setup.sh"))
		}
	}
	return "",
		fmt.Errorf(
			"%w: neither %s is in PATH. Install AMD's XRT (xrt_<version>.deb or .rpm, of the version that the platform "+
				"needs), and source %s/setup.sh",
			ErrNoXRT, strings.Join(tools, " nor "), usual)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// run runs a tool to its end and returns what it wrote.
func (h *system) run(ctx context.Context, tool string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, tool, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = h.grace
	step.Group(cmd)
	err := cmd.Run()
	said := strings.TrimSpace(out.String())
	switch {
	case ctx.Err() != nil:
		return said, fmt.Errorf("%s %s: %w", filepath.Base(tool), args[0], context.Cause(ctx))
	case err != nil:
		return said, fmt.Errorf("%s %s: %w: %w%s", tool, strings.Join(args, " "), ErrTool, err, quoted(said))
	}
	return said, nil
}

// quoted is the end of what a tool has said, for an error.
func quoted(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if len(lines) > 6 {
		lines = lines[len(lines)-6:]
	}
	if text := strings.TrimSpace(strings.Join(lines, "\n")); text != "" {
		return ":\n" + text
	}
	return ""
}

// examine lets a tool write a report, and reads it.
func (h *system) examine(ctx context.Context, tool string, args ...string) (any, error) {
	dir, err := os.MkdirTemp("", "cclforge-cards-")
	if err != nil {
		return nil, fmt.Errorf("make a place for the report: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "report.json")
	args = append(append([]string{"examine"}, args...), "--format", "JSON", "--output", file)
	said, err := h.run(ctx, tool, args...)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		// Debian's script does so if the program that it starts is missing.
		return nil,
			fmt.Errorf("%s %s: %w: it said that all is well, and wrote no report; its installation may be incomplete%s",
				tool, strings.Join(args, " "), ErrTool, quoted(said))
	}
	if err != nil {
		return nil, fmt.Errorf("read the report: %w", err)
	}
	report, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: its report: %w", tool, strings.Join(args, " "), ErrTool, err)
	}
	return report, nil
}

func (h *system) load(ctx context.Context, bdf, file string) error {
	tool, err := h.tool()
	if err != nil {
		return err
	}
	_, err = h.run(ctx, tool, "program", "--device", bdf, "--user", file)
	return err
}

// reports are those of a card that say more than the list of cards.
var reports = []string{"platform", "dynamic-regions", "electrical", "thermal", "pcie-info"}

func (h *system) list(ctx context.Context) ([]Card, error) {
	tool, err := h.tool()
	if err != nil {
		return nil, err
	}
	report, err := h.examine(ctx, tool)
	if err != nil {
		return nil, err
	}
	cards, err := listed(report)
	if err != nil {
		return nil, fmt.Errorf("%s examine: %w: %w", tool, ErrTool, err)
	}
	for n := range cards {
		c := &cards[n]
		c.Users = h.users(c.BDF)
		if !c.Ready {
			c.Note = "not ready"
			continue
		}
		args := append([]string{"--device", c.BDF, "--report"}, reports...)
		details, err := h.examine(ctx, tool, args...)
		switch {
		case ctx.Err() != nil:
			return nil, err
		case err != nil:
			c.Note = "no details: " + err.Error()
		default:
			c.detail(details)
		}
	}
	return cards, nil
}
