package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/verify/fakecards/xclbin"
	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// xclbinutil takes device binaries apart and puts them together.
func xclbinutil(c *call) error {
	g, err := c.parse(&xclbinutilOptions, "")
	if err != nil {
		return err
	}
	if g.Has("version") {
		c.say(
			"XRT Build Version: %s (%s)\n       Build Date: 2023-10-06 16:38:42\n          Hash ID: "+
				"fa4e596bd6a5f5a12c9b6c6bd5c9b2a1d5d1c3c2", releaseOf(c.Version).xrt, c.Version)
		return nil
	}
	if !g.Has("input") {
		return c.refuse("Missing file input option '--input'.")
	}
	f := &xclbin.File{}
	c.say("Reading xclbin file into memory.  File: %s", g.Get("input"))
	all, err := c.input(g.Get("input"))
	if err != nil {
		return c.refuse("Unable to open the input file: %s", g.Get("input"))
	}
	if f, err = standin.ParseXclbin(all); err != nil {
		return fmt.Errorf("%s: %w", g.Get("input"), err)
	}
	for _, name := range g.All("remove-section") {
		if _, ok := f.Get(name); !ok {
			return c.refuse("Section '%s' is not part of the xclbin archive.", name)
		}
		f.Remove(name)
	}
	for _, verb := range []string{"dump-section", "replace-section", "add-replace-section", "add-section"} {
		for _, spec := range g.All(verb) {
			if err := c.section(f, verb, spec, g.Has("force")); err != nil {
				return err
			}
		}
	}
	if out := g.Get("output"); out != "" {
		if err := c.fresh(out, g.Has("force")); err != nil {
			return err
		}
		if !g.Has("skip-uuid-insertion") { // what is written is another file
			f.UUID = c.inputs()[:32]
		}
		data, err := standin.XclbinBytes(f)
		if err != nil {
			return err
		}
		c.write(out, data)
		c.say("Successfully wrote (%d bytes) to the output file: %s", len(data), out)
	}
	if g.Has("info") {
		return c.info(f, g.Get("info"), g.Has("force"))
	}
	return nil
}

// info writes what a file holds, or says it.
func (c *call) info(f *xclbin.File, file string, force bool) error {
	v := View{Version: c.Version, Platform: f.Platform}
	var built struct {
		Metadata struct {
			Xclbin account `json:"xclbin"`
		} `json:"build_metadata"`
	}
	if data, ok := f.Get("BUILD_METADATA"); ok {
		if err := json.Unmarshal(data, &built); err != nil {
			return err
		}
	}
	v.Instances, v.Banks = built.Metadata.Xclbin.Instances, built.Metadata.Xclbin.Banks
	var clocks struct {
		Topology struct {
			Clocks []struct {
				MHz string `json:"m_freq_Mhz"`
			} `json:"m_clock_freq"`
		} `json:"clock_freq_topology"`
	}
	if data, ok := f.Get("CLOCK_FREQ_TOPOLOGY"); ok {
		if err := json.Unmarshal(data, &clocks); err != nil {
			return err
		}
		for _, clock := range clocks.Topology.Clocks {
			v.Frequency, _ = strconv.ParseFloat(clock.MHz, 64)
		}
	}
	target := "hw"
	if f.Mode != xclbin.Hardware {
		target = "hw_emu"
	}
	text := Info(v, uuid(f.UUID), f.Version, target)
	if file == "" {
		c.say("%s", text)
		return nil
	}
	if err := c.fresh(file, force); err != nil {
		return err
	}
	c.write(file, []byte(text))
	return nil
}

func (c *call) fresh(path string, force bool) error {
	if _, err := os.Stat(path); err == nil && !force {
		return c.refuse(
			"The following output file already exists on disk: %s\nERROR: Use the force option (--force) to overwrite the file.",
			path)
	}
	return nil
}

// section does what <section>:<format>:<file> asks for.
func (c *call) section(f *xclbin.File, verb, spec string, force bool) error {
	parts := strings.SplitN(spec, ":", 3)
	if len(parts) != 3 || parts[2] == "" {
		return c.refuse("Expected format <section>:<format>:<file> when using adding or dumping a section.  Received: %s.",
			spec)
	}
	kind, format, file := parts[0], parts[1], parts[2]
	if !xclbin.Known(kind) {
		return c.refuse("Section '%s' isn't a valid section name.", kind)
	}
	if format != "RAW" && (format != "JSON" || !standin.AsJSON(kind)) {
		return c.refuse("The %s section does not support the format type: %s", kind, format)
	}
	old, there := f.Get(kind)
	if verb == "dump-section" {
		if !there {
			return c.refuse("Section '%s' does not exist.", kind)
		}
		if err := c.fresh(file, force); err != nil {
			return err
		}
		c.write(file, bytes.Clone(old))
		c.say("Section: '%s'(%d) was successfully written.\nFormat: %s\nFile  : '%s'", kind, len(old), format, file)
		return nil
	}
	switch {
	case verb == "add-section" && there:
		return c.refuse("Section '%s' already exists.", kind)
	case verb == "replace-section" && !there:
		return c.refuse("Section '%s' does not exist.", kind)
	}
	data, err := c.input(file)
	if err != nil {
		return c.refuse("Unable to open the file for reading: %s", file)
	}
	if format == "JSON" && !json.Valid(data) {
		return c.refuse("Unable to parse the file '%s' as JSON.", file)
	}
	if kind == "BITSTREAM" {
		if _, err := standin.ParseBitstream(data); err != nil {
			return fmt.Errorf("%s is no bitstream: %w", file, err)
		}
	}
	f.Set(kind, data)
	c.say("Section: '%s'(%d) was successfully added.\nFormat : %s\nFile   : '%s'", kind, len(data), format, file)
	return nil
}
