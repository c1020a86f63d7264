package hls_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/nightly"
)

// widths are where C integers and words end, and beside that.
var widths = []int{1, 7, 8, 31, 32, 33, 63, 64, 65, 127, 128, 511, 512, 1000}

// integers are types of C.
var integers = []string{"bool", "signed char", "unsigned char", "short", "unsigned short",
	"int", "unsigned", "long", "unsigned long", "long long", "unsigned long long"}

func name(width, signed int) string {
	if signed == 1 {
		return fmt.Sprintf("ap_int<%d>", width)
	}
	return fmt.Sprintf("ap_uint<%d>", width)
}

// types are all widths, signed and not.
func types() []string {
	var all []string
	for _, w := range widths {
		all = append(all, name(w, 0), name(w, 1))
	}
	return all
}

func calls(function string, pairs [][]string) string {
	var s strings.Builder
	for _, p := range pairs {
		fmt.Fprintf(&s, "%s<%s>();", function, strings.Join(p, ", "))
	}
	return s.String()
}

// pairs are each type beside some others.
func pairs(others int) [][]string {
	random := rand.New(rand.NewPCG(1, 2))
	all := types()
	var list [][]string
	for _, a := range all {
		for range others {
			list = append(list, []string{a, all[random.IntN(len(all))]})
		}
	}
	return list
}

func TestOperatorsGiveDocumentedWidthsAndValues(t *testing.T) {
	t.Parallel()
	list := pairs(nightly.Of(1, 2))
	for i, c := range integers {
		a, b := types()[(5*i+3)%28], types()[(9*i+14)%28]
		list = append(list, []string{a, c}, []string{c, a})
		if nightly.Enabled() {
			list = append(list, []string{b, c})
		}
	}
	program := build(t, standInHeaders(t), nightly.Of("-O0", "-O1"), "-DROUNDS=40", "-DPAIRS="+calls("pair", list),
		"testdata/operators.cpp")
	seen := map[string]int{}
	for _, line := range run(t, program) {
		operation, v, _, err := parseLine(line)
		assert.NilError(t, err, "%s", line)
		seen[operation]++
		a, b, got := v[0], v[1], v[2]
		var f form
		var want *big.Int
		if assigned, ok := strings.CutSuffix(operation, "="); ok && strings.Contains("+-*/%&|^", assigned) && assigned != "" {
			_, want = binaryOp(assigned, a, b)
			f = a.form
		} else {
			f, want = binaryOp(operation, a, b)
		}
		want = f.hold(want)
		assert.Assert(t, got.form == f && got.Cmp(want) == 0,
			"%v %s %v = %v, expected %v %v", a, operation, b, got, f, want)
	}
	for _, operation := range strings.Fields("+ - * / % & | ^ << >> == != < <= > >= += -= *= /= %= &= |= ^= =") {
		assert.Check(t, seen[operation] >= 400, "%d lines for %s, expected 400 or more", seen[operation], operation)
	}
}
