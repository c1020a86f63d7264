package faults

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/verify/fabric"
)

const (
	maxRank       = 1<<20 - 1
	maxExceptions = 1000 // links, partitions and kills of a plan
)

func (d *decoder) plan(entries []entry) {
	general := fabric.Condition{}
	options := []string{"seed", "links", "partitions", "kills"}
	for _, f := range fields {
		if f.bit != Cut {
			options = append(options, f.name)
		}
	}
	for _, e := range entries {
		switch {
		case e.name == "seed" && e.block == nil:
			d.seed(e)
		case e.name == "link" && e.block != nil:
			d.link(*e.block)
		case e.name == "partition" && e.block != nil:
			d.partition(*e.block)
		case e.name == "kill" && e.block != nil:
			d.kill(*e.block)
		case e.block != nil:
			d.complain(e.place, "Unknown block", "There is no block %q here. %s", e.name,
				lang.Choices(e.name, []string{"link", "partition", "kill"}))
		case e.name == "links":
			each(d.records(e, "ranks"), d.link)
		case e.name == "partitions":
			each(d.records(e, ""), d.partition)
		case e.name == "kills":
			each(d.records(e, "rank"), d.kill)
		case slices.Contains(options, e.name):
			d.field(e, &general)
		default:
			d.complain(e.place, "Unknown attribute", "There is no attribute %q here. %s", e.name, lang.Choices(e.name, options))
		}
	}
	d.out.Faults = general.Faults
}

func each(records []record, read func(record)) {
	for _, r := range records {
		read(r)
	}
}

func (d *decoder) seed(e entry) {
	v, ok := d.value(e.expr)
	if !ok {
		return
	}
	n, whole := wholeNumber(v)
	if !whole {
		d.complain(e.expr.Range(), "Not a seed", "A seed is a whole number of at most 64 bits.")
		return
	}
	d.out.Seed, d.seeded = n, true
}

func wholeNumber(v cty.Value) (int64, bool) {
	if v.Type() != cty.Number || !v.AsBigFloat().IsInt() {
		return 0, false
	}
	n, accuracy := v.AsBigFloat().Int64()
	return n, accuracy == big.Exact
}

// field reads a part of a condition, and returns which one it is; none if it
// says nothing.
func (d *decoder) field(e entry, c *fabric.Condition) Fields {
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == e.name })
	v, ok := d.value(e.expr)
	if !ok {
		return 0
	}
	if err := fields[i].read(c, v); err != nil {
		d.complain(e.expr.Range(), "Invalid value", "%s: %s.", e.name, err)
	}
	return fields[i].bit
}

// room counts exceptions.
func (d *decoder) room(r record) bool {
	n := len(d.out.Links) + len(d.out.Partitions) + len(d.out.Kills)
	if n == maxExceptions {
		d.complain(r.place, "Too many exceptions", "A plan has at most %d links, partitions and kills.", maxExceptions)
	}
	return n < maxExceptions
}

// attributes lets the given functions read those of a record; the others are
// mistakes.
func (d *decoder) attributes(r record, read map[string]func(entry)) {
	var names []string
	for name := range read {
		names = append(names, name)
	}
	for _, e := range r.entries {
		switch f := read[e.name]; {
		case e.block != nil:
			d.complain(e.place, "Unknown block", "There are no blocks here.")
		case f == nil:
			d.complain(e.place, "Unknown attribute", "There is no attribute %q here. %s", e.name, lang.Choices(e.name, names))
		default:
			f(e)
		}
	}
}

func (d *decoder) link(r record) {
	l := Link{place: r.place}
	before := len(d.diags)
	if r.label == "" {
		d.complain(r.place, "Missing ranks", `Say which link is meant: link "0-2" { ... }, or ranks = "0-2" in a list.`)
	} else if !l.readEnds(r.label) {
		d.complain(r.place, "Not a link",
			`A link is named by two ranks, "0-2" for both ways and "0>2" for one, where * is any rank; "3" is short for "3-*", and "*" for "*-*".`)
	}
	read := map[string]func(entry){}
	for _, f := range fields {
		read[f.name] = func(e entry) { l.Changes |= d.field(e, &l.Condition) }
	}
	d.span(r, &l.Span, read)
	if l.Changes == 0 && len(d.diags) == before {
		d.complain(r.place, "Nothing changes", "An exception says what is different, for example loss = 0.5 or cut = true.")
	}
	if d.room(r) {
		d.out.Links = append(d.out.Links, l)
	}
}

