// Package coverage says which lines of the hardware's description simulations have
// been through, which ways they have gone at branches, and which bits have changed,
// over all runs that left their counts in a directory (verilate.CoverageVariable).
//
// Lines are those of always blocks and functions; what continuous assignments do is
// seen from the bits. Platforms and parameters are taken together: what one of them
// covers is covered.
package coverage

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrForm says that a file is not what a model leaves when it ends.
var ErrForm = errors.New("not what a model leaves of its coverage")

const (
	pointsSuffix = ".points"
	hitsSuffix   = ".hits"
)

// ErrNothing says that no run has left its coverage in a directory.
var ErrNothing = errors.New("no model has left its coverage")

// Read merges everything that a directory holds into modules, by file.
func Read(dir string) ([]Module, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*"+pointsSuffix))
	if err != nil {
		return nil, err
	}
	m := merger{files: map[string]*file{}, sources: map[string]*source{}, texts: map[string]*source{}}
	for _, name := range names {
		if err := m.process(strings.TrimSuffix(name, pointsSuffix)); err != nil {
			return nil, fmt.Errorf("read the coverage of %s: %w", filepath.Base(name), err)
		}
	}
	if len(m.files) == 0 {
		return nil, fmt.Errorf("%w in %s", ErrNothing, dir)
	}
	return m.modules(), nil
}

type point struct {
	column        int
	page, comment string
}

type file struct {
	sources []*source // one or more, if platforms differ
	lines   map[place]uint64
	points  map[place]map[point]uint64
}

type merger struct {
	files   map[string]*file   // by path in templates
	sources map[string]*source // by path
	texts   map[string]*source // by path in templates and text
}

// process adds what a process has left of one library.
func (m *merger) process(name string) error {
	hits, err := os.ReadFile(name + hitsSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no model has ended
	}
	if err != nil {
		return err
	}
	points, err := os.Open(name + pointsSuffix)
	if err != nil {
		return err
	}
	defer points.Close()
	lines := bufio.NewScanner(points)
	n := 0
	for ; lines.Scan(); n++ {
		if len(hits) < 8*(n+1) {
			return fmt.Errorf("%w: more points than counts", ErrForm)
		}
		if err := m.point(lines.Text(), binary.LittleEndian.Uint64(hits[8*n:])); err != nil {
			return fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	if lines.Err() == nil && len(hits) != 8*n {
		return fmt.Errorf("%w: %d points, %d bytes of counts", ErrForm, n, len(hits))
	}
	return lines.Err()
}

func (m *merger) point(line string, hits uint64) error {
	fields := strings.Split(line, "\t")
	if len(fields) != 6 {
		return fmt.Errorf("%w: %d fields, not 6", ErrForm, len(fields))
	}
	from, comment, stands := fields[0], fields[4], fields[5]
	page, _, _ := strings.Cut(fields[3], "/")
	at, err := strconv.Atoi(fields[1])
	if err != nil {
		return fmt.Errorf("%w: %w", ErrForm, err)
	}
	column, err := strconv.Atoi(fields[2])
	if err != nil {
		return fmt.Errorf("%w: %w", ErrForm, err)
	}
	t, err := m.source(from)
	if err != nil || t.name == "" {
		return err
	}
	f := m.files[t.name]
	if f == nil {
		f = &file{lines: map[place]uint64{}, points: map[place]map[point]uint64{}}
		m.files[t.name] = f
	}
	if !slices.Contains(f.sources, t) {
		f.sources = append(f.sources, t)
	}
	if at < 1 || at > len(t.places) {
		return fmt.Errorf("%w: %s has no line %d", ErrForm, from, at)
	}
	where := t.places[at-1]
	if page != linePage {
		if f.points[where] == nil {
			f.points[where] = map[point]uint64{}
		}
		f.points[where][point{column, page, comment}] += hits
	}
	if page == togglePage {
		return nil
	}
	numbers, err := ranges(stands)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if n < 1 || n > len(t.places) {
			return fmt.Errorf("%w: %s has no line %d", ErrForm, from, n)
		}
		f.lines[t.places[n-1]] += hits
	}
	return nil
}

// Verilator's pages.
const (
	linePage   = "v_line"
	branchPage = "v_branch"
	togglePage = "v_toggle"
)

// ranges reads "3,5-7".
func ranges(s string) ([]int, error) {
	var found []int
	if s == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		low, high, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(low)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrForm, err)
		}
		last := first
		if isRange {
			if last, err = strconv.Atoi(high); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrForm, err)
			}
		}
		for n := first; n <= last; n++ {
			found = append(found, n)
		}
	}
	return found, nil
}
