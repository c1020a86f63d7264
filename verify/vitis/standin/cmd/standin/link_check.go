package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// System is what is linked.
type System struct {
	Instances []Instance
	Streams   []Stream
	// Converters are streams whose ends differ in width by a whole factor, for which
	// the linker puts a converter in between.
	Converters []string
	Banks      map[string]string // memory ports of instances and their banks
	SLRs       map[string]int
}

// Instance is a compute unit.
type Instance struct {
	Name   string
	Kernel *standin.Kernel
}

// Stream is a connection of two streams.
type Stream struct{ From, To string }

// checker collects all that is wrong, as cfgen does.
type checker struct {
	shell *standin.Shell
	sys   *System
	ends  map[string]string // ports that are connected, and with what
	errs  []error
}

// Check links kernels along a configuration. The error joins those of all lines.
// Codes of messages are the vendor's where public logs show them, and 0 where our
// wording stands for one that they do not.
func Check(c *Given, kernels []*standin.Kernel, sh *standin.Shell) (*System, error) {
	k := &checker{shell: sh, sys: &System{Banks: map[string]string{}, SLRs: map[string]int{}},
		ends: map[string]string{}}
	k.instances(c.All("connectivity.nk"), kernels)
	for _, v := range c.All("connectivity.slr") {
		k.slr(v)
	}
	for _, v := range c.All("connectivity.sp") {
		k.bank(v)
	}
	for _, v := range slices.Concat(c.All("connectivity.sc"), c.All("connectivity.stream_connect")) {
		k.stream(v)
	}
	if len(k.errs) == 0 {
		k.open()
		k.analysis(c)
	}
	if len(k.errs) > 0 {
		return nil, errors.Join(k.errs...)
	}
	return k.sys, nil
}

func (k *checker) refuse(code, format string, args ...any) {
	k.errs = append(k.errs, refuse(code, format, args...))
}

// instances reads nk lines: kernel:count:name.name; in 2024.2 documented with commas.
func (k *checker) instances(lines []string, kernels []*standin.Kernel) {
	named := map[string]bool{}
	for _, v := range lines {
		parts := strings.Split(v, ":")
		i := slices.IndexFunc(kernels, func(x *standin.Kernel) bool { return x.Name == parts[0] })
		if i < 0 {
			k.refuse("CFGEN 83-0", "--nk tag applied to an invalid kernel name: %s", parts[0])
			continue
		}
		if named[parts[0]] {
			k.refuse("CFGEN 83-0", "--nk tag given more than once for kernel: %s", parts[0])
			continue
		}
		named[parts[0]] = true
		n := 1
		var err error
		if len(parts) > 1 {
			if n, err = strconv.Atoi(parts[1]); err != nil || n < 1 {
				k.refuse("CFGEN 83-0", "--nk tag has an invalid number of instances: %s", v)
				continue
			}
		}
		var names []string
		switch {
		case len(parts) > 3:
			k.refuse("CFGEN 83-0", "Malformed --nk switch argument: %s", v)
			continue
		case len(parts) == 3:
			if names = strings.FieldsFunc(parts[2], func(r rune) bool { return r == '.' || r == ',' }); len(names) != n {
				k.refuse("CFGEN 83-0", "--nk tag for kernel %s asks for %d instances and names %d", parts[0], n, len(names))
				continue
			}
		default:
			for j := range n {
				names = append(names, fmt.Sprintf("%s_%d", parts[0], j+1))
			}
		}
		for _, name := range names {
			k.instance(name, kernels[i])
		}
	}
	for _, x := range kernels { // one of each that is not mentioned
		if !named[x.Name] {
			k.instance(x.Name+"_1", x)
		}
	}
}

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func (k *checker) instance(name string, of *standin.Kernel) {
	switch {
	case !identifier.MatchString(name):
		k.refuse("CFGEN 83-0", "--nk tag has an invalid instance name: %s", name)
	case k.find(name) != nil:
		k.refuse("CFGEN 83-0", "--nk tag uses an instance name more than once: %s", name)
	default:
		k.sys.Instances = append(k.sys.Instances, Instance{name, of})
	}
}

func (k *checker) find(name string) *Instance {
	for i, in := range k.sys.Instances {
		if in.Name == name {
			return &k.sys.Instances[i]
		}
	}
	return nil
}

func (k *checker) slr(v string) {
	name, place, _ := strings.Cut(v, ":")
	number, ok := strings.CutPrefix(place, "SLR")
	n, err := strconv.Atoi(number)
	switch {
	case k.find(name) == nil:
		k.refuse("CFGEN 83-0", "--slr tag applied to an invalid kernel instance: %s", name)
	case !ok || err != nil || n < 0 || n >= k.shell.SLRs:
		k.refuse("CFGEN 83-0", "--slr tag has an invalid SLR for platform %s: %s", k.shell.Name, v)
	default:
		if was, ok := k.sys.SLRs[name]; ok && was != n {
			k.refuse("CFGEN 83-0", "--slr tag given more than once for kernel instance: %s", name)
		}
		k.sys.SLRs[name] = n
	}
}

var bank = regexp.MustCompile(`^([A-Z]+)(?:\[(\d+)(?::(\d+))?\])?$`)

func (k *checker) bank(v string) {
	target, tag, _ := strings.Cut(v, ":")
	name, port, _ := strings.Cut(target, ".")
	in := k.find(name)
	if in == nil {
		k.refuse("CFGEN 83-0", "--sp tag applied to an invalid kernel instance: %s", name)
		return
	}
	if p, ok := in.Kernel.Port(port); !ok || !p.Memory() {
		k.refuse("CFGEN 83-2292", "--sp tag applied to an invalid port or argument name: %s", port)
		return
	}
	m := bank.FindStringSubmatch(tag)
	if m == nil {
		k.refuse("CFGEN 83-0", "Malformed --sp switch argument: %s", v)
		return
	}
	first, _ := strconv.Atoi(m[2])
	last := first
	if m[3] != "" {
		last, _ = strconv.Atoi(m[3])
	}
	if !k.shell.Bank(m[1], first, last) {
		k.refuse("CFGEN 83-0", "--sp tag has an invalid memory resource for platform %s: %s", k.shell.Name, tag)
		return
	}
	k.sys.Banks[target] = tag
}

// open finds streams that lead nowhere. These platforms have no streams from and to
// the host, so that each of a kernel's must be connected.
func (k *checker) open() {
	for _, in := range k.sys.Instances {
		for _, p := range in.Kernel.Ports {
			end := in.Name + "." + p.Name
			if _, ok := k.ends[end]; p.Stream() && !ok && !p.Open {
				k.refuse("CFGEN 83-2284", `No stream resources found that can accomodate compute unit "%s"`, end)
			}
		}
	}
}
