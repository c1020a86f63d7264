package regs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestHostctrlCorePosts(t *testing.T) {
	set.Check(t, "hostctrl_core", func(b *block.Bench, r *rand.Rand) error { return hostctrlPosts(b, r, 0) })
}

// Counts of posted calls go from their last value to 0.
func TestHostctrlCoreCountsWrap(t *testing.T) {
	set.Check(t, "hostctrl_core_wraps",
		func(b *block.Bench, r *rand.Rand) error { return hostctrlPosts(b, r, almostWrapped) })
}

const almostWrapped = 0xFFFFFFE9

// caller is a model of a host controller: what a host sees of it, and what call it
// places.
type caller struct {
	*kernel
	at               map[string]uint64 // of registers that the kernel does not have
	earlier          uint32            // where counts begin
	posted, answered uint32
	answers          []uint64
	known            int  // how many answers stand there, from the last one back
	post             bool // one is asked for, and not taken
	sending          int  // what words are of
	waiting          bool // a started call does
}

const (
	nothing = iota
	startedCall
	postedCall
)

func newCaller(g *abi.Generation, k *kernel, earlier uint32) (*caller, error) {
	c := &caller{kernel: k, at: map[string]uint64{}, earlier: earlier}
	for _, x := range g.RegisterMap("hostctrl").Registers {
		if !x.Extension {
			continue
		}
		c.at[x.Name] = uint64(x.At)
		if x.Count > 1 {
			c.answers = make([]uint64, x.Count)
		}
	}
	for _, name := range []string{"post", "posted", "answered", "capacity", "answers"} {
		if c.at[name] == 0 {
			return nil, fmt.Errorf("there is no register %s", name)
		}
	}
	if len(c.answers) != 32 {
		return nil, fmt.Errorf("%d answers are kept", len(c.answers))
	}
	c.reset()
	return c, nil
}

func (c *caller) reset() {
	fresh, _ := newKernel(c.first, len(c.arguments), c.writable, 0)
	c.kernel = fresh
	c.posted, c.answered, c.known = c.earlier, c.earlier, 0
	c.post, c.sending, c.waiting = false, nothing, false
}

// open are the posted calls without an answer.
func (c *caller) open() int { return int(c.posted - c.answered) }

func (c *caller) idle() bool {
	return c.sending == nothing && !c.waiting && !c.post && c.open() == 0
}

// read is what stands at an address; not ok if nothing is said of it.
func (c *caller) read(address uint64) (v uint64, ok bool) {
	i := (address&^3 - c.at["answers"]) / 4
	switch {
	case i < uint64(len(c.answers)):
		back := (c.answered - 1 - uint32(i)) % uint32(len(c.answers)) // answers behind it
		return c.answers[i], int(back) < c.known
	case address&^3 == c.at["posted"]:
		return uint64(c.posted), true
	case address&^3 == c.at["answered"]:
		return uint64(c.answered), true
	case address&^3 == c.at["capacity"]:
		return uint64(len(c.answers)), true
	}
	return c.kernel.read(address, c.idle(), nil), true
}

// cycle is one with an access or none, with an answer or none, in which the last
// word of a call was taken or not.
func (c *caller) cycle(a *access, answer *uint64, last bool) {
	idle, open, sending, post := c.idle(), c.open(), c.sending, c.post
	taken, done := last && sending == startedCall, c.waiting && answer != nil
	switch {
	case idle && c.start:
		c.sending = startedCall
	case post && sending == nothing && !c.waiting:
		c.sending = postedCall
	}
	if last {
		c.sending = nothing
	}
	if answer != nil && open > 0 {
		c.answers[c.answered%uint32(len(c.answers))] = *answer
		c.answered++
		c.known = min(c.known+1, len(c.answers))
	}
	if last && sending == postedCall {
		c.posted++
		c.post = false
	}
	c.waiting = c.waiting && !done || taken
	if a != nil && a.write && a.strobe != 0 && a.address&^3 == c.at["post"] {
		c.post = c.post || !post && open < len(c.answers)
	}
	c.kernel.cycle(a, taken, done)
}

// some is an access of a host that keeps the rules, but for posts that nobody takes:
// what stands in the registers is a call until it was taken.
func (c *caller) some(r *rand.Rand, eager int) access {
	a := c.kernel.some(r)
	switch r.IntN(4) {
	case 0:
		names := []string{"post", "posted", "answered", "capacity"}
		a.address = c.at[names[r.IntN(len(names))]] + r.Uint64N(4)
	case 1:
		a.address = c.at["answers"] - 8 + r.Uint64N(uint64(4*len(c.answers))+16)
	}
	if r.IntN(8) < eager {
		a.write, a.address = true, c.at["post"]
	}
	if (c.start || c.post) && c.isWord(a.address) {
		a.write = false
	}
	return a
}

func (c *caller) isWord(address uint64) bool {
	_, ok := c.word(address)
	return ok
}

// seen is what has to have happened in a bench.
type seen struct{ started, postedCalls, full, early, startsWait, postsWait, strays, wraps, cut int }

func (s seen) check(wraps bool) error {
	for name, n := range map[string]int{
		"started calls": s.started, "posted calls": s.postedCalls / 10, "posts while all answers are missing": s.full,
		"posts before the last one is taken": s.early,
		"starts behind posted calls":         s.startsWait, "posts behind started calls": s.postsWait,
		"answers to nobody": s.strays, "resets with calls": s.cut,
	} {
		if n < 5 {
			return fmt.Errorf("hardly any %s: %+v", name, s)
		}
	}
	if wraps && s.wraps < 5 {
		return fmt.Errorf("counts hardly wrap: %+v", s)
	}
	return nil
}

