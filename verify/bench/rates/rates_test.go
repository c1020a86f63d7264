package rates_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/bench/rates"
	"github.com/cclforge/cclforge/verify/target"
	"github.com/cclforge/cclforge/verify/world"
)

func TestSizes(t *testing.T) {
	for _, test := range []struct {
		text string
		want []int
	}{
		{"4", []int{4}},
		{"64KiB", []int{65536}},
		{"1K, 8B,1MiB", []int{8, 1024, 1 << 20}},
		{"1KiB:16KiB:x2", []int{1024, 2048, 4096, 8192, 16384}},
		{"1KiB:17KiB:x4", []int{1024, 4096, 16384}},
		{"1KiB:4KiB", []int{1024, 2048, 4096}},
		{"1KiB:4KiB:+1KiB", []int{1024, 2048, 3072, 4096}},
		{"2:9:x1.5", []int{2, 3, 4, 6, 9}},
		{"8:8:x2", []int{8}},
		{"8GiB:16GiB:x17179869183", []int{8 << 30}},
	} {
		if got, err := rates.Sizes(test.text); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, %v; expected is %v", test.text, got, err, test.want)
		}
	}
	for _, text := range []string{"", "0", "-4", "4TiB", "1KiB:", "8:4", "4:8:x1", "4:8:+0", "4:8:3", "1:1000000:+1",
		"17GiB", "x", "99999999999GiB", "4:8:xNaN", "4:8:x+Inf"} {
		got, err := rates.Sizes(text)
		assert.Check(t, errors.Is(err, rates.ErrSizes), "%q: %v, %v", text, got, err)
	}
}

// The limits as they are published: 12.5 GB/s of 100 GbE, of which packets of 4096 bytes
// leave 98.4 %, and 64 bytes a cycle of 250 MHz.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		platform, operation string
		want                float64
	}{
		{"u55c_tcp", "allreduce", 12.5 * 4096 / 4162}, {"u55c_tcp", "send", 12.3}, {"u55c_udp", "bcast", 12.3},
		{"u55c_tcp", "copy", 16}, {"u55c_tcp", "combine", 16}, {"u55c_axis3x", "allreduce", 16},
	} {
		p, err := world.Platform(test.platform, "")
		assert.NilError(t, err)
		if got, _ := rates.Limit(p, test.operation); math.Abs(got-test.want) > 0.005 {
			t.Errorf("%s of %s: %v; expected is %v", test.operation, test.platform, got, test.want)
		}
	}
}

func run(t *testing.T, where target.Options, o rates.Options) (*rates.Report, string, error) {
	t.Helper()
	where.Env = func(string) (string, bool) { return "", false }
	w, err := target.Open(t.Context(), where)
	assert.NilError(t, err)
	t.Cleanup(func() { w.Close() })
	var out strings.Builder
	table := rates.NewTable(&out, w, o)
	r, err := rates.Run(t.Context(), w, o, table.Row)
	table.End()
	return r, out.String(), err
}

// busbw by algbw, as nccl-tests' documentation of performance has it.
var published = map[string]func(n float64) float64{
	"allreduce":      func(n float64) float64 { return 2 * (n - 1) / n },
	"allgather":      func(n float64) float64 { return (n - 1) / n },
	"reduce_scatter": func(n float64) float64 { return (n - 1) / n },
	"alltoall":       func(n float64) float64 { return (n - 1) / n },
	"scatter":        func(n float64) float64 { return (n - 1) / n },
	"gather":         func(n float64) float64 { return (n - 1) / n },
	"bcast":          func(float64) float64 { return 1 },
	"reduce":         func(float64) float64 { return 1 },
	"send":           func(float64) float64 { return 1 },
}

// bothForms are the operations that nccl-tests have in place, too, without those whose
// data would be overwritten, and scan.
var bothForms = []string{"scan", "allreduce", "allgather", "reduce_scatter", "reduce", "scatter", "gather"}

