package platform

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/lang"
)

// resolveLikes gives kernels what they take over from the kernels that they are
// like.
func resolveLikes(kernels map[string]*Kernel) hcl.Diagnostics {
	var diags hcl.Diagnostics
	done := map[string]bool{}
	var resolve func(k *Kernel, chain []string)
	resolve = func(k *Kernel, chain []string) {
		if k.kernelBlock.Like == nil || done[k.ID] {
			return
		}
		done[k.ID] = true
		chain = append(chain, k.ID)
		base, ok := kernels[*k.kernelBlock.Like]
		switch {
		case !ok:
			diags = append(diags, lang.Errorf(k.LikeRange, "Unknown kernel", "There is no kernel %q to be like. %s",
				*k.kernelBlock.Like, lang.Choices(*k.kernelBlock.Like, sortedKeys(kernels))))
		case slices.Contains(chain, base.ID):
			circle := append(slices.Clone(chain[slices.Index(chain, base.ID):]), base.ID)
			diags = append(diags, lang.Errorf(k.LikeRange, "Kernels in a circle",
				"These kernels are like each other: %s. One of them says all by itself.", strings.Join(circle, " → ")))
		default:
			resolve(base, chain)
			k.takeOver(base)
		}
	}
	for _, id := range sortedKeys(kernels) {
		resolve(kernels[id], nil)
	}
	return diags
}

// takeOver fills in what a kernel does not say itself. Its name, its doc and
// whether it is the default of its role are always its own.
func (k *Kernel) takeOver(base *Kernel) {
	variables := base.fileVariables()
	k.Like = base.ID
	k.Role, k.Each = cmp.Or(k.Role, base.Role), cmp.Or(k.Each, base.Each)
	k.Control, k.Origin = cmp.Or(k.Control, base.Control), cmp.Or(k.Origin, base.Origin)
	k.Registers = cmp.Or(k.Registers, base.Registers)
	k.HLS, k.Shell = cmp.Or(k.HLS, base.HLS), cmp.Or(k.Shell, base.Shell)
	k.kernelBlock.Calls = cmp.Or(k.kernelBlock.Calls, base.kernelBlock.Calls)
	if k.XO == nil {
		k.XO = base.XO.bind(variables)
	}
	if k.Source == "" {
		k.Source = base.Source
		if k.HLS != nil {
			k.Source = SourceHLS
		}
	}
	if k.Place == "" {
		k.Place, k.PlaceRange = base.Place, base.PlaceRange
	}
	if k.Registers == base.Registers && k.RegistersRange.Filename == "" {
		k.RegistersRange = base.RegistersRange
	}
	if k.Needs == nil {
		k.Needs = base.Needs
	}
	if k.Pointers == nil {
		k.Pointers, k.PointersRange = base.Pointers, base.PointersRange
	}
	if k.Nets == nil {
		k.Nets = base.Nets
	}
	if k.Functions == nil {
		k.Functions = base.Functions
	}
	if k.Conversions == nil {
		k.Conversions = base.Conversions
	}
	if !lang.Present(k.When) {
		k.When = lang.Bind(base.When, variables)
	}
	if !lang.Present(k.Instance) {
		k.Instance = lang.Bind(base.Instance, variables)
	}
	inherited := slices.Clone(base.Ports)
	for i := range inherited {
		inherited[i].bind(variables)
	}
	k.Ports = overlay(inherited, k.Ports, func(p KernelPort) string { return p.Label })
	k.Arguments = overlay(base.Arguments, k.Arguments, func(a KernelArgument) string { return a.Name })
	k.Described = overlay(base.Described, k.Described, func(r KernelRegister) string { return r.Name })
	k.Facts = overlay(base.Facts, k.Facts, func(f KernelFact) string { return f.Name })
	for _, file := range base.Files {
		if !slices.Contains(k.Files, file) {
			k.Files = append(k.Files, file)
		}
	}
}

// overlay replaces items of base by own ones of the same name, and appends the
// other own ones.
func overlay[T any](base, own []T, name func(T) string) []T {
	out := slices.Clone(base)
	for _, item := range own {
		if i := slices.IndexFunc(base, func(b T) bool { return name(b) == name(item) }); i >= 0 {
			out[i] = item
		} else {
			out = append(out, item)
		}
	}
	return out
}

// fileVariables are the variables that the file of a kernel has of its own.
func (k *Kernel) fileVariables() map[string]cty.Value {
	out := map[string]cty.Value{}
	for _, name := range []string{"var", "local"} {
		if v, ok := k.context[name]; ok {
			out[name] = v
		}
	}
	return out
}

func (p *KernelPort) bind(variables map[string]cty.Value) {
	for _, expr := range []*hcl.Expression{&p.Name, &p.Repeat, &p.When, &p.Width, &p.TDEST, &p.Joins, &p.Depth, &p.Memory,
		&p.AddressRange, &p.Required} {
		*expr = lang.Bind(*expr, variables)
	}
	if c := p.ClosedBy; c != nil {
		p.ClosedBy = &ClosedBy{c.Kernel, lang.Bind(c.Instance, variables), lang.Bind(c.To, variables), c.Range}
	}
}