// callWords are the offsets of the registers that are words of a call, in the
// order of a call.
func callWords(g *abi.Generation) (offsets []uint64, err error) {
	at := map[string]uint64{}
	for _, x := range g.RegisterMap("hostctrl").Registers {
		at[x.Name], at[x.Name+"_low"], at[x.Name+"_high"] = uint64(x.At), uint64(x.At), uint64(x.At)+4
	}
	for _, w := range g.Record("call").Words {
		o, ok := at[w.Name]
		if !ok {
			return nil, fmt.Errorf("no register has the word %s", w.Name)
		}
		offsets = append(offsets, o)
	}
	return offsets, nil
}

// hostctrlPosts gets calls in both ways, one beside the other, and answers late,
// many at once, or to nobody.
func hostctrlPosts(b *block.Bench, r *rand.Rand, earlier uint32) error {
	g, err := generation("u55c_tcp")
	if err != nil {
		return err
	}
	offsets, err := callWords(g)
	if err != nil {
		return err
	}
	first, last := offsets[0], offsets[0]
	for _, o := range offsets {
		first, last = min(first, o), max(last, o)
	}
	var writable uint64
	for _, o := range offsets {
		writable |= 1 << ((o - first) / 4)
	}
	k, err := newKernel(first, int(last-first)/4+1, writable, 0)
	if err != nil {
		return err
	}
	c, err := newCaller(g, k, earlier)
	if err != nil {
		return err
	}
	call := &block.Drain{Output: block.NewOutput(b, "call_valid", "call_ready", "call_data")}
	var all seen
	for i := range 24 {
		b.InReset = true // with what stands at the inputs
		b.Step()
		b.InReset = false
		if !c.idle() {
			all.cut++
		}
		c.reset()
		call.Forget()
		call.Pace, call.Late = block.NewRhythm(r).Next, r.IntN(3) == 0
		flood := 0
		if i%3 == 0 { // more posts than there is room for, before the first answer
			flood = 1500
			call.Pace = nil
		}
		if err := c.run(b, r, call, offsets, flood, &all); err != nil {
			return err
		}
	}
	return all.check(earlier != 0)
}

// run goes from a reset up to the next one. For so many cycles, calls are posted only,
// and not answered.
func (c *caller) run(b *block.Bench, r *rand.Rand, call *block.Drain, offsets []uint64, flood int, all *seen) error {
	eager, sent, phase, answering := r.IntN(8), 0, flood, 0
	strays := r.IntN(2) == 0
	for cycle := range flood + 200 + r.IntN(2000) {
		if phase--; phase <= 0 { // answers come for a time, or do not
			phase, answering = 1+r.IntN(600), []int{0, 0, 1, 16, 64, 64}[r.IntN(6)]
		}
		a, valid := c.some(r, eager), r.IntN(3) > 0
		if cycle < flood && a.address&^3 != c.at["post"] {
			a.write = false
		}
		if beyond := uint64(1) << (b.Width("bus_address") - 1); beyond >= 1<<12 && r.IntN(8) == 0 {
			a.address |= beyond
		}
		b.Put("bus_valid", valid)
		b.Put("bus_write", a.write)
		b.Set("bus_address", a.address)
		b.Set("bus_wdata", a.data)
		b.Set("bus_strobe", a.strobe)
		b.Scramble(r, "answer_data")
		var answer *uint64
		if r.IntN(64) < answering && (strays || c.waiting || c.open() > 0) {
			v := b.Get("answer_data")
			answer = &v
		}
		b.Put("answer_valid", answer != nil)
		call.Drive()
		b.Step()
		if got, want := b.Is("call_valid"), c.sending != nothing; got != want {
			return fmt.Errorf("a call is placed: %t", got)
		}
		if want, ok := c.read(a.address); ok && b.Get("bus_rdata") != want || !b.Is("bus_ready") {
			return fmt.Errorf("%X stands at %X (ready: %t), not %X", b.Get("bus_rdata"), a.address, b.Is("bus_ready"), want)
		}
		if !b.Is("answer_ready") {
			return errors.New("an answer has to wait")
		}
		ok, err := call.Taken()
		if err != nil {
			return err
		}
		if ok {
			i, _ := c.word(offsets[sent])
			if got := b.Get("call_data"); got != c.arguments[i] {
				return fmt.Errorf("word %d of a call is %X, not %X", sent, got, c.arguments[i])
			}
			sent++
		}
		ends := sent == len(offsets)
		all.note(c, &a, valid, answer != nil, ends)
		if ends {
			sent = 0
		}
		if valid {
			c.cycle(&a, answer, ends)
		} else {
			c.cycle(nil, answer, ends)
		}
	}
	return nil
}

// note counts what happens in a cycle.
func (s *seen) note(c *caller, a *access, valid, answered, ends bool) {
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	posts := valid && a.write && a.strobe != 0 && a.address&^3 == c.at["post"]
	count(&s.started, ends && c.sending == startedCall)
	count(&s.postedCalls, ends && c.sending == postedCall)
	count(&s.wraps, ends && c.sending == postedCall && c.posted == ^uint32(0))
	count(&s.full, posts && !c.post && c.open() == len(c.answers))
	count(&s.early, posts && c.post)
	count(&s.startsWait, c.start && c.sending == nothing && c.open() > 0)
	count(&s.postsWait, c.post && c.waiting)
	count(&s.strays, answered && !c.waiting && c.open() == 0)
}