func TestRates(t *testing.T) {
	const ranks = 3
	o := rates.Options{Sizes: []int{12, 6000}, Iterations: 4, Warmup: 1, Root: 1}
	r, table, err := run(t, target.Options{On: "u55c_tcp", Ranks: ranks}, o)
	assert.NilError(t, err)
	p, err := world.Platform("u55c_tcp", "")
	assert.NilError(t, err)
	seen := map[string]int{}
	for _, row := range r.Rows {
		seen[row.Operation]++
		if row.Time <= 0 || row.Least <= 0 || row.Least > row.Median || row.Median > row.P99 || row.Iterations != 4 ||
			row.Wrong != 0 {
			t.Errorf("%+v", row)
		}
		if row.Size == 0 {
			continue
		}
		bus := 1.0
		if f := published[row.Operation]; f != nil {
			bus = f(ranks)
		}
		alg := float64(row.Size) / (row.Time * 1e3) // bytes a nanosecond are GB/s
		if math.Abs(row.AlgBW/alg-1) > 1e-9 || math.Abs(row.BusBW/(alg*bus)-1) > 1e-9 {
			t.Errorf("%+v: %v and %v are expected", row, alg, alg*bus)
		}
		inPlace, in := slices.Contains(bothForms, row.Operation), row.InPlace
		ordered := 0 < in.Least && in.Least <= in.Median && in.Median <= in.P99
		assert.Check(t, inPlace == ordered && in.Wrong == 0, "in place: %+v", row)
		if inPlace && math.Abs(in.BusBW/(float64(row.Size)/(in.Time*1e3)*bus)-1) > 1e-9 {
			t.Errorf("in place: %+v", row)
		}
		blocks := 1
		if published[row.Operation] != nil && published[row.Operation](ranks) < 1 {
			blocks = ranks
		}
		assert.Check(t, is.Equal(row.Size, row.Count*4*blocks),
			"%+v: %d elements of 4 bytes are not that size", row, row.Count)
	}
	for _, code := range p.Operations {
		want := 2
		switch code.Name {
		case "recv", "config", "stream_put": // part of send, of opening, and for the kernel to say
			continue
		case "barrier", "nop":
			want = 1
		}
		assert.Check(t, seen[code.Name] == want, "%s has %d rows, not %d", code.Name, seen[code.Name], want)
	}
	for _, text := range []string{"# allreduce; limit of busbw 12.30 GB/s (100 GbE)", "latency (us)", "#wrong",
		"bandwidth (MB/s)"} {
		assert.Check(t, is.Contains(table, text), "the table does")
	}
	withData := map[string]bool{}
	for _, row := range r.Rows {
		if row.Size > 0 {
			withData[row.Operation] = true
		}
	}
	averages(t, table, len(withData)-1) // all but send
	text, err := json.Marshal(r)
	var again rates.Report
	assert.Check(t, err == nil && json.Unmarshal(text, &again) == nil && slices.Equal(again.Rows, r.Rows),
		"%s, %v", text, err)
	picture := r.Plot()
	d := xml.NewDecoder(strings.NewReader(picture))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if lines := strings.Count(picture, "<polyline"); lines != 2*len(withData) { // measured and limit
		t.Errorf("%d lines of %d operations", lines, len(withData))
	}
}

// averages holds the averages of a table against its columns: as nccl-tests have it, they
// are those of both forms.
func averages(t *testing.T, table string, want int) {
	t.Helper()
	tables := 0
	for text := range strings.SplitSeq(table, "\n\n") {
		if !strings.Contains(text, "busbw") {
			continue
		}
		sum, n := 0.0, 0.0
		for line := range strings.Lines(text) {
			if average, ok := strings.CutPrefix(line, "# Avg bus bandwidth    : "); ok {
				got, err := strconv.ParseFloat(strings.TrimSpace(average), 64)
				if err != nil || n == 0 || math.Abs(got-sum/n) > 0.0011 {
					t.Errorf("%v, %v of\n%s", got, err, text)
				}
				tables++
			}
			if f := strings.Fields(line); len(f) == 13 && f[0] != "#" {
				for _, column := range []int{7, 11} {
					if f[column] != "N/A" {
						bus, err := strconv.ParseFloat(f[column], 64)
						assert.Check(t, err)
						sum, n = sum+bus, n+1
					}
				}
			}
		}
	}
	assert.Check(t, tables == want, "%d averages, not %d", tables, want)
}

// device is what engines are opened with.
type device interface {
	accl.Device
	accl.SessionOpener
}

type broken struct {
	device
	edit func(*accl.Call) error
}

func (b *broken) Start(ctx context.Context, client int, c accl.Call) (accl.Ticket, error) {
	if err := b.edit(&c); err != nil {
		return 0, err
	}
	return b.device.Start(ctx, client, c)
}

