package collectives

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cclforge/cclforge/verify/conformance/model"
	"github.com/cclforge/cclforge/verify/world"
)

func TestSummary(t *testing.T) {
	us := func(n ...int) []time.Duration {
		times := make([]time.Duration, len(n))
		for i, v := range n {
			times[i] = time.Duration(v) * time.Microsecond
		}
		return times
	}
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = 100 - i
	}
	for _, c := range []struct {
		name  string
		times []time.Duration
		bytes int
		want  Times
	}{
		{"nothing", nil, 8, Times{}},
		{"one", us(7), 14000, Times{Runs: 1, Median: 7, P99: 7, Rate: 2}},
		{"two", us(9, 3), 0, Times{Runs: 2, Median: 3, P99: 9}},
		{"odd", us(30, 10, 20), 20_000, Times{Runs: 3, Median: 20, P99: 30, Rate: 1}},
		{"hundred", us(hundred...), 0, Times{Runs: 100, Median: 50, P99: 99}},
		{"an outlier in two hundred", us(append(slices.Repeat([]int{5}, 199), 1000)...), 0,
			Times{Runs: 200, Median: 5, P99: 5}},
		{"below a microsecond", []time.Duration{250}, 500, Times{Runs: 1, Median: 0.25, P99: 0.25, Rate: 2}},
		{"no time at all", []time.Duration{0}, 500, Times{Runs: 1}},
	} {
		before := slices.Clone(c.times)
		if got := summary(c.times, c.bytes); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if !slices.Equal(before, c.times) {
			t.Errorf("%s: the times were changed", c.name)
		}
	}
}

// What results should be is held against the reference model.
func TestExpectedResults(t *testing.T) {
	all := func(ranks, n int) [][]float64 {
		in := make([][]float64, ranks)
		for i := range in {
			in[i] = make([]float64, n)
			for k := range in[i] {
				in[i][k] = float64(value(i, k))
			}
		}
		return in
	}
	models := map[string]func(ranks, n int) [][]float64{
		"copy":           all,
		"bcast":          func(ranks, n int) [][]float64 { return model.Bcast(all(ranks, n), root) },
		"scatter":        func(ranks, n int) [][]float64 { return model.Scatter(all(ranks, ranks*n), root, n) },
		"gather":         func(ranks, n int) [][]float64 { return model.Gather(all(ranks, n), root) },
		"reduce":         func(ranks, n int) [][]float64 { return model.Reduce(all(ranks, n), root, model.Sum) },
		"allgather":      func(ranks, n int) [][]float64 { return model.AllGather(all(ranks, n)) },
		"allreduce":      func(ranks, n int) [][]float64 { return model.AllReduce(all(ranks, n), model.Sum) },
		"reduce_scatter": func(ranks, n int) [][]float64 { return model.ReduceScatter(all(ranks, ranks*n), n, model.Sum) },
		"alltoall":       func(ranks, n int) [][]float64 { return model.AllToAll(all(ranks, ranks*n), n) },
		"send/recv": func(ranks, n int) [][]float64 {
			in := all(ranks, n)
			return append(in[ranks-1:ranks:ranks], in[:ranks-1]...)
		},
	}
	for i := range operations {
		o := &operations[i]
		want := models[o.name]
		if (want != nil) != o.sized {
			t.Errorf("%s: sized is %v", o.name, o.sized)
		}
		for _, ranks := range []int{1, 2, 5} {
			const n = 300
			for rank := range ranks {
				got := o.want(rank, ranks, n)
				if want == nil {
					if got.n != 0 {
						t.Errorf("%s has a result", o.name)
					}
					continue
				}
				expected := want(ranks, n)[rank]
				if got.n == 0 && rank == root == (o.name == "bcast") {
					continue // the root's operand, or nothing
				}
				if got.n != len(expected) {
					t.Fatalf("%s, rank %d of %d: %d elements, want %d", o.name, rank, ranks, got.n, len(expected))
				}
				for k := range expected {
					if float64(got.at(k)) != expected[k] {
						t.Fatalf("%s, rank %d of %d: element %d is %v, want %v", o.name, rank, ranks, k, got.at(k), expected[k])
					}
				}
			}
		}
	}
}

