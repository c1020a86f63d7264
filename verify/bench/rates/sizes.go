package rates

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrSizes says that sizes cannot be read.
var ErrSizes = errors.New("no sizes")

const (
	largestSize = 1 << 34 // bytes
	mostSizes   = 1000
)

var units = []struct {
	name  string
	bytes int
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"G", 1 << 30}, {"M", 1 << 20}, {"K",
	1 << 10}, {"B", 1}, {"", 1}}

// Sizes reads sizes in bytes: one, like "64KiB", a sweep like "1KiB:16MiB:x2" or
// "1KiB:8KiB:+1KiB", or several of these with commas between. They are sorted.
func Sizes(text string) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		sizes, err := sweep(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if out = append(out, sizes...); len(out) > mostSizes {
			return nil, fmt.Errorf("%w: %q has more than %d", ErrSizes, text, mostSizes)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func sweep(text string) ([]int, error) {
	first, rest, is := strings.Cut(text, ":")
	from, err := size(first)
	if err != nil || !is {
		return []int{from}, err
	}
	last, step, is := strings.Cut(rest, ":")
	if !is {
		step = "x2"
	}
	to, err := size(last)
	if err != nil {
		return nil, err
	}
	next := func(n int) int { return 0 }
	if by, is := strings.CutPrefix(step, "+"); is {
		n, err := size(by)
		if err != nil {
			return nil, err
		}
		next = func(at int) int { return at + n }
	} else if by, is := strings.CutPrefix(step, "x"); is {
		if n, err := strconv.ParseFloat(by, 64); err == nil && n > 1 && n < largestSize {
			next = func(at int) int { return max(int(min(float64(at)*n, largestSize+1)), at+1) }
		}
	}
	switch {
	case next(from) == 0:
		return nil, fmt.Errorf("%w: %q; expected is a step like x2 or +1KiB", ErrSizes, step)
	case to < from:
		return nil, fmt.Errorf("%w: %q ends below its begin", ErrSizes, text)
	}
	var out []int
	for at := from; at <= to; at = next(at) {
		if out = append(out, at); len(out) > mostSizes {
			return nil, fmt.Errorf("%w: %q has more than %d", ErrSizes, text, mostSizes)
		}
	}
	return out, nil
}

func size(text string) (int, error) {
	for _, u := range units {
		number, is := strings.CutSuffix(text, u.name)
		if !is {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 40)
		if err != nil || n == 0 || n > uint64(largestSize/u.bytes) {
			break
		}
		return int(n) * u.bytes, nil
	}
	return 0, fmt.Errorf("%w: %q; expected is a number of bytes up to 16 GiB, like 4, 64KiB or 1MiB", ErrSizes, text)
}
