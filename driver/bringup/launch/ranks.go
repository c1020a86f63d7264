package launch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Ranks parses the value of an option that is a list of ranks like "0,2-3", and sorts it.
// Errors match ErrOption.
func Ranks(option, text string) ([]int, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var ranks []int
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := parseRank(first)
		to := from
		if err == nil && isRange {
			to, err = parseRank(last)
		}
		if err != nil || to < from {
			return nil, fmt.Errorf("%w: %s is %q, and %q is neither a rank nor a range like 2-3", ErrOption, option, text,
				strings.TrimSpace(part))
		}
		for r := from; r <= to; r++ {
			ranks = append(ranks, r)
		}
	}
	slices.Sort(ranks)
	for i := 1; i < len(ranks); i++ {
		if ranks[i] == ranks[i-1] {
			return nil, fmt.Errorf("%w: %s is %q, and has rank %d twice", ErrOption, option, text, ranks[i])
		}
	}
	return ranks, nil
}

func parseRank(text string) (int, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 31)
	if err == nil && n >= maxSize {
		err = strconv.ErrRange
	}
	return int(n), err
}
