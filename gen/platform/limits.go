package platform

import (
	"slices"
	"sort"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
)

func (b *loader) tuning() {
	if b.block.Tuning == nil {
		return
	}
	exchange := b.p.ABI.Memory(abi.Exchange)
	known := lang.Names(exchange.WordGroup(abi.TuningGroup), func(w abi.Word) string { return w.Name })
	attrs, d := b.block.Tuning.Body.JustAttributes()
	b.diags = append(b.diags, d...)
	for _, name := range sortedKeys(attrs) {
		attr := attrs[name]
		if !slices.Contains(known, name) {
			b.errorf(attr.NameRange, "Unknown setting", "%s has no tuning word %q. %s", b.p.ABI.Name, name,
				lang.Choices(name, known))
			continue
		}
		var v uint32
		d := lang.Evaluate(attr.Expr, b.ctx, &v)
		b.diags = append(b.diags, d...)
		b.p.Tuning = append(b.p.Tuning, Tuning{name, v, attr.Range})
	}
	sort.Slice(b.p.Tuning, func(i, j int) bool {
		return exchange.Word(b.p.Tuning[i].Name).At < exchange.Word(b.p.Tuning[j].Name).At
	})
}

func (b *loader) limits() {
	in := limitsBlock{}
	if b.block.Limits != nil {
		in = *b.block.Limits
	}
	rng := orElse(in.Range, b.block.Range)
	lim := Limits{
		TimeoutCycles:       value(in.TimeoutCycles, int(b.p.ABI.Constant(abi.DefaultTimeout).Value)),
		RemoteTimeoutMillis: value(in.RemoteTimeout, defaultRemoteTimeoutMs), Range: rng,
	}
	b.within(orElse(in.TimeoutCyclesRange, rng), "The time limit inside the engine, in cycles,", lim.TimeoutCycles,
		int(b.p.ABI.Constant(abi.MinTimeout).Value), 1<<31-1)
	b.within(orElse(in.RemoteTimeoutRange, rng), "The time limit for remote ranks, in milliseconds,",
		lim.RemoteTimeoutMillis, 1, 3_600_000)
	size := b.p.CCLO.RxBuffers.Size
	if e := b.p.ABI.Enum(abi.ConfigFunctions); e == nil || e.Value("set_max_eager_msg_size") == nil {
		refuse := func(value *int, rng hcl.Range, name string) {
			if value != nil {
				b.errorf(rng, "Unknown setting", "%s has no %s: it is eager only.", b.p.ABI.Name, name)
			}
		}
		refuse(in.MaxEager, in.MaxEagerRange, "max_eager_bytes")
		refuse(in.MaxRendezvous, in.MaxRendezvousRange, "max_rendezvous_bytes")
		b.p.Limits = lim
		return
	}
	lim.MaxEagerBytes = value(in.MaxEager, size)
	lim.MaxRendezvousBytes = value(in.MaxRendezvous, max(defaultMaxRendezvous, 2*lim.MaxEagerBytes))
	b.within(orElse(in.MaxEagerRange, rng), "The largest eager message, in bytes, at least one rx buffer,",
		lim.MaxEagerBytes, size, 1<<30)
	b.within(orElse(in.MaxRendezvousRange, rng),
		"The largest rendezvous message, in bytes, more than the largest eager one,", lim.MaxRendezvousBytes,
		lim.MaxEagerBytes+1, 1<<31-1)
	b.p.Limits = lim
}

func (b *loader) capacity() {
	in := capacityBlock{}
	if b.block.Capacity != nil {
		in = *b.block.Capacity
	}
	rng := orElse(in.Range, b.block.Range)
	c := Capacity{value(in.Ranks, defaultRanks), value(in.Communicators, 1), rng}
	ranks := b.within(orElse(in.RanksRange, rng), "The number of ranks", c.Ranks, 1, 65536)
	if b.within(orElse(in.CommunicatorsRange, rng), "The number of communicators", c.Communicators, 1, 4096) && ranks {
		b.p.Capacity = c
	}
}
