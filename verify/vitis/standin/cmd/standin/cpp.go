package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// folders are those of -I in flags of a compiler.
func folders(flags []string) []string {
	var dirs []string
	for _, f := range flags {
		for _, word := range strings.Fields(f) {
			if dir, ok := strings.CutPrefix(word, "-I"); ok {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

var include = regexp.MustCompile(`(?m)^\s*#include "([^"]+)"`)

// preprocess reads a file and those that it includes, as far as they are there.
func (c *call) preprocess(file string, dirs []string, into *strings.Builder, seen map[string]bool) error {
	if seen[file] {
		return nil
	}
	seen[file] = true
	text, err := c.input(c.relative(file))
	if err != nil {
		return err
	}
	for _, m := range include.FindAllStringSubmatch(string(text), -1) {
		found := false
		for _, dir := range append([]string{filepath.Dir(file)}, dirs...) {
			path := filepath.Join(dir, m[1])
			if _, err := os.Stat(path); err == nil {
				if err := c.preprocess(path, dirs, into, seen); err != nil {
					return err
				}
				found = true
				break
			}
		}
		if !found {
			return fmt.Errorf("%s: '%s' file not found", file, m[1])
		}
	}
	into.Write(text)
	return nil
}

var (
	axis = regexp.MustCompile(
		`^hls::stream<\s*(?:cclo::)?(beat<\d+>|word|kernel_beat|ap_axiu<(\d+),[^>]*>)\s*>\s*&\s*(\w+)$`)
	pragma     = regexp.MustCompile(`(?m)^#pragma HLS INTERFACE (\w+) (.*)$`)
	assignment = regexp.MustCompile(`(\w+)\s*=\s*(\w+)`)
	incoming   = regexp.MustCompile(`^in|_in|from|sts|^s_axis|res$`)
)

// function finds the top function and what its ports are.
func function(name, text string) (*standin.Kernel, error) {
	at := regexp.MustCompile(`(?s)void\s+` + name + `\s*\(([^)]*)\)\s*\{(.*)`).FindStringSubmatch(text)
	if at == nil {
		return nil, fmt.Errorf("cannot find the top function '%s' in the design", name)
	}
	k := &standin.Kernel{Name: name, VLNV: "xilinx.com:hls:" + name + ":1.0", Language: "c", Control: "ap_ctrl_hs"}
	buses := map[string]string{}
	registers := false
	for _, p := range pragma.FindAllStringSubmatch(at[2], -1) {
		given := map[string]string{}
		for _, o := range assignment.FindAllStringSubmatch(p[2], -1) {
			given[o[1]] = o[2]
		}
		switch {
		case p[1] == "ap_ctrl_none":
			k.Control = "ap_ctrl_none"
		case p[1] == "s_axilite":
			registers = true
		case p[1] == "m_axi":
			buses[given["port"]] = "m_axi_" + given["bundle"]
		}
		if strings.Contains(at[2][:strings.Index(at[2], p[0])], "\n}\n") {
			break // of another function
		}
	}
	if registers {
		k.Ports = append(k.Ports, standin.Port{Name: "s_axi_control", Mode: "slave", Type: "addressable",
			Width: 32, Range: "0x1000"})
	}
	for _, parameter := range strings.Split(at[1], ",\n") {
		for _, p := range split(parameter) {
			if m := axis.FindStringSubmatch(p); m != nil {
				port := standin.Port{Name: m[3], Mode: "write_only", Type: "stream", Width: 512}
				if incoming.MatchString(m[3]) {
					port.Mode = "read_only"
				}
				if m[1] == "word" {
					port.Width = 32
				} else if m[2] != "" {
					port.Width, _ = strconv.Atoi(m[2])
				}
				k.Ports = append(k.Ports, port)
				k.Args = append(k.Args, standin.Argument{Name: port.Name, Qualifier: 4, Port: port.Name, Offset: "0x0",
					ID: strconv.Itoa(len(k.Args))})
				continue
			}
			words := strings.FieldsFunc(p, func(r rune) bool { return r == ' ' || r == '*' || r == '&' })
			if len(words) < 2 {
				continue
			}
			arg := standin.Argument{Name: words[len(words)-1], Port: "s_axi_control", ID: strconv.Itoa(len(k.Args))}
			if bus, ok := buses[arg.Name]; ok {
				arg.Port, arg.Qualifier = bus, 1
				if _, ok := k.Port(bus); !ok {
					k.Ports = append(k.Ports, standin.Port{Name: bus, Mode: "master", Type: "addressable", Width: 512,
						Range: "0xFFFFFFFFFFFFFFFF"})
				}
			}
			k.Args = append(k.Args, arg)
		}
	}
	return k, nil
}

// split cuts parameters at commas that are in no brackets.
func split(text string) []string {
	var parts []string
	depth, from := 0, 0
	for i, r := range text {
		switch r {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(text[from:i]))
				from = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(text[from:]))
}
