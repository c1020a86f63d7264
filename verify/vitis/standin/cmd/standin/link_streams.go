package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// end finds an end of a stream_connect line. role is "master" or "slave".
func (k *checker) end(text, role string) (standin.Port, bool) {
	name, port, _ := strings.Cut(text, ".")
	in := k.find(name)
	if in == nil {
		k.refuse("CFGEN 83-2291", "--sc tag applied with invalid %s kernel instance: %s", role, name)
		return standin.Port{}, false
	}
	p, ok := in.Kernel.Port(port)
	if !ok || !p.Stream() {
		k.refuse("CFGEN 83-0", "--sc tag applied with invalid %s port name: %s of kernel instance %s", role, port, name)
		return standin.Port{}, false
	}
	if p.Output() != (role == "master") {
		k.refuse("CFGEN 83-0", "--sc tag applied with a port of the wrong direction: %s is no stream %s", text, role)
		return standin.Port{}, false
	}
	return p, true
}

func (k *checker) stream(v string) {
	parts := strings.Split(v, ":")
	if len(parts) < 2 || len(parts) > 3 {
		k.refuse("CFGEN 83-0", "Malformed --sc switch argument: %s", v)
		return
	}
	if len(parts) == 3 {
		if n, err := strconv.Atoi(parts[2]); err != nil || n < 1 {
			k.refuse("CFGEN 83-0", "--sc tag has an invalid FIFO depth: %s", v)
			return
		}
	}
	to, okTo := k.end(parts[1], "slave")
	from, okFrom := k.end(parts[0], "master")
	if !okTo || !okFrom {
		return
	}
	a, _, _ := strings.Cut(parts[0], ".")
	b, _, _ := strings.Cut(parts[1], ".")
	if a == b {
		k.refuse("CFGEN 83-0", "--sc tag connects a kernel instance to itself: %s", v) // UG1393: "An error will occur if ..."
		return
	}
	for _, end := range parts[:2] {
		if was, ok := k.ends[end]; ok {
			k.refuse("CFGEN 83-0", "--sc tag uses a port more than once: %s is connected by %s", end, was)
			return
		}
	}
	k.ends[parts[0]], k.ends[parts[1]] = v, v
	switch wide, narrow := max(from.Width, to.Width), min(from.Width, to.Width); {
	case wide%narrow != 0:
		k.refuse("BD 41-237", "Bus Interface property TDATA_NUM_BYTES does not match between /%s(%d) and /%s(%d)",
			strings.Replace(parts[1], ".", "/", 1), to.Width/8, strings.Replace(parts[0], ".", "/", 1), from.Width/8)
		return
	case wide != narrow:
		k.sys.Converters = append(k.sys.Converters, fmt.Sprintf("%s(%d):%s(%d)", parts[0], from.Width, parts[1], to.Width))
	}
	k.sys.Streams = append(k.sys.Streams, Stream{parts[0], parts[1]})
}

// analysis checks what is to be measured, and the files of hooks.
func (k *checker) analysis(c *Given) {
	for _, key := range []string{"profile.data", "profile.stall", "profile.exec"} {
		for _, v := range c.All(key) {
			k.profile(key, v)
		}
	}
	for _, v := range c.All("profile.trace_memory") {
		if m := bank.FindStringSubmatch(v); m != nil {
			if n, _ := strconv.Atoi(m[2]); !k.shell.Bank(m[1], n, n) {
				k.refuse("v++ 60-0", "--profile.trace_memory: platform %s has no %s", k.shell.Name, v)
			}
		} else if !strings.HasPrefix(v, "FIFO:") && v != "FIFO" {
			k.refuse("v++ 60-0", "--profile.trace_memory: invalid value %s", v)
		}
	}
	for _, key := range []string{"debug.chipscope", "debug.protocol"} {
		for _, v := range c.All(key) {
			name, port, _ := strings.Cut(v, ":")
			port, _, _ = strings.Cut(port, ":")
			k.part(key, name, port)
		}
	}
	for _, h := range HookList(c) {
		if _, err := os.Stat(h.File); err != nil {
			k.refuse("v++ 60-602", "Source file does not exist: %s", h.File)
		}
		if !slices.Contains(points, h.Point) {
			k.refuse("v++ 60-0", "there is no step '%s' to hook %s to", h.Point, h.File)
		}
	}
}

