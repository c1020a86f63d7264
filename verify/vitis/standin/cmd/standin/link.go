package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/verify/fakecards/xclbin"
	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// link is v++ --link.
func (c *call) link(conf *Given, inputs []string) error {
	target := conf.Get("target")
	output := cmp.Or(conf.Get("output"), "a.xclbin")
	temp := cmp.Or(conf.Get("temp_dir"), "_x")
	name := strings.TrimSuffix(filepath.Base(output), filepath.Ext(output))
	logs := cmp.Or(conf.Get("log_dir"), filepath.Join(temp, "logs"))
	reports := cmp.Or(conf.Get("report_dir"), filepath.Join(temp, "reports"))
	if err := c.keepLog(filepath.Join(logs, "link", "v++.log")); err != nil {
		return err
	}
	c.say(
		"INFO: [v++ 60-1306] Additional information associated with this v++ link can be found at:\n\tReports: %s\n\tLog "+
			"files: %s", absolute(filepath.Join(reports, "link")), absolute(filepath.Join(logs, "link")))
	c.say("INFO: [v++ 60-1548] Creating build summary session with primary output %s, at %s",
		absolute(output)+".link_summary", stamp)
	sh, err := c.platform(conf.Get("platform"))
	if err != nil {
		return err
	}
	clock, err := c.frequency(conf)
	if err != nil {
		return err
	}
	if target == "" {
		return &Error{Code: "v++ 60-0", Text: "the option '--target' is required but missing"}
	}
	c.say("INFO: [v++ 60-629] Linking for %s target", map[string]string{"hw": "hardware", "hw_emu": "hardware emulation",
		"sw_emu": "software emulation"}[target])
	c.say("INFO: [v++ 60-423]   Target device: %s", sh.Name)
	kernels, err := c.kernels(inputs)
	if err != nil {
		return err
	}
	sys, err := c.systemLink(conf, kernels, sh, target)
	if err != nil {
		return err
	}
	made, err := c.implement(conf, sys, sh, temp, target == "hw")
	if err != nil {
		return err
	}
	for _, file := range Hooks(conf) {
		if _, err := c.input(file); err != nil {
			return err
		}
	}
	design := c.design(conf, sys)
	view := reportView(c.Version, design, clock, sys, sh)
	if c.fault != nil && c.fault.Kind == standin.Missed {
		view.Slack = -0.214
	}
	for path := range made {
		c.write(path, []byte(Any(path, view)))
	}
	if target == "hw" {
		for file, text := range Implementation(view) {
			c.write(filepath.Join(reports, "link", "imp", file), []byte(text))
		}
	}
	c.writeText(output+".link_summary",
		"{\"desc\":\"v++ link summary\",\"target\":%q,\"platform\":%q,\"frequency\":%g,\"key\":%q}\n", target,
		sh.Name, clock, design)
	bin, info, err := c.binary(sys, sh, design, target, clock)
	if err != nil {
		return err
	}
	c.writeText(output+".info", "%s", info)
	c.write(output, bin)
	c.say("INFO: [v++ 60-244] Generating system estimate report...")
	if err := c.leave(); err != nil {
		return err
	}
	c.files = nil
	c.fault = nil
	c.say("INFO: [v++ 60-586] Created %s", output)
	c.say("INFO: [v++ 60-1307] Run completed. Additional information can be found in:\n\tGuidance: %s",
		filepath.Join(reports, "link", "v++_link_"+name+"_guidance.html"))
	c.say("INFO: [v++ 60-791] Total elapsed time: 0h 0m 1s")
	c.say("INFO: [v++ 60-1653] Closing dispatch client.")
	return nil
}

func (c *call) kernels(inputs []string) ([]*standin.Kernel, error) {
	if len(inputs) == 0 {
		return nil, &Error{Code: "v++ 60-0", Text: "there are no input files"}
	}
	var all []*standin.Kernel
	by := map[string]string{}
	for _, file := range inputs {
		if _, err := c.input(file); err != nil {
			return nil, err
		}
		c.say("INFO: [SYSTEM_LINK 82-70] Extracting xo v3 file %s", absolute(file))
		k, err := standin.ReadXO(file)
		if err != nil {
			return nil, &Error{Code: "v++ 60-0", Text: fmt.Sprintf("Failed to read the kernel file %s: %v", file, err)}
		}
		if was, ok := by[k.Name]; ok {
			return nil, &Error{Code: "v++ 60-0", Text: fmt.Sprintf("kernel %s is in both %s and %s", k.Name, was, file)}
		}
		by[k.Name] = file
		all = append(all, k)
	}
	return all, nil
}

