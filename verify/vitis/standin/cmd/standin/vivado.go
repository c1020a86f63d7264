package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// vivado runs scripts that package kernels.
func vivado(c *call) error {
	g, err := c.parse(&vivadoOptions, "[Common 17-0] ")
	if err != nil {
		return err
	}
	if g.Has("version") {
		c.say("Vivado v%s (64-bit)\nTool Version Limit: %s.10\nSW Build %s", c.Version, c.Version[:4],
			releaseOf(c.Version).vivado)
		c.say(
			"Copyright 1986-2022 Xilinx, Inc. All Rights Reserved.\nCopyright 2022-%s Advanced Micro Devices, Inc. All "+
				"Rights Reserved.", c.Version[:4])
		return nil
	}
	if g.Get("mode") != "batch" {
		return fmt.Errorf("[Common 17-0] the stand-in only runs scripts: -mode batch")
	}
	if !g.Has("nolog") {
		name := "vivado.log"
		if v := g.Get("log"); v != "" {
			name = v
		}
		if err := c.keepLog(name); err != nil {
			return err
		}
	}
	if !g.Has("nojournal") {
		name := "vivado.jou"
		if v := g.Get("journal"); v != "" {
			name = v
		}
		c.writeText(name, "# Vivado v%s (64-bit)\n", c.Version)
	}
	c.banner("Vivado")
	scripts := append(g.All("source"), g.Inputs...)
	if len(scripts) == 0 {
		return fmt.Errorf("[Common 17-0] there is no script to run")
	}
	for _, s := range scripts {
		c.say("source %s", s)
		c.stage()
		if text, err := os.ReadFile(s); err == nil && bytes.Contains(text, []byte("open_checkpoint")) {
			if err := c.checkpointScript(s); err != nil {
				return err
			}
			continue
		}
		commands, err := c.script(s, scriptPrelude, vivadoCommands, g.All("tclargs"))
		if err == nil {
			err = c.packaged(commands)
		}
		if err != nil {
			if _, ok := err.(exit); !ok {
				c.say("ERROR: %v", err)
			}
			c.say("INFO: [Common 17-206] Exiting Vivado at %s...", stamp)
			return exit{1}
		}
	}
	if err := c.leave(); err != nil {
		return err
	}
	c.files, c.fault = nil, nil
	c.say("INFO: [Common 17-206] Exiting Vivado at %s...", stamp)
	return nil
}

// packaged does what the commands of a packaging script lead to.
func (c *call) packaged(commands []recorded) error {
	files := map[string][]byte{}
	part, projects := "", 0
	for _, r := range commands {
		switch r[0] {
		case "create_project":
			projects++
			for i, w := range r[:len(r)-1] {
				if w == "-part" {
					part = r[i+1]
				}
			}
		case "files":
			for _, f := range r[1:] {
				if info, err := os.Stat(f); err != nil || info.IsDir() {
					continue
				}
				text, err := c.input(c.relative(f))
				if err != nil {
					return err
				}
				files["src/"+filepath.Base(f)] = text
			}
		case "package_xo":
			if projects == 0 || part == "" {
				return c.refuse(
					"[Common 17-53] User Exception: No open project. Please create or open a project before executing this command.")
			}
			if err := c.packageXO(r, files); err != nil {
				return err
			}
		}
	}
	return nil
}

// packageXO is package_xo (UG835). What an IP must have is what the model of package
// verify/vitis/tcl looks at.
func (c *call) packageXO(r recorded, files map[string][]byte) error {
	given, err := r.flags("force!", "kernel_name", "kernel_xml", "kernel_xml_args", "ip_directory", "xo_path",
		"kernel_files", "parent_ip_directory",
		"design_xml", "debug_directory", "ctrl_protocol", "hw_em_debug!", "output_kernel_xml", "quiet!", "verbose!")
	if err != nil {
		return err
	}
	path, name := c.relative(given["xo_path"]), given["kernel_name"]
	if path == "" || name == "" || given["ip_directory"] == "" || given["kernel_xml"] == "" {
		return fmt.Errorf("[Vivado 12-0] package_xo: -xo_path, -kernel_name, -ip_directory and -kernel_xml are needed")
	}
	if _, err := os.Stat(path); err == nil && given["force"] == "" {
		return fmt.Errorf("[Vivado 12-0] package_xo: %s exists, and -force is not given", path)
	}
	text, err := c.input(c.relative(given["kernel_xml"]))
	if err != nil {
		return fmt.Errorf("[Vivado 12-0] package_xo: %w", err)
	}
	k, err := standin.ParseKernel(text)
	if err != nil {
		return fmt.Errorf("[Vivado 12-0] package_xo: %s: %w", given["kernel_xml"], err)
	}
	if k.Name != name {
		return fmt.Errorf("[Vivado 12-0] package_xo: the kernel is called %s, and its description %s", name, k.Name)
	}
	if len(files) == 0 {
		return fmt.Errorf("[Vivado 12-0] package_xo: the IP has no sources")
	}
	files["component.xml"] = fmt.Appendf(nil,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<component><name>%s</name><tool>%s</tool></component>\n",
		name, c.Version)
	archive, err := standin.ArchiveXO(text, files)
	if err != nil {
		return err
	}
	c.write(path, archive)
	c.say("INFO: [Vivado 12-4896] Successfully created Xilinx Object: %s", path)
	return nil
}