func TestSizes(t *testing.T) {
	find := func(name string) *operation {
		return &operations[slices.IndexFunc(operations, func(o operation) bool { return o.name == name })]
	}
	wanted := []int{4, 16, 64, 1 << 20}
	for _, c := range []struct {
		name         string
		ranks        int
		sizes, bytes []int
	}{
		{"allreduce", 8, []int{4, 16, 64, 1 << 20}, []int{4, 16, 64, 1 << 20}},
		{"allgather", 8, []int{4, 64, 1 << 20}, []int{32, 64, 1 << 20}},
		{"alltoall", 3, []int{4, 64, 1 << 20}, []int{12, 60, 1<<20 - 4}},
		{"barrier", 8, []int{0}, []int{0}},
	} {
		o := find(c.name)
		sizes := o.sizes(wanted, c.ranks)
		if !slices.Equal(sizes, c.sizes) {
			t.Errorf("%s, %d ranks: sizes %v, want %v", c.name, c.ranks, sizes, c.sizes)
		}
		for i, size := range sizes {
			if got := o.bytes(o.block(size, c.ranks), c.ranks); got != c.bytes[i] {
				t.Errorf("%s, %d ranks, size %d: %d bytes, want %d", c.name, c.ranks, size, got, c.bytes[i])
			}
		}
	}
}

// A real run: every operation, two ranks, two sizes.
func TestRun(t *testing.T) {
	o := Defaults()
	o.Ranks, o.Sizes, o.Time, o.OpenMPI, o.Figures, o.Ways = []int{2}, []int{4, 100_000}, time.Nanosecond,
		false, false, []int{1, 3}
	var out, progress strings.Builder
	dir := t.TempDir()
	if err := Run(t.Context(), o, dir, &out, &progress); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, ResultFile))
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var r Report
	if err := decoder.Decode(&r); err != nil {
		t.Fatal(err)
	}
	points := 0
	for i := range operations {
		op := &operations[i]
		if !strings.Contains(progress.String(), op.name) || !strings.Contains(out.String(), op.name) {
			t.Errorf("%s is not announced or not in the table", op.name)
		}
		for _, size := range op.sizes(o.Sizes, 2) {
			points++
			p := r.point(op.name, 2, size)
			if p == nil {
				t.Errorf("%s of %d bytes is missing", op.name, size)
				continue
			}
			if p.Median <= 0 || p.P99 < p.Median || p.Runs < fewestRuns || (p.Rate > 0) != op.sized || p.OpenMPI != nil ||
				p.Ratio != 0 {
				t.Errorf("%s of %d bytes: %+v", op.name, size, p)
			}
		}
	}
	if points != len(r.Points) {
		t.Errorf("%d points, want %d", len(r.Points), points)
	}
	if r.Machine.Cores < 1 || r.Machine.Go == "" || r.Platform != o.Platform {
		t.Errorf("machine %+v, platform %q", r.Machine, r.Platform)
	}
	if len(r.Ways) != 2*len(ways) {
		t.Errorf("%d points of ways, want %d", len(r.Ways), 2*len(ways))
	}
	for i, p := range r.Ways {
		want := WayPoint{Way: ways[i%len(ways)].name, Ranks: []int{1, 3}[i/len(ways)]}
		if p.Way != want.Way || p.Ranks != want.Ranks || p.Calls <= 0 || p.Small.Runs < fewestRuns || p.Bulk.Median <= 0 {
			t.Errorf("way %d is %+v, want %s on %d ranks", i, p, want.Way, want.Ranks)
		}
		if !strings.Contains(out.String(), p.Way) {
			t.Errorf("%s is not in the table", p.Way)
		}
	}
	wellFormed(t, r.Plot())
}

// An operation that a platform does not have is left out.
func TestUnsupportedOperations(t *testing.T) {
	o := Defaults()
	o.Platform, o.Operations = "u280_manual", []string{"bcast", "alltoall"}
	o.Ranks, o.Sizes, o.Time, o.OpenMPI, o.Figures, o.Ways = []int{2}, []int{64}, time.Nanosecond, false, false, nil
	r, err := Measure(t.Context(), o, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Points) != 1 || r.Points[0].Operation != "bcast" {
		t.Errorf("%+v", r.Points)
	}
}