var hertz = regexp.MustCompile(`^(\d+(?:\.\d{1,6})?)(?:MHz|mhz|MHZ)?$`)

// frequency is the clock of the kernels, in MHz. The platforms' own is 300 MHz.
func (c *call) frequency(conf *Given) (float64, error) {
	mhz := 300.0
	if v := conf.Get("kernel_frequency"); v != "" {
		for _, part := range strings.Split(v, "|") { // 250, or 0:250|1:500
			id, f, ok := strings.Cut(part, ":")
			if !ok {
				id, f = "0", id
			}
			n, err := strconv.Atoi(f)
			if err != nil || n < 10 || n > 650 || id != "0" && id != "1" {
				return 0, &Error{Code: "v++ 60-0",
					Text: fmt.Sprintf("the argument ('%s') for option '--kernel_frequency' is invalid", v)}
			}
			if id == "0" {
				mhz = float64(n)
			}
		}
	}
	for _, key := range []string{"freqhz", "clock.freqHz", "clock.freqhz", "clock.defaultFreqHz", "clock.default_freqhz"} {
		for _, v := range conf.All(key) {
			f, _, _ := strings.Cut(v, ":")
			m := hertz.FindStringSubmatch(f)
			if m == nil {
				return 0, &Error{Code: "CFGEN 83-2243", Text: fmt.Sprintf("Malformed --%s switch argument %s", key, v)}
			}
			n, _ := strconv.ParseFloat(m[1], 64)
			if f == m[1] {
				n /= 1e6
			}
			if n < 10 || n > 650 {
				return 0, &Error{Code: "v++ 60-0",
					Text: fmt.Sprintf("the argument ('%s') for option '--%s' is invalid: %g MHz", v, key, n)}
			}
			mhz = n
		}
	}
	return mhz, nil
}

// systemLink checks the system and says what it does, as the linker's first step.
func (c *call) systemLink(conf *Given, kernels []*standin.Kernel, sh *standin.Shell,
	target string) (*System, error) {
	c.say("INFO: [v++ 60-1332] Run 'run_link' status: Not started")
	c.say("INFO: [v++ 60-1443] [%s] Run run_link: Step system_link: Started", clock())
	c.stage()
	c.say("INFO: [SYSTEM_LINK 82-38] [%s] cfgen started: cfgen -dmclkid 0", clock())
	sys, err := Check(conf, kernels, sh)
	if err == nil {
		c.say("INFO: [CFGEN 83-0] Kernel Specs: ")
		for _, in := range sys.Instances {
			c.say("INFO: [CFGEN 83-0]   kernel: %s, num: 1  {%s}", in.Kernel.Name, in.Name)
		}
		for _, port := range sorted(sys.Banks) {
			c.say("INFO: [CFGEN 83-2228] Creating mapping for argument %s to %s for directive %s:%s", port, sys.Banks[port],
				port, sys.Banks[port])
		}
		for _, s := range sys.Converters {
			c.say("INFO: [SYSTEM_LINK 82-0] Adding a data width converter: %s", s)
			c.rec.Notes = append(c.rec.Notes, "converter: "+s)
		}
		c.say("INFO: [SYSTEM_LINK 82-37] [%s] cfgen finished successfully", clock())
		c.say("INFO: [v++ 60-1441] [%s] Run run_link: Step system_link: Completed", clock())
		return sys, nil
	}
	for _, e := range unjoin(err) {
		c.say("ERROR: %v", e)
	}
	c.say("ERROR: [CFGEN 83-2298] Exiting due to previous error")
	c.say("ERROR: [SYSTEM_LINK 82-36] [%s] cfgen failed", clock())
	c.say(
		"Time (s): cpu = 00:00:04 ; elapsed = 00:00:04 . Memory (MB): peak = 1693.863 ; gain = 0.000 ; free physical = " +
			"26333 ; free virtual = 111169")
	c.say(
		"ERROR: [SYSTEM_LINK 82-62] Error generating design file for %s/link/sys_link/cfgraph/cfgen_cfgraph.xml, command: "+
			"cfgen -dmclkid 0", absolute("_x"))
	c.say("ERROR: [SYSTEM_LINK 82-96] Error applying explicit connections to the system connectivity graph")
	c.say("ERROR: [SYSTEM_LINK 82-79] Unable to create system connectivity graph")
	c.say("INFO: [v++ 60-1442] [%s] Run run_link: Step system_link: Failed", clock())
	c.say("ERROR: [v++ 60-661] v++ link run 'run_link' failed")
	return nil, &Error{Code: "v++ 60-626", Text: "Kernel link failed to complete"}
}

