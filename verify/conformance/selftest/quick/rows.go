package quick

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/conformance"
)

// rowLimit bounds all runs of a row.
const rowLimit = 2 * time.Minute

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

// result is how a row went.
type result struct {
	wrong string // what differs, empty if nothing
	took  time.Duration
	bytes int // of the largest buffer of a rank
}

// names of rows that are not those of their operation.
var names = map[string]string{"send": "send, recv", "stream_put": "stream put"}

// types are the element types of rows, in order; the first is the one that is compressed.
var types = []accl.DType{
	accl.TypeFloat32, accl.TypeFloat64, accl.TypeInt32, accl.TypeInt64, accl.TypeFloat16, accl.TypeBFloat16,
}

// narrow are the types that the first can be compressed to.
var narrow = []accl.DType{accl.TypeFloat16, accl.TypeBFloat16}

// row is a case in all its forms.
type row struct {
	conformance.Case
	name   string
	blocks bool // the largest buffer has a block for each rank
}

func (r *row) types() string {
	if r.Wire != "" {
		return string(r.Op0) + "/" + string(r.Wire)
	}
	return string(r.Op0)
}

// runAll runs every row and says at the end whether anything was wrong.
func (g *group) runAll(ctx context.Context, t *table) error {
	for _, step := range []struct {
		name string
		run  func(context.Context) (result, error)
	}{{"nop", g.nop}, {"barrier", g.barrier}} {
		if g.platform.Operation(step.name) != nil {
			if err := g.record(ctx, t, step.name, "", 0, step.run); err != nil {
				return err
			}
		}
	}
	for _, r := range g.rows() {
		err := g.record(ctx, t, r.name, r.types(), r.Count,
			func(ctx context.Context) (result, error) { return g.try(ctx, &r) })
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
func (g *group) record(
	ctx context.Context, t *table, name, types string, count int, run func(context.Context) (result, error),
) error {
	limited, cancel := context.WithTimeout(ctx, rowLimit)
	defer cancel()
	r, err := run(limited)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		r.wrong = wrong(err)
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

// rows are what the platform can do.
func (g *group) rows() []row {
	var list []row
	for i := range g.platform.Operations {
		o := &g.platform.Operations[i]
		if o.Method && o.Op0.Any() && (o.Result.At != accl.AtPeer || g.streams) {
			list = append(list, g.rowsOf(o, o.Name)...)
		}
	}
	if first, second := g.platform.Operation("allreduce"), g.platform.Operation("allgather"); first != nil &&
		second != nil {
		chained := *first
		chained.Result = second.Result
		list = append(list, g.rowsOf(&chained, conformance.Chain)...)
	}
	return list
}

// rowsOf are the rows of an operation as cases name it.
func (g *group) rowsOf(o *accl.Operation, op string) []row {
	functions := []accl.Func{""}
	if o.Reduces {
		functions = nil
		for _, f := range g.platform.ReduceFunctions {
			functions = append(functions, accl.Func(f.Name))
		}
	}
	if op == conformance.Chain {
		functions = functions[:1]
	}
	var list []row
	add := func(f accl.Func, t, wire accl.DType, n int) {
		c := conformance.Plain(g.platform, op, t, n)
		c.Func, c.Wire = f, wire
		r := row{Case: c, name: op, blocks: o.Blocks()}
		if name, is := names[op]; is {
			r.name = name
		}
		if o.Reduces && op != conformance.Chain {
			r.name += " " + string(f)
		}
		list = append(list, r)
	}
	for i, f := range functions {
		for _, t := range types {
			if _, known := g.platform.TypeBytes(t); !known || o.Reduces && !g.reduces(f, t) {
				continue
			}
			for _, n := range g.counts(o, i == 0 && t == types[0]) {
				add(f, t, "", n)
			}
		}
		for _, t := range narrow {
			if i == 0 && !o.Local && o.Result.At != accl.AtPeer && g.compresses(o, f, t) {
				add(f, types[0], t, g.fewer(many))
			}
		}
	}
	return list
}

// counts are the elements of the rows of a type: several for the first one.
func (g *group) counts(o *accl.Operation, first bool) []int {
	if !first {
		return []int{g.fewer(many)}
	}
	most := g.fewer(large)
	if o.Blocks() {
		most /= len(g.engines)
	}
	return []int{few, some, max(most, some+1)}
}

func (g *group) fewer(count int) int { return count * usualRanks / max(usualRanks, len(g.engines)) }

// compresses reports whether an operation can have the first type sent as another.
func (g *group) compresses(o *accl.Operation, f accl.Func, t accl.DType) bool {
	i := slices.IndexFunc(g.platform.Configs, func(c accl.ArithConfig) bool {
		return c.Uncompressed == types[0] && c.Compressed == t
	})
	if i < 0 || !o.Reduces {
		return i >= 0
	}
	if g.platform.Configs[i].ArithmeticIsCompressed {
		return g.reduces(f, t)
	}
	return g.reduces(f, types[0])
}

func (g *group) reduces(f accl.Func, t accl.DType) bool {
	return slices.ContainsFunc(g.platform.Functions, func(of accl.Function) bool { return of.Name == f && of.Type == t })
}
