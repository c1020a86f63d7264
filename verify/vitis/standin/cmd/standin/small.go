package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// parse reads the arguments of a tool, and answers as boost's programs do if they are
// wrong.
func (c *call) parse(t *Table) (*Given, error) {
	g, err := t.Parse(c.Args, c.Version)
	if err != nil {
		c.say("ERROR: %v", err)
		return nil, exit{1}
	}
	return g, nil
}

func emconfigutil(c *call) error {
	g, err := c.parse(&emconfigutilOptions)
	if err != nil {
		return err
	}
	if g.Has("version") {
		c.banner("emconfigutil")
		return nil
	}
	sh, _, err := standin.OpenShell(g.Get("platform"), c.repositories())
	if err != nil {
		c.say("ERROR: [ConfigUtil 60-597] Platform '%s' is not found", g.Get("platform"))
		return exit{1}
	}
	c.writeText(filepath.Join(g.Get("od"), "emconfig.json"),
		"{\"Version\":{\"FileVersion\":\"2.0\",\"ToolVersion\":%q},\"Platform\":{\"Boards\":[{\"Devices\":[{\"Name\":%q}]}]}}\n", c.Version, sh.Name)
	c.say("emulation configuration file `emconfig.json` is created in %s directory ", g.Get("od"))
	return nil
}

func platforminfo(c *call) error {
	g, err := c.parse(&platforminfoOptions)
	if err != nil {
		return err
	}
	if g.Has("version") {
		c.banner("platforminfo")
		return nil
	}
	if g.Has("list") {
		for _, dir := range c.repositories() {
			found, err := filepath.Glob(filepath.Join(dir, "*", "*.xpfm"))
			if err != nil {
				return err
			}
			for _, f := range found {
				c.say("%s", f)
			}
		}
		return nil
	}
	name := g.Get("platform")
	if name == "" && len(g.Inputs) > 0 {
		name = g.Inputs[0]
	}
	sh, path, err := standin.OpenShell(name, c.repositories())
	if err != nil {
		c.say("ERROR: [Platforminfo 60-587] The platform '%s' is not found", name)
		return exit{1}
	}
	c.say(
		"==========================\nBasic Platform Information\n==========================\nPlatform:           "+
			"%s\nFile:               %s\nHW Part: %s", sh.Name, path, sh.Part)
	c.say(
		"Default Clock Index: 0\nClock Index:         0\n  Frequency:         300.000000\nClock Index:         1\n  " +
			"Frequency:         500.000000")
	return nil
}

// git hands on to the real one, with folders of this host in place of what is out
// there.
func git(c *call) error {
	if c.Git == "" {
		return fmt.Errorf("there is no git on this host to hand on to")
	}
	if err := c.fail(); err != nil {
		return err
	}
	var args []string
	for _, url := range sorted(c.URLs) {
		args = append(args, "-c", "url."+c.URLs[url]+".insteadOf="+url)
	}
	args = append(args, "-c", "protocol.file.allow=always")
	for _, a := range c.Args {
		for _, asked := range sorted(c.Revisions) {
			a = strings.ReplaceAll(a, asked, c.Revisions[asked])
		}
		if strings.HasPrefix(a, "https://") || strings.HasPrefix(a, "ssh://") || strings.HasPrefix(a, "git@") {
			if _, ok := c.URLs[a]; !ok {
				host := strings.SplitN(strings.TrimPrefix(a, "https://"), "/", 2)[0]
				fmt.Fprintf(os.Stderr, "fatal: unable to access '%s/': Could not resolve host: %s\n", a, host)
				return exit{128}
			}
		}
		args = append(args, a)
	}
	cmd := exec.Command(c.Git, args...)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0")
	cmd.Stdin = os.Stdin
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	err := cmd.Run()
	text := out.String()
	for _, asked := range sorted(c.Revisions) {
		text = strings.ReplaceAll(text, c.Revisions[asked], asked)
	}
	c.out.WriteString(text)
	if e, ok := err.(*exec.ExitError); ok {
		return exit{e.ExitCode()}
	}
	return err
}
