package conformance_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/conformance"
)

// generations are platforms that cover the generations and their transports.
var generations = []string{"u280_manual", "u280_2022", "u55c_udp", "u55c_tcp", "u55c_rdma"}

// later are those after accl-2021.
var later = generations[1:]

// TestOperations runs every operation of every generation and transport on 1 to
// 9 ranks, with all the rest at random.
func TestOperations(t *testing.T) { operations(t, all, 9) }

func operations(t *testing.T, on where, most int) {
	for _, name := range on.of(generations...) {
		t.Run(name, func(t *testing.T) {
			ctx := limited(t, 3*time.Minute)
			for n := 1; n <= most; n++ {
				if on.ranks != nil && !slices.Contains(on.ranks, n) {
					continue
				}
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					rng := random(t)
					b := on.bench(ctx, t, randomSetup(t, rng, name, n))
					for range on.times(2) {
						for _, op := range conformance.Operations(b.p) {
							b.run(ctx, lossless(rng, b.p, n, op))
						}
					}
				})
			}
		})
	}
}

// lossless is a case that the network does not lose data of.
func lossless(rng *rand.Rand, p *accl.Platform, n int, op string) conformance.Case {
	for {
		c := conformance.RandomOp(rng, p, n, op)
		if !c.MayLose(p) {
			return c
		}
	}
}

// randomSetup chooses what is configured once for all cases of a world.
func randomSetup(t *testing.T, rng *rand.Rand, name string, n int) setup {
	s := setup{platform: name, ranks: n}
	if rng.IntN(2) == 0 {
		s.vars = hostMemory(name)
	}
	p := driverview.Of(designtest.Load(t, name, nil))
	l := limits{RxBuffers: accl.RxBuffers{Count: 1 << rng.IntN(5), Bytes: 64 * (1 + rng.IntN(16))}}
	if p.Stack == "udp" {
		l.RxBuffers.Count = max(l.RxBuffers.Count, 3)
	}
	if p.Features.Rendezvous {
		l.MaxEager = l.RxBuffers.Bytes + rng.IntN(4000)
		l.MaxRendezvous = l.MaxEager + 1 + rng.IntN(8000)
	}
	for _, w := range p.Exchange.Words {
		if w.Group == "tuning" {
			l.Tuning = append(l.Tuning, accl.Setting{Name: w.Name, Value: tuning(rng, w.Name, n)})
		}
	}
	return l.of(s)
}

// tuning is a value at which algorithms change for worlds of this size.
func tuning(rng *rand.Rand, name string, n int) uint32 {
	if name == "gather_max_bytes" || name == "reduce_flat_max_bytes" {
		return rng.Uint32N(4000)
	}
	return rng.Uint32N(uint32(n) + 2)
}

// TestCase repeats a failure, as failures say it: CONFORM_CASE, CONFORM_PLATFORM,
// CONFORM_RANKS and CONFORM_LIMITS.
func TestCase(t *testing.T) {
	text := os.Getenv("CONFORM_CASE")
	if text == "" {
		t.Skip("CONFORM_CASE is not set")
	}
	c, err := conformance.Parse(text)
	assert.NilError(t, err)
	n, err := strconv.Atoi(os.Getenv("CONFORM_RANKS"))
	assert.NilError(t, err)
	ctx := limited(t, time.Minute)
	name := os.Getenv("CONFORM_PLATFORM")
	s := setup{platform: name, ranks: n, vars: hostMemory(name)}
	if text := os.Getenv("CONFORM_LIMITS"); text != "" {
		var l limits
		assert.NilError(t, json.Unmarshal([]byte(text), &l))
		s = l.of(s)
	}
	all.bench(ctx, t, s).run(ctx, c)
}

// TestRandom checks that random cases print themselves and are varied.
func TestRandom(t *testing.T) {
	rng := random(t)
	for _, name := range generations {
		p := driverview.Of(designtest.Load(t, name, hostMemory(name)))
		seen := map[string]int{}
		for range 4000 {
			n := 1 + rng.IntN(9)
			c := conformance.Random(rng, &p, n)
			again, err := conformance.Parse(c.String())
			assert.NilError(t, err)
			assert.Assert(t, reflect.DeepEqual(again, c), "%v was read as %v", c, again)
			note := func(what string, is bool) {
				if is {
					seen[what]++
				}
			}
			note(c.Op, true)
			note("func "+string(c.Func), true)
			note("type "+string(c.Op0), true)
			note("wire", c.Wire != "")
			note("mixed", c.Res != "" && c.Op0 != c.Res)
			note("host", c.HostOp0)
			note("stream operand", c.StreamOp0)
			note("stream result", c.StreamRes)
			note("all of the rx buffers", c.Count*c.ElementBytes(&p) > p.RxBuffers.Count*p.RxBuffers.Bytes)
			note("rendezvous", p.Features.Rendezvous && c.Count*c.ElementBytes(&p) > p.Limits.MaxEagerBytes)
			note("none", c.Count == 0 && c.Op0 != "")
			note("group", c.Members != nil)
			note("loss", c.MayLose(&p))
		}
		want := []string{"func sum", "func max", "wire", "mixed", "stream operand", "stream result", "all of the rx buffers",
			"none", "group"}
		for _, ty := range []accl.DType{accl.TypeFloat16, accl.TypeFloat32, accl.TypeFloat64, accl.TypeInt32,
			accl.TypeInt64} {
			want = append(want, "type "+string(ty))
		}
		want = append(want, conformance.Operations(&p)...)
		if p.Features.Rendezvous {
			want = append(want, "rendezvous", "host", "barrier", "alltoall")
		}
		if p.Stack == "udp" {
			want = append(want, "loss")
		}
		for _, what := range want {
			assert.Check(t, seen[what] >= 4, "%s: %d of 4000 cases have %s", name, seen[what], what)
		}
	}
}
