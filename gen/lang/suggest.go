package lang

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest returns the option closest to a misspelt name, or "" if none is
// close.
func Nearest(name string, options []string) string {
	best, bestDistance := "", min(3, len(name)/4+1)+1
	for _, o := range slices.Sorted(slices.Values(options)) {
		if len(name) > 2 && strings.HasPrefix(strings.ToLower(o), strings.ToLower(name)) {
			return o
		}
		if d := distance(strings.ToLower(name), strings.ToLower(o)); d < bestDistance {
			best, bestDistance = o, d
		}
	}
	return best
}

// Choices says which names exist, and which was probably meant.
func Choices(name string, options []string) string {
	sorted := slices.Sorted(slices.Values(options))
	if len(sorted) == 0 {
		return "There are none."
	}
	text := "Known: " + strings.Join(sorted, ", ") + "."
	if near := Nearest(name, options); near != "" {
		text = fmt.Sprintf("Did you mean %q? %s", near, text)
	}
	return text
}

// Names lists the names of things in their order, for Choices and other texts; nil for no things.
func Names[T any](things []T, name func(T) string) []string {
	var names []string
	for _, thing := range things {
		names = append(names, name(thing))
	}
	return names
}

// distance is the number of edits (insert, delete, replace, swap neighbours)
// between two names. Long names are compared by their first 64 bytes.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, cur := rows[(i+2)%3], rows[i%3], rows[(i+1)%3]
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(last[j]+1, cur[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}
