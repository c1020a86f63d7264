package main

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// synthesis is what is made of C++.
type synthesis struct {
	top, part, clock, output, work string
	files                          []string
	include                        []string
}

// compileHLS is v++ --compile --mode hls.
func (c *call) compileHLS(conf *Given, inputs []string) error {
	s := synthesis{top: conf.Get("hls.syn.top"), part: conf.Get("part"), clock: conf.Get("hls.clock"),
		output: conf.Get("hls.package.output.file"), work: conf.Get("work_dir"),
		files: append(conf.All("hls.syn.file"), inputs...), include: folders(conf.All("hls.syn.cflags"))}
	if format := conf.Get("hls.package.output.format"); format != "xo" {
		return &Error{Code: "v++ 60-0", Text: fmt.Sprintf("package.output.format is %q: the stand-in only makes xo",
			format)}
	}
	if s.part == "" && conf.Get("platform") == "" {
		return &Error{Code: "v++ 60-0", Text: "the options '--part' and '--platform' are both missing"}
	}
	if s.clock == "" {
		s.clock = conf.Get("freqhz")
	}
	s.work = cmp.Or(s.work, s.top)
	if s.output == "" {
		s.output = filepath.Join(s.work, s.top+".xo")
	}
	return c.synthesize(s, "v++")
}

// vitisHLS is vitis_hls, as far as it was shipped.
func vitisHLS(c *call) error {
	g, err := c.parse(&hlsOptions, "[HLS 200-0] ")
	if err != nil {
		return err
	}
	if g.Has("version") {
		c.say("Vitis HLS - High-Level Synthesis from C, C++ and OpenCL v%s (64-bit)\nSW Build %s", c.Version,
			releaseOf(c.Version).vivado)
		return nil
	}
	name := g.Get("l")
	name = cmp.Or(name, "vitis_hls.log")
	if err := c.keepLog(name); err != nil {
		return err
	}
	return c.tclHLS(g.Get("f"), g.All("tclargs"))
}

func (c *call) tclHLS(script string, args []string) error {
	if script == "" {
		return fmt.Errorf("[HLS 200-0] the stand-in only runs scripts: -f <script>")
	}
	commands, err := c.script(script, scriptPrelude, hlsCommands, args)
	if err != nil {
		return err
	}
	var s synthesis
	var done []string
	for _, r := range commands {
		switch r[0] {
		case "open_project":
			s.work = c.relative(r[len(r)-1])
		case "set_top":
			s.top = r[1]
		case "set_part":
			s.part = r[1]
		case "create_clock":
			given, err := r.flags("period", "name")
			if err != nil {
				return err
			}
			s.clock = given["period"]
		case "add_files":
			if !slices.Contains(r, "-tb") {
				for i, w := range r[1:] {
					if w == "-cflags" && i+2 < len(r) {
						s.include = append(s.include, folders([]string{r[i+2]})...)
					}
				}
				s.files = append(s.files, "")
			}
		case "files":
			if n := len(s.files); n > 0 && s.files[n-1] == "" {
				s.files[n-1] = c.relative(r[1])
			}
		case "csynth_design":
			done = append(done, r[0])
		case "export_design":
			if len(done) == 0 {
				return fmt.Errorf("[HLS 200-0] export_design before csynth_design")
			}
			given, err := r.flags("format", "output", "flow", "rtl", "description", "display_name", "ipname", "library",
				"vendor", "version", "xo")
			if err != nil {
				return err
			}
			if given["format"] != "xo" {
				return fmt.Errorf("[HLS 200-0] export_design: format %q: the stand-in only makes xo", given["format"])
			}
			s.output = c.relative(given["output"])
		}
	}
	if s.output == "" {
		return fmt.Errorf("[HLS 200-0] the script exports nothing")
	}
	return c.synthesize(s, "vitis_hls")
}

func (c *call) synthesize(s synthesis, tool string) error {
	if s.top == "" || len(s.files) == 0 || s.part == "" || s.clock == "" {
		return fmt.Errorf("[HLS 200-0] top function %q, files %q, part %q, clock %q: none may be missing", s.top,
			s.files, s.part, s.clock)
	}
	c.say("INFO: [HLS 200-1510] Running: csynth_design")
	c.stage()
	var text strings.Builder
	for _, f := range s.files {
		if err := c.preprocess(f, s.include, &text, map[string]bool{}); err != nil {
			return fmt.Errorf("[HLS 200-0] %w", err)
		}
	}
	k, err := function(s.top, text.String())
	if err != nil {
		return fmt.Errorf("[HLS 207-0] %w", err)
	}
	c.say("INFO: [HLS 200-790] **** Loop Constraint Status: All loop constraints were satisfied.")
	c.say("INFO: [HLS 200-789] **** Estimated Fmax: 342.47 MHz")
	c.stage()
	body, err := xml.MarshalIndent(struct {
		XMLName xml.Name        `xml:"root"`
		Kernel  *standin.Kernel `xml:"kernel"`
	}{Kernel: k}, "", "  ")
	if err != nil {
		return err
	}
	archive, err := standin.ArchiveXO(body, map[string][]byte{
		"component.xml":       []byte(c.Version + " " + s.part + " " + s.clock + "\n"),
		"hdl/" + s.top + ".v": []byte("// " + sum([]byte(text.String())) + "\n"),
	})
	if err != nil {
		return err
	}
	c.write(s.output, archive)
	c.writeText(filepath.Join(s.work, "hls", "syn", "report", s.top+"_csynth.rpt"), csynth, s.top,
		c.Version, s.top, s.part)
	if err := c.leave(); err != nil {
		return err
	}
	c.files, c.fault = nil, nil
	c.say("INFO: [%s 60-791] Total elapsed time: 0h 0m 1s", tool)
	return nil
}

// csynth is the head of a report of synthesis.
const csynth = `

================================================================
== Vitis HLS Report for '%s'
================================================================
* Version:        %s
* Project:        %s
* Solution:       solution (Vitis Kernel Flow Target)
* Product family: virtexuplus
* Target device:  %s


================================================================
== Performance Estimates
================================================================
+ Timing:
    * Summary:
    +--------+---------+----------+------------+
    |  Clock |  Target | Estimated| Uncertainty|
    +--------+---------+----------+------------+
    |ap_clk  |  4.00 ns|  2.920 ns|     1.08 ns|
    +--------+---------+----------+------------+
`
