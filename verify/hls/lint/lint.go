// Package lint checks that C++ for kernels says only what the vendor's tools document:
// directives and their options, headers, members of its classes, and no more of C++
// than becomes hardware. It reads text; that the text is C++14 is for a compiler to
// say, and that no function calls itself for CallCycles.
package lint

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// File is a file of C++, by its path below the directory of all of them.
type File struct {
	Path string
	Text string
}

// Rule is what a file must keep to.
type Rule string

// The rules.
const (
	Directives Rule = "directives" // pragmas of the vendor, with their options
	Headers    Rule = "headers"    // of the vendor in one place, otherwise freestanding ones and our own
	Members    Rule = "members"    // of the vendor's classes, and its names
	Hardware   Rule = "hardware"   // nothing that has no hardware
	Language   Rule = "language"   // C++14 without extensions of a compiler
)

// Problem is a place that breaks a rule.
type Problem struct {
	Path string
	Line int
	Rule Rule
	Text string
}

func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s: %s", p.Path, p.Line, p.Rule, p.Text) }

// Checked says whether a file below the directory of a platform's C++ goes through the
// vendor's tools: not what plays their part in simulations.
func Checked(name string) bool {
	switch path.Ext(name) {
	case ".h", ".hpp", ".cpp":
		return path.Base(path.Dir(name)) != "sim" && !strings.HasSuffix(name, "_component.cpp")
	}
	return false
}

// bench says whether a file is of a test bench, which is software.
func bench(name string) bool {
	return strings.HasSuffix(name, "_tb.cpp") || path.Base(name) == "cclo_bench.hpp"
}

// Check holds all files of a platform to the rules. The problems are in the order of
// the files and their lines.
func Check(files []File) []Problem {
	set := newSources(files)
	var problems []Problem
	for _, s := range set.all {
		c := checker{source: s, set: set}
		c.preprocessor()
		c.words()
		slices.SortStableFunc(c.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
		problems = append(problems, c.problems...)
	}
	return problems
}

type checker struct {
	*source
	set      *sources
	problems []Problem
}

func (c *checker) report(line int, rule Rule, format string, args ...any) {
	c.problems = append(c.problems, Problem{c.path, line, rule, fmt.Sprintf(format, args...)})
}

// preprocessor checks the lines that begin with #.
func (c *checker) preprocessor() {
	for _, d := range c.directives {
		switch d.name {
		case "include":
			c.include(d)
		case "pragma":
			c.pragma(d)
		case "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "line":
		default:
			c.report(d.line, Language, "#%s is no directive of C++14", d.name)
		}
	}
}
