package arithmetic

import (
	"errors"
	"flag"
	"fmt"
	"regexp"
	"strconv"
)

var (
	exhaustiveFlag = flag.Bool("tb.exhaustive", false,
		"check all operands, which takes minutes (with -timeout=2h), not a sample")
	partFlag    = flag.String("tb.exhaustive.part", "1/1", "part of all operands: 3/16, or 3-16/16")
	workersFlag = flag.Int("tb.exhaustive.workers", 0, "how many run side by side; 0 is one for each processor")
)

// Wanted tells whether all operands are asked for. Flags have to be parsed.
func Wanted() bool { return *exhaustiveFlag }

// Asked is the part that is asked for.
func Asked() (Part, error) { return ParsePart(*partFlag) }

// Part is some parts of all operands, which are cut into Of parts counted from 1.
type Part struct{ First, Last, Of int }

// ErrPart says that a part is none.
var ErrPart = errors.New("not a part of all operands, which is like 3/16 or 3-16/16")

var partText = regexp.MustCompile(`^(\d+)(?:-(\d+))?/(\d+)$`)

// ParsePart reads a part. Errors match ErrPart.
func ParsePart(text string) (Part, error) {
	m := partText.FindStringSubmatch(text)
	if m == nil {
		return Part{}, fmt.Errorf("%q: %w", text, ErrPart)
	}
	if m[2] == "" {
		m[2] = m[1]
	}
	var n [3]int
	for i, digits := range m[1:] {
		v, err := strconv.ParseUint(digits, 10, 16)
		if err != nil {
			return Part{}, fmt.Errorf("%q: %w", text, ErrPart)
		}
		n[i] = int(v)
	}
	p := Part{n[0], n[1], n[2]}
	if p.First < 1 || p.Last < p.First || p.Of < p.Last {
		return Part{}, fmt.Errorf("%q: %w", text, ErrPart)
	}
	return p, nil
}

// String is the part as the flag takes it.
func (p Part) String() string {
	if p.First == p.Last {
		return fmt.Sprintf("%d/%d", p.First, p.Of)
	}
	return fmt.Sprintf("%d-%d/%d", p.First, p.Last, p.Of)
}

// Range is the part's share of units of work: from one to before another.
func (p Part) Range(units int) (from, to int) {
	return (p.First - 1) * units / p.Of, p.Last * units / p.Of
}

// fine is how finely the rest of an interrupted run is told.
const fine = 64

// rest is what is left of a part when all units before one are done.
func (p Part) rest(done, units int) Part {
	if p.Of < fine {
		p = Part{(p.First-1)*fine/p.Of + 1, (p.Last*fine + p.Of - 1) / p.Of, fine}
	}
	for p.First < p.Last {
		if _, to := (Part{p.First, p.First, p.Of}).Range(units); to > done {
			break
		}
		p.First++
	}
	return p
}