var errWorn = errors.New("the engine is worn out")

func TestWrongResultsAreCounted(t *testing.T) {
	emulated := target.Kinds()[0]
	var edit func(*accl.Call) error
	target.Register(target.Kind{Name: "broken", Open: func(ctx context.Context, r *target.Request) (*target.Part, error) {
		part, err := emulated.Open(ctx, r)
		if err == nil {
			part.Devices[1] = &broken{part.Devices[1].(device), func(c *accl.Call) error { return edit(c) }}
		}
		return part, err
	}})
	where := target.Options{On: "broken:u55c_tcp", Ranks: 2}
	o := rates.Options{Only: []string{"copy"}, Sizes: []int{400, 800}, Iterations: 2}
	edit = func(c *accl.Call) error {
		if c.Count == 200 {
			c.Count -= 3
		}
		return nil
	}
	r, table, err := run(t, where, o)
	if !errors.Is(err, rates.ErrWrong) || r.Wrong != 3 || len(r.Rows) != 2 || r.Rows[0].Wrong != 0 ||
		r.Rows[1].Wrong != 3 || !strings.Contains(table, "       3         N/A") {
		t.Errorf("%+v, %v\n%s", r, err, table)
	}
	// What is wrong in place alone is told there.
	edit = func(c *accl.Call) error {
		if c.Addr0 == c.Addr2 {
			c.Addr2 += 4
		}
		return nil
	}
	o.Only = []string{"reduce"}
	o.Root = 1
	r, table, err = run(t, where, o)
	if !errors.Is(err, rates.ErrWrong) || len(r.Rows) != 2 || r.Rows[0].Wrong != 0 || r.Rows[0].InPlace.Wrong == 0 {
		t.Errorf("%+v, %v\n%s", r, err, table)
	}
	o.Only, o.Root = []string{"copy"}, 0
	edit = func(c *accl.Call) error {
		if c.Count == 200 {
			return errWorn
		}
		return nil
	}
	if _, _, err := run(t, where, o); err == nil || errors.Is(err, rates.ErrWrong) || !strings.Contains(err.Error(),
		"measure copy of 800 bytes: rank 1: ") || !strings.Contains(err.Error(), errWorn.Error()) {
		t.Error(err)
	}
}

// silent is an engine that does not say when a call has ended.
type silent struct {
	device
	says atomic.Int64 // calls that it says of
}

func (s *silent) Wait(ctx context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	if s.says.Add(-1) < 0 {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	return s.device.Wait(ctx, t)
}

// A call that does not end ends the run, which says which one that was.
func TestCallsThatDoNotEnd(t *testing.T) {
	emulated := target.Kinds()[0]
	var engine *silent
	target.Register(target.Kind{Name: "silent", Open: func(ctx context.Context, r *target.Request) (*target.Part, error) {
		part, err := emulated.Open(ctx, r)
		if err == nil {
			engine = &silent{device: part.Devices[1].(device)}
			engine.says.Store(math.MaxInt64)
			part.Devices[1] = engine
		}
		return part, err
	}})
	o := rates.Options{Only: []string{"bcast"}, Sizes: []int{800}, Iterations: 9, Warmup: 1, Limit: 2 * time.Second}
	w, err := target.Open(t.Context(), target.Options{On: "silent:u55c_tcp", Ranks: 2,
		Env: func(string) (string, bool) { return "", false }})
	assert.NilError(t, err)
	defer w.Close()
	engine.says.Store(3)
	_, err = rates.Run(t.Context(), w, o, nil)
	engine.says.Store(math.MaxInt64)
	if !errors.Is(err, rates.ErrLimit) ||
		!strings.Contains(err.Error(), "measure bcast of 800 bytes: rank 1: not done in time: iteration 4 after 2s") {
		t.Error(err)
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	for text, o := range map[string]rates.Options{
		`no operation "nix"`:     {Only: []string{"nix"}},
		"the root 2 of 2":        {Root: 2},
		"the type int8":          {Type: "int8"},
		"float32, sent as int32": {Wire: "int32"},
		"-1 iterations":          {Iterations: -1},
		"the limit -1s":          {Limit: -time.Second},
	} {
		_, _, err := run(t, target.Options{On: "u55c_tcp", Ranks: 2}, o)
		assert.Check(t, errors.Is(err, rates.ErrOption) && strings.Contains(err.Error(), text), "%s: %v", text, err)
	}
}