// profile checks <kernel>:<instance>:<port>(:counters|:all) (UG1393, "--profile Options").
func (k *checker) profile(key, v string) {
	p := strings.Split(v, ":")
	most := map[string]int{"profile.data": 4, "profile.stall": 3, "profile.exec": 3}[key]
	if len(p) < 2 || len(p) > most || len(p) == most && most > 0 &&
		!slices.Contains([]string{"all", "counters"}, p[most-1]) {
		k.refuse("v++ 60-0", "--%s: invalid value %s", key, v)
		return
	}
	if p[0] != "all" && !slices.ContainsFunc(k.sys.Instances, func(in Instance) bool { return in.Kernel.Name == p[0] }) {
		k.refuse("v++ 60-0", "--%s: there is no kernel %s", key, p[0])
	}
	port := ""
	if key == "profile.data" && len(p) > 2 {
		port = p[2]
	}
	k.part(key, p[1], port)
}

func (k *checker) part(key, name, port string) {
	if name == "all" {
		return
	}
	in := k.find(name)
	if in == nil {
		k.refuse("v++ 60-0", "--%s: there is no compute unit %s", key, name)
		return
	}
	if _, ok := in.Kernel.Port(port); !ok && port != "" && port != "all" {
		k.refuse("v++ 60-0", "--%s: compute unit %s has no interface %s", key, name, port)
	}
}

// Hook is a Tcl file that the linker sources.
type Hook struct {
	Point string // "vpl.impl.route_design"
	File  string
	// Implementation is set for those that run in a design that is implemented: there
	// are none in emulation.
	Implementation bool
}

// points are where hooks can be (UG1393, "--linkhook Options"), in the order in which
// they are reached.
var points = []string{"vpl.create_project", "vpl.create_bd", "compiler.userPostSysLinkOverlayTcl", "vpl.update_bd",
	"vpl.generate_target", "vpl.config_hw_runs", "vpl.synth",
	"vpl.impl", "vpl.impl.init_design", "vpl.impl.opt_design", "vpl.impl.place_design", "vpl.impl.phys_opt_design",
	"vpl.impl.route_design",
	"vpl.impl.write_bitstream"}

// HookList are the Tcl files that a configuration names, in order.
func HookList(c *Given) []Hook {
	var list []Hook
	for _, v := range c.All("advanced.param") {
		if name, file, _ := strings.Cut(v, "="); strings.HasSuffix(strings.ToLower(name), "tcl") &&
			strings.HasPrefix(name, "compiler.") {
			list = append(list, Hook{name, file, false})
		}
	}
	for _, key := range []string{"linkhook.do_first", "linkhook.do_last"} {
		for _, v := range c.All(key) {
			point, file, _ := strings.Cut(v, ",")
			list = append(list, Hook{point, strings.TrimSpace(file), strings.HasPrefix(point, "vpl.impl")})
		}
	}
	for _, v := range c.All("vivado.prop") {
		name, file, _ := strings.Cut(v, "=")
		if step, ok := strings.CutPrefix(name, "run.impl_1.STEPS."); ok &&
			(strings.HasSuffix(name, ".TCL.PRE") || strings.HasSuffix(name, ".TCL.POST")) {
			step, _, _ = strings.Cut(step, ".")
			list = append(list, Hook{"vpl.impl." + strings.ToLower(step), strings.Trim(file, "{}"), true})
		}
	}
	slices.SortStableFunc(list,
		func(a, b Hook) int { return slices.Index(points, a.Point) - slices.Index(points, b.Point) })
	return list
}

// Hooks are the Tcl files that a configuration names.
func Hooks(c *Given) []string {
	var files []string
	for _, h := range HookList(c) {
		files = append(files, h.File)
	}
	return files
}
