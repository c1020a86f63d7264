package lint

import (
	"regexp"
	"slices"
	"strings"
)

var (
	graphNode = regexp.MustCompile(`^node: \{ title: "([^"]*)" label: "([^"]*)"`)
	graphEdge = regexp.MustCompile(`^edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"`)
)

// CallCycles finds functions that call themselves, by way of others or not, in a call
// graph that g++ writes (-fcallgraph-info). Functions of files for which skip says so
// do not count. Each result is a function, with the place where it stands.
func CallCycles(graph string, skip func(file string) bool) []string {
	labels, calls := map[string]string{}, map[string][]string{}
	for line := range strings.Lines(graph) {
		if m := graphNode.FindStringSubmatch(line); m != nil {
			function, place, _ := strings.Cut(m[2], `\n`)
			file, _, _ := strings.Cut(place, ":")
			if !skip(file) {
				labels[m[1]] = place + ": " + function
			}
		} else if m := graphEdge.FindStringSubmatch(line); m != nil {
			calls[m[1]] = append(calls[m[1]], m[2])
		}
	}
	var cycles []string
	for title, label := range labels {
		if reaches(calls, title, title) {
			cycles = append(cycles, label)
		}
	}
	slices.Sort(cycles)
	return cycles
}

// reaches says whether a function calls another one, directly or not.
func reaches(calls map[string][]string, from, to string) bool {
	seen := map[string]bool{}
	var visit func(string) bool
	visit = func(at string) bool {
		for _, next := range calls[at] {
			if next == to {
				return true
			}
			if !seen[next] {
				seen[next] = true
				if visit(next) {
					return true
				}
			}
		}
		return false
	}
	return visit(from)
}