func (l *Link) readEnds(text string) bool {
	from, to, found := strings.Cut(text, "-")
	if !found {
		from, to, l.OneWay = strings.Cut(text, ">")
	}
	if !found && !l.OneWay {
		to = "*"
	}
	var a, b bool
	l.Ranks[0], a = readRank(from)
	l.Ranks[1], b = readRank(to)
	return a && b
}

func readRank(text string) (int, bool) {
	text = strings.TrimSpace(text)
	if text == "*" {
		return Any, true
	}
	n, err := strconv.ParseUint(text, 10, 32)
	return int(n), err == nil && n <= maxRank
}

// span reads from and to, beside other attributes.
func (d *decoder) span(r record, s *Span, others map[string]func(entry)) {
	var end hcl.Range
	others["from"] = func(e entry) { s.From, _ = d.duration(e) }
	others["to"] = func(e entry) {
		if to, ok := d.duration(e); ok {
			s.To, end = to, e.expr.Range()
		}
	}
	d.attributes(r, others)
	if end != (hcl.Range{}) && s.To <= s.From {
		d.complain(end, "Ends before it begins", "to = %s is not later than from = %s.", durationText(s.To),
			durationText(s.From))
	}
}

func (d *decoder) duration(e entry) (time.Duration, bool) {
	v, ok := d.value(e.expr)
	if !ok {
		return 0, false
	}
	t, err := readDuration(v)
	if err != nil {
		d.complain(e.expr.Range(), "Invalid value", "%s: %s.", e.name, err)
	}
	return t, err == nil
}

func (d *decoder) partition(r record) {
	p := Partition{place: r.place}
	given := false
	d.span(r, &p.Span, map[string]func(entry){"groups": func(e entry) {
		given = true
		d.groups(e, &p)
	}})
	if r.label != "" {
		d.complain(r.place, "No label expected", "A partition has no label.")
	}
	if !given {
		d.complain(r.place, "Missing attribute", "A partition has groups, for example groups = [[0, 1], [2, 3]].")
	}
	if d.room(r) {
		d.out.Partitions = append(d.out.Partitions, p)
	}
}

func (d *decoder) groups(e entry, p *Partition) {
	wrong := func(place hcl.Range) {
		d.complain(place, "Not groups of ranks", "Groups are lists of ranks, for example [[0, 1], [2, 3]].")
	}
	list := func(expr hcl.Expression) []hcl.Expression {
		before := len(d.diags)
		out, _ := d.elements(expr)
		if len(out) == 0 && len(d.diags) == before {
			wrong(expr.Range())
		}
		return out
	}
	seen := map[int]bool{}
	for _, members := range list(e.expr) {
		var group []int
		var places []hcl.Range
		for _, member := range list(members) {
			v, ok := d.value(member)
			if !ok {
				continue
			}
			n, whole := wholeNumber(v)
			if !whole || n < 0 || n > maxRank {
				wrong(member.Range())
				continue
			}
			if seen[int(n)] {
				d.complain(member.Range(), "Rank in two groups", "Rank %d is in a group already.", n)
			}
			seen[int(n)] = true
			group, places = append(group, int(n)), append(places, member.Range())
		}
		p.Groups, p.places = append(p.Groups, group), append(p.places, places)
	}
}

func (d *decoder) kill(r record) {
	k := Kill{place: r.place}
	rank, ok := readRank(r.label)
	if !ok || rank == Any {
		d.complain(r.place, "Not a rank", `A kill names one rank: kill "3" { ... }, or rank = 3 in a list.`)
	}
	k.Rank = rank
	given := false
	d.attributes(r, map[string]func(entry){"at": func(e entry) {
		given = true
		k.At, _ = d.duration(e)
	}})
	if !given {
		d.complain(r.place, "Missing attribute", `A kill says when, for example at = "20s".`)
	}
	if d.room(r) {
		d.out.Kills = append(d.out.Kills, k)
	}
}
