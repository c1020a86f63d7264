package faults

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/verify/fabric"
)

// Plan is the faults of a network: those of all links, with exceptions for some links and
// for spans of time. It must not change while it is in force. Nil is a plan without faults.
type Plan struct {
	Seed          int64 // decides which packets suffer
	fabric.Faults       // of all links
	// Links are exceptions. Where several apply to the same fault of the same link at the
	// same time, the last one wins.
	Links      []Link
	Partitions []Partition
	Kills      []Kill

	// Start is the origin of times; if it is zero, the time when the plan is put in force.
	Start time.Time

	chosen bool         // Parse has chosen the seed
	parser *lang.Parser // has the text that places are in; nil without
}

// SeedChosen reports whether Parse has chosen the seed, because the text has none.
func (p *Plan) SeedChosen() bool { return p.chosen }

// Any stands for any rank at the end of a link.
const Any = -1

// Link is an exception for the packets between two ranks.
type Link struct {
	Ranks  [2]int // from and to, each may be Any
	OneWay bool   // the way back is left alone
	Span
	Changes Fields // which parts of the following condition are said
	fabric.Condition

	place hcl.Range
}

// Span is an interval of time since the start.
type Span struct {
	From time.Duration
	To   time.Duration // when it holds no more; 0 for ever
}

func (s Span) holds(t time.Duration) bool { return s.From <= t && (s.To == 0 || t < s.To) }

// Partition cuts the ranks of a group off from those of other groups and from those in no
// group, which stay together. Several partitions at a time all cut.
type Partition struct {
	Groups [][]int
	Span

	place  hcl.Range
	places [][]hcl.Range // of the ranks
}

// Kill closes the port of a rank.
type Kill struct {
	Rank int
	At   time.Duration // since the start

	place hcl.Range
}

// None reports whether the plan has no faults.
func (p *Plan) None() bool {
	return p == nil || p.Faults == fabric.Faults{} && len(p.Links)+len(p.Partitions)+len(p.Kills) == 0
}

// String writes the plan with its seed as one object for Parse, without the start.
func (p *Plan) String() string {
	if p == nil {
		return "{}"
	}
	var o object
	o.set("seed", strconv.FormatInt(p.Seed, 10))
	general := fabric.Condition{Faults: p.Faults}
	for _, f := range fields {
		if text := f.text(&general); text != f.text(&fabric.Condition{}) {
			o.set(f.name, text)
		}
	}
	o.list("links", len(p.Links), func(i int) string { return p.Links[i].String() })
	o.list("partitions", len(p.Partitions), func(i int) string { return p.Partitions[i].String() })
	o.list("kills", len(p.Kills), func(i int) string { return p.Kills[i].String() })
	return o.String()
}

// String writes the exception as an element of a list of links.
func (l Link) String() string {
	var o object
	o.set("ranks", strconv.Quote(l.ends()))
	for _, f := range fields {
		if l.Changes&f.bit != 0 {
			o.set(f.name, f.text(&l.Condition))
		}
	}
	o.span(l.Span)
	return o.String()
}

func (l *Link) ends() string {
	end := func(rank int) string {
		if rank == Any {
			return "*"
		}
		return strconv.Itoa(rank)
	}
	between := "-"
	if l.OneWay {
		between = ">"
	}
	return end(l.Ranks[0]) + between + end(l.Ranks[1])
}

// String writes the partition as an element of a list of partitions.
func (p Partition) String() string {
	var o object
	o.set("groups", strings.ReplaceAll(fmt.Sprint(p.Groups), " ", ", "))
	o.span(p.Span)
	return o.String()
}

// String writes the kill as an element of a list of kills.
func (k Kill) String() string {
	var o object
	o.set("rank", strconv.Itoa(k.Rank))
	o.set("at", durationText(k.At))
	return o.String()
}

// object is the text of an HCL object.
type object struct{ parts []string }

func (o *object) set(name, value string) { o.parts = append(o.parts, name+" = "+value) }

func (o *object) list(name string, n int, item func(int) string) {
	if n == 0 {
		return
	}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = item(i)
	}
	o.set(name, "["+strings.Join(texts, ", ")+"]")
}

func (o *object) span(s Span) {
	if s.From != 0 {
		o.set("from", durationText(s.From))
	}
	if s.To != 0 {
		o.set("to", durationText(s.To))
	}
}

func (o *object) String() string { return "{" + strings.Join(o.parts, ", ") + "}" }

// Check reports the ranks of the plan that a world of some size does not have. The error is
// as that of Parse.
func (p *Plan) Check(size int) error {
	if p == nil {
		return nil
	}
	var diags hcl.Diagnostics
	check := func(rank int, place hcl.Range) {
		if rank < 0 || rank >= size {
			d := lang.Errorf(place, "No such rank", "There is no rank %d in a world of %d; its ranks are 0 to %d.",
				rank, size, size-1)
			if place == (hcl.Range{}) {
				d.Subject = nil
			}
			diags = append(diags, d)
		}
	}
	for _, l := range p.Links {
		for _, rank := range l.Ranks {
			if rank != Any {
				check(rank, l.place)
			}
		}
	}
	for _, part := range p.Partitions {
		for i, group := range part.Groups {
			for j, rank := range group {
				place := part.place
				if i < len(part.places) && j < len(part.places[i]) {
					place = part.places[i][j]
				}
				check(rank, place)
			}
		}
	}
	for _, k := range p.Kills {
		check(k.Rank, k.place)
	}
	return problems(p.parser, diags)
}

// Mistakes are the mistakes in a text. They match lang.ErrInvalid.
type Mistakes struct {
	Diags hcl.Diagnostics // in the order of their places
	text  string
}

// Error shows each mistake with its place and source.
func (m *Mistakes) Error() string { return m.text }

// Is makes errors.Is(err, lang.ErrInvalid) true.
func (m *Mistakes) Is(target error) bool { return target == lang.ErrInvalid }

// problems returns an error if there is one among the diagnostics.
func problems(parser *lang.Parser, diags hcl.Diagnostics) error {
	if !diags.HasErrors() {
		return nil
	}
	var b strings.Builder
	m := &Mistakes{Diags: lang.Sorted(diags)}
	if err := cmp.Or(parser, lang.NewParser()).WriteDiagnostics(&b, m.Diags, 0, false); err != nil {
		return err
	}
	m.text = strings.TrimRight(b.String(), "\n")
	return m
}
