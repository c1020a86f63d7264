package conformance

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

// Clients is how many clients of an engine random cases place calls as.
const Clients = 2

// Random is any operation of a platform with anything else that it has, on a
// world of some ranks. It prefers what lies at limits. All random cases of a world
// use few communicators, because engines keep every one.
func Random(rng *rand.Rand, p *accl.Platform, world int) Case {
	return RandomOp(rng, p, world, pick(rng, Operations(p)))
}

// Operations are the operations of a platform that programs call and that it is equipped for, in its order. Cases
// of an operation without a reference fail with ErrReference.
func Operations(p *accl.Platform) []string {
	var out []string
	for _, o := range p.Operations {
		known := references[o.Name]
		switch {
		case !o.Method || known != nil && known.partOf != "":
		case o.Reduces && !reduces(p) || o.Result.At == accl.AtPeer && !Loopback(p):
		default:
			out = append(out, o.Name)
		}
	}
	return out
}

// Loopback reports whether the platform has kernel streams that lead back to the
// engine.
func Loopback(p *accl.Platform) bool {
	return p.KernelStream == "loopback" && p.DecodeHardwareID(p.HardwareID.Value).KernelStreams
}

func reduces(p *accl.Platform) bool {
	return slices.ContainsFunc(p.Configs, func(c accl.ArithConfig) bool { return len(functionsOf(p, c)) > 0 })
}

// functionsOf are the reductions that a configuration has.
func functionsOf(p *accl.Platform, c accl.ArithConfig) []accl.Func {
	var out []accl.Func
	for _, f := range p.ReduceFunctions {
		if int(f.Value) < len(c.FunctionTDEST) {
			out = append(out, accl.Func(f.Name))
		}
	}
	return out
}

// commonFunctions are the reductions that all configurations have that reduce: they list functions by number.
func commonFunctions(p *accl.Platform) []accl.Func {
	var fewest []accl.Func
	for _, c := range p.Configs {
		if of := functionsOf(p, c); len(of) > 0 && (fewest == nil || len(of) < len(fewest)) {
			fewest = of
		}
	}
	return fewest
}

// RandomOp is Random for one of the Operations.
func RandomOp(rng *rand.Rand, p *accl.Platform, world int, name string) Case {
	op := operationOf(p, name)
	c := Case{Op: name, Seed: int64(rng.Uint32()), Members: group(rng, world)}
	n := c.Size(world)
	if op.Peer != "" {
		c.Root = rng.IntN(n)
	}
	if op.Peer == accl.PeerDestination {
		c.Peer = rng.IntN(n)
		if c.Peer == c.Root && chance(rng, 70) {
			c.Peer = (c.Root + 1) % n
		}
	}
	c.Async = chance(rng, 30)
	if chance(rng, 15) {
		c.Client = rng.IntN(Clients)
	}
	if chance(rng, 20) {
		c.Skew = time.Duration(rng.IntN(3000)) * time.Microsecond
	}
	if !op.Operands() {
		return c
	}
	config := c.randomTypes(rng, p, op)
	if op.Reduces {
		c.Func = pick(rng, functionsOf(p, config))
	}
	c.randomPlaces(rng, p, op)
	if name == "send" && chance(rng, 50) {
		c.randomTags(rng, p)
	}
	if name == "stream_put" {
		c.Stream = accl.Tag(rng.IntN(int(p.MaxPutTag) + 1))
	}
	c.Count = randomCount(rng, p, &c) &^ (1<<config.RatioLog - 1)
	c.Pad = rng.IntN(40)
	c.randomData(rng, op)
	return c
}

func chance(rng *rand.Rand, percent int) bool { return rng.IntN(100) < percent }

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

// group is one of few communicators of a world: mostly all ranks, else those of
// even or odd number, all in another order, or a pair.
func group(rng *rand.Rand, world int) []int {
	if world < 3 || chance(rng, 60) {
		return nil
	}
	var out []int
	switch rng.IntN(4) {
	case 0:
		for r := 0; r < world; r += 2 {
			out = append(out, r)
		}
	case 1:
		for r := 1; r < world; r += 2 {
			out = append(out, r)
		}
	case 2:
		if world > 16 {
			return nil // a large one more may not fit into the exchange memory
		}
		for r := range world {
			out = append(out, (r*2+r*2/world*(1-world%2))%world)
		}
		slices.Reverse(out)
	default:
		out = []int{world - 1, 0}
	}
	return out
}

