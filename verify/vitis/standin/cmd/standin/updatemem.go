package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

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
	g, err := c.parse(&updatememOptions, "[Updatemem 57-0] ")
	if err != nil {
		return err
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
	bits, err := standin.ParseBitstream(text)
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

func (c *call) fill(bits *standin.Bitstream, info *memInfo, proc, file string) error {
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
	image, err := words(text, -1)
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
// hexadecimal values. Those before the first address have the address at; -1 if
// there must be none.
func words(text []byte, at int) ([]byte, error) {
	if bytes.HasPrefix(text, []byte("\x7fELF")) {
		return text, nil
	}
	image := map[int]byte{}
	end := 0
	for i, line := range strings.Split(string(text), "\n") {
		for _, word := range strings.Fields(strings.Split(line, "//")[0]) {
			if address, ok := strings.CutPrefix(word, "@"); ok {
				n, err := strconv.ParseUint(address, 16, 32)
				if err != nil {
					return nil, fmt.Errorf("line %d: address %q", i+1, word)
				}
				at = int(n)
				continue
			}
			if at < 0 {
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
