package synth

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Row is a module of the table.
type Row struct {
	Kernel, Module string
	Part           int // how often the kernel has it; 0: it is the kernel itself
	Result
}

// Task is a row to be made.
type task struct {
	kernel, module string
	part, around   bool
	sources        Sources
	out            []string
}

// tasks are what is to be mapped for a kernel.
func tasks(k Kernel, boxes Sources) []task {
	with := func(s Sources) Sources {
		all := Sources{}
		for _, from := range []Sources{s, boxes} {
			for name, text := range from {
				all[name] = text
			}
		}
		return all
	}
	parts := Parts(k)
	if len(parts) == 0 {
		return []task{{kernel: k.ID, module: k.Module, sources: with(k.Sources)}}
	}
	list := []task{{kernel: k.ID, module: k.Module, around: true, sources: with(around(k, parts)), out: parts}}
	for _, p := range parts {
		list = append(list, task{kernel: k.ID, module: p, part: true, sources: with(k.Sources.Below(p))})
	}
	return list
}

// Input are the kernels of a platform as they are packaged.
type Input struct {
	Kernels []Kernel
	Boxes   map[string]Sources // by kernel: modules of others, as black boxes
	Clock   int                // MHz
}

// Only leaves the kernels and parts that are named; what is not there is an error.
// A module that is no part is measured, too.
func (in Input) tasks(only []string) ([]task, error) {
	var all, list []task
	for _, k := range in.Kernels {
		all = append(all, tasks(k, in.Boxes[k.ID])...)
	}
	if len(only) == 0 {
		return all, nil
	}
	for _, name := range only {
		before := len(list)
		for _, t := range all {
			if t.kernel == name || t.part && t.module == name {
				list = append(list, t)
			}
		}
		for _, k := range in.Kernels {
			if s := k.Sources.Below(name); s != nil && before == len(list) {
				list = append(list, task{kernel: k.ID, module: name, part: true, sources: s})
			}
		}
		if before == len(list) {
			return nil, fmt.Errorf("there is no kernel or module %q", name)
		}
	}
	return list, nil
}

// Progress is told when a module is begun and when it is done.
type Progress func(done, of int, module string, err error)

// Rows maps what is asked for, some modules at a time. An error of one module does
// not keep the others from being mapped.
func Rows(ctx context.Context, in Input, only []string, jobs int, progress Progress) ([]Row, error) {
	list, err := in.tasks(only)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, len(list))
	err = each(ctx, list, jobs, progress, func(i int, t task) error {
		r, err := Measure(ctx, t.module, t.sources, t.out)
		if err == nil {
			rows[i] = Row{Kernel: t.kernel, Module: t.module, Result: *r}
			if t.part {
				rows[i].Part = 1
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, t := range list {
		if t.around {
			rows[i].sum(rows)
		}
	}
	return rows, nil
}

// each does something with all tasks, some at a time.
func each(ctx context.Context, list []task, jobs int, progress Progress, do func(i int, t task) error) error {
	errs := make([]error, len(list))
	done := make(chan int)
	var group errgroup.Group
	group.SetLimit(max(jobs, 1))
	go func() {
		for i, t := range list {
			group.Go(func() error {
				defer func() { done <- i }()
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = do(i, t)
				}
				return nil
			})
		}
	}()
	for n := range list {
		i := <-done
		progress(n+1, len(list), list[i].module, errs[i])
	}
	return errors.Join(errs...)
}

// sum makes of what is around the parts of a kernel the kernel itself: what it
// takes is what all take, and its longest path is the longest of them.
func (r *Row) sum(rows []Row) {
	for i := range rows {
		p := &rows[i]
		n := r.Parts[p.Module]
		if p.Kernel != r.Kernel || p.Part == 0 || n == 0 {
			continue
		}
		p.Part = n
		r.Use.Add(p.Use, n)
		if p.Inside.Levels > r.Inside.Levels {
			r.Inside = p.Inside.within(p.Module)
		}
	}
}

// within names the part that a path lies in.
func (p Path) within(part string) Path {
	p.Begin, p.End = part+": "+p.Begin, part+": "+p.End
	return p
}

// Has tells whether there is a kernel or module.
func (in Input) Has(name string) bool {
	return slices.ContainsFunc(in.Kernels, func(k Kernel) bool {
		return k.ID == name ||
			k.Sources.Below(name) != nil
	})
}
