package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// parse reads the arguments of a tool. Wrong ones end it with a message that has the
// tool's code: "[HLS 200-0] "; those of boost's programs have none.
func (c *call) parse(t *Table, code string) (*Given, error) {
	g, err := t.Parse(c.Args, c.Version)
	if err != nil {
		return nil, c.refuse("%s%v", code, err)
	}
	return g, nil
}

func emconfigutil(c *call) error {
	g, err := c.parse(&emconfigutilOptions, "")
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
		args = append(args, "-c", "url.file://"+c.URLs[url]+".insteadOf="+url)
	}
	args = append(args, "-c", "protocol.file.allow=always")
	var there, back []string
	for _, asked := range sorted(c.Revisions) {
		head := c.Revisions[asked]
		full := asked + head[len(asked):] // where what is asked for is abbreviated
		there = append(there, full, head, asked, head)
		back = append(back, head, full)
	}
	for _, a := range c.Args {
		a = strings.NewReplacer(there...).Replace(a)
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
	c.out.WriteString(strings.NewReplacer(back...).Replace(out.String()))
	if e, ok := err.(*exec.ExitError); ok {
		return exit{e.ExitCode()}
	}
	return err
}