func unjoin(err error) []error {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		return many.Unwrap()
	}
	return []error{err}
}

// design is the hash of all that makes a link what it is.
func (c *call) design(conf *Given, sys *System) string {
	var lines []string
	for _, l := range conf.Options {
		switch l.Name { // where things are and how fast they get there does not matter
		case "output", "temp_dir", "log_dir", "report_dir", "save-temps", "jobs", "vivado.synth.jobs",
			"vivado.impl.jobs", "config":
		default:
			lines = append(lines, l.Name+"="+strings.ReplaceAll(l.Values[0], absolute(".")+"/", ""))
		}
	}
	saved := c.rec.Inputs
	c.rec.Inputs = map[string]string{}
	for name, hash := range saved {
		if strings.HasSuffix(name, ".xo") || strings.HasSuffix(name, ".tcl") || name == "platform" {
			c.rec.Inputs[filepath.Base(name)] = hash
		}
	}
	hash := c.inputs(lines...)
	c.rec.Inputs = saved
	return hash
}

// account is what the linker leaves in BUILD_METADATA for xclbinutil --info.
type account struct {
	Version   string            `json:"version"`
	Instances []Unit            `json:"instances"`
	Banks     map[string]string `json:"banks"`
}

var base = regexp.MustCompile(`_xdma_(\d+)(_\d)?_20\d+_\d+$`)

// binary is the device binary and what the linker says of it.
func (c *call) binary(sys *System, sh *standin.Shell, design, target string, mhz float64) ([]byte, string, error) {
	f := &xclbin.File{UUID: design[:32], Platform: base.ReplaceAllString(sh.Name, "_xdma_base_$1"),
		Version: releaseOf(c.Version).xrt}
	if target != "hw" {
		f.Mode = xclbin.HardwareEmulation
	}
	bits := standin.Bitstream{Design: design, RAMs: map[string]string{}}
	for _, in := range sys.Instances {
		if in.Kernel.Memory == nil {
			continue
		}
		image, err := words(in.Kernel.Memory, 0)
		if err != nil {
			return nil, "", fmt.Errorf("the memory of %s: %w", in.Name, err)
		}
		bits.RAMs[in.Name] = sum(image)
	}
	data, err := bits.Bytes()
	if err != nil {
		return nil, "", err
	}
	if target != "hw" {
		f.Set("EMULATION_DATA", data)
	} else {
		f.Set("BITSTREAM", data)
	}
	if err := layout(f, sys, sh); err != nil {
		return nil, "", err
	}
	f.Set("CLOCK_FREQ_TOPOLOGY",
		fmt.Appendf(nil,
			`{"clock_freq_topology":{"m_count":"1","m_clock_freq":[{"m_freq_Mhz":"%g","m_type":"DATA","m_name":"DATA_CLK"}]}}`,
			mhz))
	built, err := json.Marshal(map[string]any{"build_metadata": map[string]any{"xclbin": account{
		Version: c.Version, Instances: reportView(c.Version, design, mhz, sys, sh).Instances, Banks: sys.Banks}}})
	if err != nil {
		return nil, "", err
	}
	f.Set("BUILD_METADATA", built)
	all, err := standin.XclbinBytes(f)
	return all, Info(reportView(c.Version, design, mhz, sys, sh), uuid(f.UUID), f.Version, target), err
}
