package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

func (c *call) banner(name string) {
	r := releaseOf(c.Version)
	build := r.vitis
	if name == "Vivado" {
		build = r.vivado
	}
	c.say("\n****** %s v%s (64-bit)\n  **** SW Build %s\n%s", name, c.Version, build, copyrightLines(c.Version))
}

func vpp(c *call) error {
	g, err := c.parse(&vppOptions, "[v++ 60-0] ")
	if err != nil {
		return err
	}
	if g.Has("version") {
		c.banner("v++")
		return nil
	}
	if g.Has("help") || len(c.Args) == 0 {
		c.say("Usage: v++ [options] <input file...>")
		return nil
	}
	c.say("Option Map File Used: '%s/data/vitis/vpp/optMap.xml'", c.Vitis)
	c.banner("v++")
	err = c.build(g)
	var refused *Error
	switch {
	case errors.As(err, &refused):
		c.say("ERROR: %v", refused)
	case err != nil:
		return err
	default:
		return nil
	}
	if g.Has("link") {
		c.say("ERROR: [v++ 60-703] Failed to finish linking")
	} else {
		c.say("ERROR: [v++ 60-592] Failed to finish compilation")
	}
	c.say("INFO: [v++ 60-1653] Closing dispatch client.")
	return exit{1}
}

// build does what the options of v++ ask for.
func (c *call) build(g *Given) error {
	conf, err := ReadConfig(g.All("config"))
	if err != nil {
		return err
	}
	for _, file := range g.All("config") {
		if _, err := c.input(file); err != nil {
			return err
		}
	}
	for _, o := range g.Options { // the command line comes last, and so wins
		value := "true"
		if len(o.Values) > 0 {
			value = strings.Join(o.Values, " ")
		}
		conf.Options = append(conf.Options, Value{o.Name, []string{value}})
	}
	modes := 0
	for _, m := range []string{"compile", "link", "package"} {
		if conf.Get(m) == "true" {
			modes++
		}
	}
	if modes != 1 {
		return &Error{Code: "v++ 60-0", Text: "exactly one of the options --compile, --link and --package must be given"}
	}
	for _, f := range g.Inputs {
		if _, err := os.Stat(f); err != nil {
			return &Error{Code: "v++ 60-602", Text: "Source file does not exist: " + absolute(f)}
		}
	}
	switch {
	case g.Has("link"):
		return c.link(conf, g.Inputs)
	case conf.Get("mode") == "hls":
		return c.compileHLS(conf, g.Inputs)
	}
	return &Error{Code: "v++ 60-0", Text: "the stand-in links, and compiles with --mode hls"}
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// repositories are where the tools look for board platforms.
func (c *call) repositories() []string {
	return append(filepath.SplitList(os.Getenv("PLATFORM_REPO_PATHS")), filepath.Join(c.Vitis, "platforms"))
}

func (c *call) platform(name string) (*standin.Shell, error) {
	if name == "" {
		return nil, &Error{Code: "v++ 60-0", Text: "the option '--platform' is required but missing"}
	}
	sh, path, err := standin.OpenShell(name, c.repositories())
	if errors.Is(err, os.ErrNotExist) {
		c.say(
			"ERROR: [v++ 60-1258] No valid platform was found that matches '%s'. Please make sure that the platform is "+
				"specified correctly, and the platform has the right version number. The platform repo paths are:", name)
		for _, dir := range c.repositories() {
			c.say("\t%s", dir)
		}
		return nil, &Error{Code: "v++ 60-587",
			Text: fmt.Sprintf("Failed to add a platform: specified platform %s is not found or is not valid", name)}
	}
	if err != nil {
		return nil, err
	}
	c.say("INFO: [v++ 60-895]   Target platform: %s", path)
	c.rec.Inputs["platform"] = sum([]byte(sh.Name))
	return sh, nil
}
