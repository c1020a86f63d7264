package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// fixtures is the folder of a repository with what its build leaves, in the places
// where that leaves it.
const fixtures = "standin"

// cmake stands in for the configuration of somebody else's build: it fills the options
// into the files that end with ".in".
func cmake(c *call) error {
	if slices.Contains(c.Args, "-B") || slices.Contains(c.Args, "--build") {
		return shellBuild(c)
	}
	root, err := c.repository(".")
	if err != nil {
		return err
	}
	sources, options := "", map[string]string{}
	for _, a := range c.Args {
		if !strings.HasPrefix(a, "-") {
			sources = a
		} else if name, value, ok := strings.Cut(strings.TrimPrefix(a, "-D"), "="); ok && value == "" {
			return fmt.Errorf("cmake: %s is empty", name)
		} else {
			options[name] = value
		}
	}
	if sources == "" {
		return fmt.Errorf("cmake: no source directory")
	}
	if _, err := os.Stat(filepath.Join(sources, "CMakeLists.txt")); err != nil {
		return c.refuse("CMake Error: The source directory \"%s\" does not appear to contain CMakeLists.txt.",
			absolute(sources))
	}
	err = filepath.WalkDir(absolute(sources), func(path string, e fs.DirEntry, err error) error {
		name, ok := strings.CutSuffix(path, ".in")
		if err != nil || !ok {
			return err
		}
		text, err := os.ReadFile(path)
		c.writeText(name, "%s", os.Expand(string(text), func(option string) string { return options[option] }))
		return err
	})
	if err != nil {
		return err
	}
	c.writeText("Makefile", "# of %s\n", c.relative(root))
	c.say("-- Configuring done\n-- Generating done")
	return nil
}

// builder is make: it leaves what the repository holds for the targets.
func builder(c *call) error {
	dir, targets := ".", []string{}
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		switch name, value, set := strings.Cut(a, "="); {
		case a == "-C":
			i++
			dir = c.Args[i]
		case a == "-j" || a == "-f":
			i++
		case strings.HasPrefix(a, "-"):
		case set:
			if name == "DEVICE" {
				if _, _, err := standin.OpenShell(value, c.repositories()); err != nil {
					return c.refuse("make: *** DEVICE=%s: %v.  Stop.", value, err)
				}
			}
		default:
			targets = append(targets, a)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "Makefile")); err != nil {
		c.say("make: *** No targets specified and no makefile found.  Stop.")
		return exit{2}
	}
	root, err := c.repository(dir)
	if err != nil {
		return err
	}
	c.stage()
	from := filepath.Join(root, fixtures)
	for _, target := range targets {
		file := filepath.Join(from, target)
		if text, err := os.ReadFile(file); err == nil {
			c.write(filepath.Join(dir, target), text)
			continue
		}
		if target != "all" && target != "installip" {
			c.say("make: *** No rule to make target '%s'.  Stop.", target)
			return exit{2}
		}
		at, err := filepath.Rel(root, absolute(dir))
		if err != nil {
			return err
		}
		err = filepath.WalkDir(filepath.Join(from, at), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			rel, err := filepath.Rel(from, path)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(path)
			c.write(filepath.Join(root, rel), text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// repository is the top of the repository that a folder lies in.
func (c *call) repository(dir string) (string, error) {
	for at := absolute(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, fixtures)); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s: the stand-in for %s is for repositories with a folder %s", absolute(dir),
				c.Tool, fixtures)
		}
	}
}