// randomTypes chooses element types that one configuration combines.
func (c *Case) randomTypes(rng *rand.Rand, p *accl.Platform, op *operation) accl.ArithConfig {
	var plain, mixed []accl.ArithConfig
	for _, config := range p.Configs {
		switch {
		case op.Reduces && len(functionsOf(p, config)) == 0:
		case !known(config.Uncompressed) || !known(config.Compressed):
		case config.Uncompressed == config.Compressed:
			plain = append(plain, config)
		default:
			mixed = append(mixed, config)
		}
	}
	config := pick(rng, append(plain, mixed...))
	if len(mixed) > 0 && chance(rng, 30) {
		config = pick(rng, mixed)
	}
	wide, narrow := config.Uncompressed, config.Compressed
	types := []accl.DType{wide, wide, wide}
	switch {
	case wide == narrow:
	case op.alike():
		c.Wire = narrow
	default:
		for i, s := range []accl.OperandUse{op.Op0, op.Op1, op.Result} {
			if s.Any() && chance(rng, 50) {
				types[i] = narrow
			}
		}
		// Of one type alone, another configuration would be meant.
		if !op.Local && chance(rng, 60) {
			c.Wire = narrow
		}
	}
	if op.Op0.Any() {
		c.Op0 = types[0]
	}
	if op.Op1.Any() {
		c.Op1 = types[1]
	}
	if op.Result.Any() {
		c.Res = types[2]
	}
	if c.Op == "stream_put" && c.Wire != "" {
		c.Wire = "" // what a put to the own rank looks like then is not defined
	}
	if len(c.types()) == 1 {
		c.Wire = ""
		for _, other := range p.Configs {
			if other.Uncompressed == c.Op0 && other.Compressed == c.Op0 {
				return other
			}
		}
	}
	return config
}

func known(t accl.DType) bool { _, ok := codecs[t]; return ok }

// alike reports whether a rank alone cannot tell the types of all operands,
// because the call of each has one only.
func (o *operation) alike() bool {
	return o.Peer == accl.PeerDestination || o.InPlace == accl.InPlaceRequired
}

// randomPlaces chooses where operands and results lie.
func (c *Case) randomPlaces(rng *rand.Rand, p *accl.Platform, op *operation) {
	if Loopback(p) {
		c.StreamOp0 = op.Op0.Stream && chance(rng, 15)
		c.StreamRes = op.Result.Stream && chance(rng, 15)
	}
	c.FromFPGA, c.ToFPGA = chance(rng, 30), chance(rng, 30)
	c.FromFPGA1 = op.Op1.Any() && chance(rng, 30)
	if p.HostMemory && p.Features.HostOperands {
		c.HostOp0 = chance(rng, 30) && !c.StreamOp0
		c.HostOp1 = op.Op1.Any() && chance(rng, 30)
		c.HostRes = chance(rng, 30) && !c.StreamRes && c.Op != "stream_put"
	}
}

func (c *Case) randomTags(rng *rand.Rand, p *accl.Platform) {
	tag := accl.Tag(rng.Uint32N(200))
	switch rng.IntN(4) {
	case 0:
		c.Tag = &tag
	case 1:
		c.RecvTag = &tag
	case 2:
		tag = accl.Tag(p.TagAny)
		c.Tag, c.RecvTag = &tag, &tag
	default:
		c.Tag, c.RecvTag = &tag, &tag
	}
	if c.StreamRes && c.RecvTag != nil && *c.RecvTag == accl.Tag(p.TagAny) {
		c.RecvTag = nil
	}
}

// randomCount prefers numbers of elements at which engines change what they do.
func randomCount(rng *rand.Rand, p *accl.Platform, c *Case) int {
	size := c.ElementBytes(p)
	segment := max(p.RxBuffers.Bytes/size, 1)
	pool := segment * p.RxBuffers.Count
	near := func(n int) int { return max(n+rng.IntN(3)-1, 0) }
	limits := []int{pool}
	if p.Features.Rendezvous {
		eager, rendezvous := thresholds(p)
		limits = append(limits, eager/size, rendezvous/size)
	}
	switch k := rng.IntN(100); {
	case k < 5:
		return 0
	case k < 13:
		return 1
	case k < 27:
		return 2*rng.IntN(32) + 1
	case k < 40:
		return rng.IntN(segment + 1)
	case k < 55:
		return near(segment)
	case k < 68:
		return near(segment * (2 + rng.IntN(4)))
	case k < 84:
		return near(pick(rng, limits))
	case k < 92:
		return pool + rng.IntN(pool)
	default:
		top := slices.Max(limits)
		return top + rng.IntN(2*top)
	}
}

// thresholds are the largest messages, in bytes, as the driver sets them.
func thresholds(p *accl.Platform) (eager, rendezvous int) {
	eager = max(p.Limits.MaxEagerBytes, p.RxBuffers.Bytes)
	return eager, max(p.Limits.MaxRendezvousBytes, 2*eager)
}

func (c *Case) randomData(rng *rand.Rand, op *operation) {
	floats := !slices.ContainsFunc(c.types(), func(t accl.DType) bool { return codecs[t].epsilon == 0 })
	switch {
	case !op.Reduces && len(c.types()) == 1 && chance(rng, 50):
		c.Data = Bits
	case floats && chance(rng, 30) && !strings.HasPrefix(c.Op, "stream"):
		c.Data = Reals
	}
}
