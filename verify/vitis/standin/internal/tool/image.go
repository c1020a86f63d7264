package tool

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/verify/vitis/standin/internal/option"
	"github.com/cclforge/cclforge/verify/vitis/standin/internal/report"
	"github.com/cclforge/cclforge/verify/vitis/standin/internal/xclbin"
)

// xclbinutil takes device binaries apart and puts them together.
func xclbinutil(c *call) error {
	g, err := c.parse(&option.Xclbinutil)
	if err != nil {
		return err
	}
	if g.Has("version") {
		c.say("XRT Build Version: %s (%s)\n       Build Date: 2023-10-06 16:38:42\n          Hash ID: fa4e596bd6a5f5a12c9b6c6bd5c9b2a1d5d1c3c2", releaseOf(c.Version).xrt, c.Version)
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
	if f, err = xclbin.Parse(all); err != nil {
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
		data, err := f.Bytes()
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
	v := report.View{Version: c.Version, Platform: f.Platform}
	var layout struct {
		Layout struct {
			IPs []struct {
				Name string `json:"m_name"`
			} `json:"m_ip_data"`
		} `json:"ip_layout"`
	}
	if data, ok := f.Get("IP_LAYOUT"); ok {
		if err := json.Unmarshal(data, &layout); err != nil {
			return err
		}
	}
	for _, ip := range layout.Layout.IPs {
		kernel, name, _ := strings.Cut(ip.Name, ":")
		v.Instances = append(v.Instances, report.Instance{Name: name, Kernel: kernel})
	}
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
	var banks struct {
		Connectivity map[string]string `json:"connectivity"`
	}
	if data, ok := f.Get("CONNECTIVITY"); ok {
		if err := json.Unmarshal(data, &banks); err != nil {
			return err
		}
		v.Banks = banks.Connectivity
	}
	target := "hw"
	if f.Emulated {
		target = "hw_emu"
	}
	text := report.Info(v, uuid(f.UUID), f.Version, target)
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
		return c.refuse("The following output file already exists on disk: %s\nERROR: Use the force option (--force) to overwrite the file.", path)
	}
	return nil
}

// section does what <section>:<format>:<file> asks for.
func (c *call) section(f *xclbin.File, verb, spec string, force bool) error {
	parts := strings.SplitN(spec, ":", 3)
	if len(parts) != 3 || parts[2] == "" {
		return c.refuse("Expected format <section>:<format>:<file> when using adding or dumping a section.  Received: %s.", spec)
	}
	kind, format, file := parts[0], parts[1], parts[2]
	if !xclbin.Known(kind) {
		return c.refuse("Section '%s' isn't a valid section name.", kind)
	}
	if format != "RAW" && (format != "JSON" || !xclbin.JSON(kind)) {
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
		if _, err := xclbin.ParseBitstream(data); err != nil {
			return fmt.Errorf("%s is no bitstream: %w", file, err)
		}
	}
	f.Set(kind, data)
	c.say("Section: '%s'(%d) was successfully added.\nFormat : %s\nFile   : '%s'", kind, len(data), format, file)
	return nil
}

// memInfo is what updatemem reads of an MMI file (UG1580).
type memInfo struct {
	XMLName    xml.Name    `xml:"MemInfo"`
	Processors []processor `xml:"Processor"`
}

type processor struct {
	Path   string `xml:"InstPath,attr"`
	Spaces []struct {
		Begin  uint64 `xml:"Begin,attr"`
		End    uint64 `xml:"End,attr"`
		Blocks []struct {
			Lanes []struct {
				Type  string `xml:"MemType,attr"`
				Place string `xml:"Placement,attr"`
			} `xml:"BitLane"`
		} `xml:"BusBlock"`
	} `xml:"AddressSpace"`
}

// updatemem puts the contents of memories into bitstreams.
func updatemem(c *call) error {
	g, err := option.Updatemem.Parse(c.Args, c.Version)
	if err != nil {
		c.say("ERROR: [Updatemem 57-0] %v", err)
		return exit{1}
	}
	if g.Has("version") {
		c.banner("updatemem")
		return nil
	}
	for _, needed := range []string{"meminfo", "data", "bit", "proc", "out"} {
		if g.Get(needed) == "" {
			return fmt.Errorf("[Updatemem 57-0] -%s is missing", needed)
		}
	}
	if len(g.All("proc")) != len(g.All("data")) {
		return fmt.Errorf("[Updatemem 57-0] -data and -proc must be given in pairs")
	}
	if err := c.fresh(g.Get("out"), g.Has("force")); err != nil {
		return err
	}
	text, err := c.input(g.Get("bit"))
	if err != nil {
		return fmt.Errorf("[Updatemem 57-0] %w", err)
	}
	bits, err := xclbin.ParseBitstream(text)
	if err != nil {
		return fmt.Errorf("[Updatemem 57-0] %s: %w", g.Get("bit"), err)
	}
	text, err = c.input(g.Get("meminfo"))
	if err != nil {
		return fmt.Errorf("[Updatemem 57-0] %w", err)
	}
	var info memInfo
	if err := xml.Unmarshal(text, &info); err != nil {
		return fmt.Errorf("[Updatemem 57-0] %s: %w", g.Get("meminfo"), err)
	}
	for i, proc := range g.All("proc") {
		if err := c.fill(bits, &info, proc, g.All("data")[i]); err != nil {
			return fmt.Errorf("[Updatemem 57-0] %w", err)
		}
	}
	data, err := bits.Bytes()
	if err != nil {
		return err
	}
	c.stage()
	c.write(g.Get("out"), data)
	return nil
}

var instancePath = regexp.MustCompile(`^[\w./\[\]]+$`)

// fill puts one program into one memory.
func (c *call) fill(bits *xclbin.Bitstream, info *memInfo, proc, file string) error {
	at := slices.IndexFunc(info.Processors, func(p processor) bool { return p.Path == proc })
	if at < 0 || !instancePath.MatchString(proc) {
		return fmt.Errorf("the processor '%s' is not in the memory map", proc)
	}
	if ext := filepath.Ext(file); ext != ".mem" && ext != ".elf" {
		return fmt.Errorf("%s is neither .elf nor .mem", file)
	}
	text, err := c.input(file)
	if err != nil {
		return err
	}
	image, err := words(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	spaces := info.Processors[at].Spaces
	if len(spaces) == 0 || len(spaces[0].Blocks) == 0 || len(spaces[0].Blocks[0].Lanes) == 0 {
		return fmt.Errorf("the processor '%s' has no memory in the memory map", proc)
	}
	if have := spaces[0].End - spaces[0].Begin + 1; uint64(len(image)) > have {
		return fmt.Errorf("%s: %d bytes do not fit into the %d of '%s'", file, len(image), have, proc)
	}
	bits.RAMs[proc] = sum(image)
	return nil
}

// words reads a MEM file (UG1580, "Memory Files"): addresses of bytes and
// hexadecimal values.
func words(text []byte) ([]byte, error) {
	if bytes.HasPrefix(text, []byte("\x7fELF")) {
		return text, nil
	}
	image := map[int]byte{}
	at, end, seen := 0, 0, false
	for i, line := range strings.Split(string(text), "\n") {
		for _, word := range strings.Fields(strings.Split(line, "//")[0]) {
			if address, ok := strings.CutPrefix(word, "@"); ok {
				n, err := strconv.ParseUint(address, 16, 32)
				if err != nil {
					return nil, fmt.Errorf("line %d: address %q", i+1, word)
				}
				at, seen = int(n), true
				continue
			}
			if !seen {
				return nil, fmt.Errorf("line %d: a value before the first address", i+1)
			}
			if len(word)%2 == 1 {
				word = "0" + word
			}
			for k := 0; k < len(word); k += 2 {
				n, err := strconv.ParseUint(word[k:k+2], 16, 8)
				if err != nil {
					return nil, fmt.Errorf("line %d: value %q", i+1, word)
				}
				image[at] = byte(n)
				at++
				end = max(end, at)
			}
		}
	}
	if end == 0 {
		return nil, fmt.Errorf("there is nothing in it")
	}
	if end > 1<<24 {
		return nil, fmt.Errorf("address 0x%X is beyond any memory of this kind", end)
	}
	out := make([]byte, end)
	for i, b := range image {
		out[i] = b
	}
	return out, nil
}
