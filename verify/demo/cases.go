package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

// caseLimit bounds all runs of a case.
const caseLimit = 2 * time.Minute

// Counts of elements. Most divide nothing.
const (
	few   = 1
	some  = 1000
	many  = 10_007
	large = 262_147
)

// usualRanks is up to how many ranks the counts are as they stand; beyond, they
// are fewer, as else the work would grow with the square of the ranks.
const usualRanks = 4

// result is how a case went.
type result struct {
	wrong string // what differs, empty if nothing
	took  time.Duration
	bytes int // of the largest buffer of a rank
}

// instance is an operation with everything that it leaves open.
type instance struct {
	*operation
	kind     kind
	count    int
	function accl.Func // of an operation that reduces
	wire     accl.DType
}

func (c *instance) name() string {
	if !c.reduces || c.chained {
		return c.operation.name
	}
	return c.operation.name + " " + string(c.function)
}

func (c *instance) types() string {
	if c.wire != "" {
		return string(c.kind.dtype) + "/" + string(c.wire)
	}
	return string(c.kind.dtype)
}

// runAll runs every case and says at the end whether anything was wrong.
func (g *group) runAll(ctx context.Context, t *table) error {
	for _, step := range []struct {
		name string
		run  func(context.Context) (result, error)
	}{{"nop", g.nop}, {"barrier", g.barrier}} {
		if g.has(step.name) {
			if err := g.record(ctx, t, step.name, "", 0, step.run); err != nil {
				return err
			}
		}
	}
	for _, c := range g.cases() {
		err := g.record(ctx, t, c.name(), c.types(), c.count, func(ctx context.Context) (result, error) { return g.try(ctx, &c) })
		if err != nil {
			return err
		}
	}
	if t.failed > 0 {
		return fmt.Errorf("%w: %d of %d", ErrDiffers, t.failed, t.rows)
	}
	return nil
}

// record runs something and prints how it went. A call that failed leaves the
// ranks in disagreement, so that all are reset; the error says that this is not
// possible.
func (g *group) record(ctx context.Context, t *table, name, types string, count int, run func(context.Context) (result, error)) error {
	limited, cancel := context.WithTimeout(ctx, caseLimit)
	defer cancel()
	r, err := run(limited)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		r.wrong = err.Error()
	}
	t.row(name, types, count, r)
	if err == nil {
		return nil
	}
	if err := g.each(func(i int) error { return g.engines[i].Reset(ctx) }); err != nil {
		return fmt.Errorf("reset after %s has failed: %w", name, err)
	}
	return nil
}

// has reports whether the generation has all operations.
func (g *group) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(g.platform.Operations, func(c accl.Code) bool { return c.Name == name })
	})
}

// cases are what the platform can do.
func (g *group) cases() []instance {
	var list []instance
	for i := range operations {
		o := &operations[i]
		if !g.has(o.needs...) || o.streams && !g.streams {
			continue
		}
		for i, f := range g.platform.ReduceFunctions {
			if i > 0 && (!o.reduces || o.chained) {
				break
			}
			list = append(list, g.casesOf(o, accl.Func(f.Name), i == 0)...)
		}
	}
	return list
}

func (g *group) casesOf(o *operation, function accl.Func, first bool) []instance {
	var list []instance
	for _, k := range kinds {
		if !g.moves(k.dtype) || o.reduces && !g.reduces(function, k.dtype) {
			continue
		}
		counts := []int{g.fewer(many)}
		if k.dtype == accl.TypeFloat32 && first {
			most := g.fewer(large)
			if o.a == each || o.result == each {
				most /= len(g.engines)
			}
			counts = []int{few, some, max(most, some+1)}
		}
		for _, n := range counts {
			list = append(list, instance{o, k.reduced(function), n, function, ""})
		}
	}
	for _, t := range narrow {
		if o.wire && first && g.compresses(o, function, t) {
			list = append(list, instance{o, wide.within(kindOf(t).span), g.fewer(many), function, t})
		}
	}
	return list
}

func (g *group) fewer(count int) int { return count * usualRanks / max(usualRanks, len(g.engines)) }

// compresses reports whether an operation can have float32 sent as another type.
func (g *group) compresses(o *operation, function accl.Func, t accl.DType) bool {
	i := slices.IndexFunc(g.platform.Configs, func(c accl.ArithConfig) bool {
		return c.Uncompressed == wide.dtype && c.Compressed == t
	})
	if i < 0 || !o.reduces {
		return i >= 0
	}
	if g.platform.Configs[i].ArithmeticIsCompressed {
		return g.reduces(function, t)
	}
	return g.reduces(function, wide.dtype)
}

// moves reports whether the platform knows a type; for those that it only moves
// the driver adds a configuration.
func (g *group) moves(t accl.DType) bool {
	_, known := g.platform.TypeBytes(t)
	return known
}

func (g *group) reduces(function accl.Func, t accl.DType) bool {
	return slices.ContainsFunc(g.platform.Functions, func(f accl.Function) bool {
		return f.Name == function && f.Type == t
	})
}