// A result that differs is found, wherever it is.
func TestWrongResultsAreFound(t *testing.T) {
	d, err := world.Design("u55c_tcp", "")
	if err != nil {
		t.Fatal(err)
	}
	err = with(t.Context(), d, 2, 4000, func(g *group) error {
		for _, at := range []int{0, 500, 999} {
			wrong := operations[slices.IndexFunc(operations, func(o operation) bool { return o.name == "copy" })]
			wrong.want = func(rank, _, n int) result {
				return result{n, func(k int) float32 {
					if k == at {
						return 0
					}
					return value(rank, k)
				}}
			}
			if err := g.check(t.Context(), &wrong, 1000); !errors.Is(err, ErrDiffers) {
				t.Errorf("element %d: %v", at, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A rank that fails ends the measurement of all.
func TestFailureEndsAll(t *testing.T) {
	d, err := world.Design("u55c_tcp", "")
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err = with(t.Context(), d, 3, 0, func(g *group) error {
		runs := 0
		o := operation{name: "broken", perform: func(ctx context.Context, c *call) error {
			if c.rank() == 1 {
				if runs++; runs == 3 {
					return broken
				}
			}
			return failed(c.engine.Nop(ctx))
		}}
		_, err := g.measure(t.Context(), &o, 0, time.Hour)
		if !errors.Is(err, broken) {
			t.Errorf("the error is %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := g.measure(ctx, &operations[0], 0, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestUnknown(t *testing.T) {
	for _, change := range []func(*Options){
		func(o *Options) { o.Operations = []string{"allreduce", "allseduce"} },
		func(o *Options) { o.Ranks = []int{2, 0} },
		func(o *Options) { o.Sizes = []int{3} },
		func(o *Options) { o.Platform = "nowhere" },
	} {
		o := Defaults()
		change(&o)
		if _, err := Measure(t.Context(), o, func(string) {}); err == nil {
			t.Errorf("no error for %+v", o)
		}
	}
}

func TestParseTimes(t *testing.T) {
	got, err := parseTimes("1500 20 \n", 2)
	if err != nil || !slices.Equal(got, []time.Duration{1500, 20}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, line := range []string{"", "1", "1 2 3", "1 -2", "1 x"} {
		if _, err := parseTimes(line, 2); err == nil {
			t.Errorf("no error for %q", line)
		}
	}
}

// OpenMPI's ranks answer every operation that there is something to compare
// with.
func TestOpenMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and starts ranks of OpenMPI")
	}
	m, err := findOpenMPI(t.Context(), t.TempDir())
	if err != nil {
		t.Skip(err)
	}
	r, err := m.start(t.Context(), 2, 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	for i := range operations {
		o := &operations[i]
		if o.alone {
			continue
		}
		times, err := r.run(o, o.block(1<<16, 2), 4)
		if err != nil || len(times) != 4 || slices.Min(times) <= 0 {
			t.Errorf("%s: %v, %v", o.name, times, err)
		}
	}
	if err := r.close(); err != nil {
		t.Error(err)
	}
}

// The loop that is simulated is its source, compiled.
func TestLoopIsItsSource(t *testing.T) {
	const gcc = "riscv64-unknown-elf-gcc"
	if _, err := exec.LookPath(gcc); err != nil {
		t.Skip(gcc + " is not installed")
	}
	elf, bin := filepath.Join(t.TempDir(), "loop.elf"), filepath.Join(t.TempDir(), "loop.bin")
	for _, args := range [][]string{
		{gcc, "-march=rv32im", "-misa-spec=2.2", "-mabi=ilp32", "-Os", "-fno-jump-tables", "-ffreestanding", "-nostdlib",
			"-Wl,-Ttext=0", "-Wl,--no-relax", "-Wl,-m,elf32lriscv", "-o", elf, "testdata/loop.c"},
		{"riscv64-unknown-elf-objcopy", "-O", "binary", "-j", ".text", elf, bin},
	} {
		if text, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	built, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(built, loop) {
		version, _ := exec.CommandContext(t.Context(), gcc, "-dumpversion").Output()
		t.Skipf("SKIPPED: %s makes something else of it", bytes.TrimSpace(version))
	}
}

func TestInstructionRate(t *testing.T) {
	var r Report
	if err := r.instructionRate(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if len(r.Figures) != 1 || r.Figures[0].Value <= 0 {
		t.Errorf("%+v", r.Figures)
	}
}

func TestElementBytes(t *testing.T) {
	if n := unsafe.Sizeof(value(0, 0)); n != elementBytes {
		t.Errorf("%d bytes", n)
	}
}

// A message between engines on sockets, and the stream it is compared with,
// arrive.
func TestStreamsCarryEverything(t *testing.T) {
	s, err := newStream()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for i := range s.data {
		s.data[i] = byte(i * 7)
	}
	if err := s.carry(t.Context()); err != nil || !bytes.Equal(s.data, s.arrived) {
		t.Errorf("the stream carried something else: %v", err)
	}
}
