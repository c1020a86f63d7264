package verbs

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mostSlow is how many of the slowest packages a run ends with.
const mostSlow = 10

// timed matches the line that go test prints of a package whose tests have run.
var timed = regexp.MustCompile(`^(?:ok|FAIL)\s+(\S+)\s+([0-9.]+)s`)

// packages are how long the tests of packages took, read from the output of go test, which
// they pass on.
type packages struct {
	to   io.Writer
	rest []byte // of a line
	list []taken
}

// taken is how long the tests of a package took.
type taken struct {
	name    string
	seconds float64
}

// watch runs go test with its output passing through p.
func (p *packages) watch(test commandLine) func(ctx context.Context) error {
	p.to, test.out = os.Stdout, p
	return test.run
}

func (p *packages) Write(b []byte) (int, error) {
	p.rest = append(p.rest, b...)
	for {
		line, after, whole := bytes.Cut(p.rest, []byte("\n"))
		if !whole {
			return p.to.Write(b)
		}
		p.note(string(line))
		p.rest = after
	}
}

// note reads a line. Packages whose results were in the cache of go test took no time.
func (p *packages) note(line string) {
	found := timed.FindStringSubmatch(line)
	if found == nil {
		return
	}
	if seconds, err := strconv.ParseFloat(found[2], 64); err == nil {
		p.list = append(p.list, taken{found[1], seconds})
	}
}

// slowest are those that took longest, the slowest one first.
func (p *packages) slowest() []taken {
	slices.SortStableFunc(p.list, func(a, b taken) int { return cmp.Compare(b.seconds, a.seconds) })
	return p.list[:min(mostSlow, len(p.list))]
}

// print lists the slowest packages.
func (p *packages) print(w io.Writer) {
	list := p.slowest()
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(w, "the slowest packages:")
	for _, t := range list {
		fmt.Fprintf(w, "%8.1f s  %s\n", t.seconds, strings.TrimPrefix(t.name, module))
	}
}

// module is the beginning of our packages' names.
const module = "github.com/cclforge/cclforge/"
