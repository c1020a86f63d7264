package hls_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/nightly"
)

// sums are those of the lanes of a beat, as the program prints them.
func sums(name string, n int, real bool) string {
	s := name
	for i := range n {
		x := float64(i*3 + 100 - i)
		if real {
			x += 0.5
		}
		s += fmt.Sprint(" ", x)
	}
	return s
}

func doubled() string {
	s := "memory"
	for i := range 32 {
		s += fmt.Sprint(" ", 2*(float64(i)+0.75))
	}
	return s
}

// headersPrint is what the program has to print: results of C++ and of the vendor's
// documentation.
var headersPrint = []string{
	fmt.Sprint("bits of a float ", math.Float32bits(2)),
	"a float of bits 2",
	"a float of copied bits 3",
	"indexes 50",
	"enumerations 1",
	"switches 1",
	"conditions 101",
	"bit conditions 1101",
	"choices 250",
	fmt.Sprint("shifts of C integers ", 1<<5+1024>>2),
	"doubles 125",
	"to double 250",
	"from double -1234",
	"from float 300000006012263202816",
	"negative literals 1",
	"long literals 5634002667681019488906794616",
	fmt.Sprint("strings with a radix ", 0b101010<<18|(64-0o25)<<12|0x2a<<6|55),
	"loops 8",
	"braces 7",
	"adds to int 15",
	"compares pointers 1",
	"wide is not zero 1",
	"wide as a condition 0",
	fmt.Sprint("documented 0x1b5 ", 0x1b5),
	fmt.Sprint("documented 0x2b6 ", 0x2b6),
	fmt.Sprint("documented 1 43 ", 1<<16|43),
	fmt.Sprint("copies a range ", 0x1212),
	fmt.Sprint("joins ", 0x2fff),
	"bases fe 10 -2",
	sums("floats", 16, true),
	sums("doubles", 8, true),
	sums("int32", 16, false),
	sums("int64", 8, false),
	doubled(),
	"data 128",
	"keep 18446744073709551615",
	"strb 1",
	"dest 255",
	"last 1",
	"absent 0",
	fmt.Sprint("narrow ", -5*1000+5*100+3),
	fmt.Sprint("narrow side ", 1*1000+2*100+1*10+1),
	fmt.Sprint("qdma ", 17+255+1),
	fmt.Sprint("axis of float ", 0.25+15+1),
	fmt.Sprint("axis with last alone ", 3*100+1),
	"empty 1",
	"in order 1000",
	"left 1",
	"reads without waiting 1",
	"writes without waiting 1",
	"beyond its depth 19",
	"next 1",
	"error: a read of the stream \"numbers\", which is empty, after 1002 elements",
	"error: a read of a stream without a name, which is empty, after 0 elements",
	"error: the number \"12x\": expected digits of radix 16",
	"error: the number \"\" in radix 10: expected digits, and radix 2, 8, 10 or 16",
	"error: the number \"0x\" in radix 16: expected digits, and radix 2, 8, 10 or 16",
}

func TestHeadersServeKernelsOfToday(t *testing.T) {
	t.Parallel()
	h := standInHeaders(t)
	for n, flags := range []string{"-O0", "-O2 -Wno-strict-aliasing", "-O3 -Wno-strict-aliasing -fno-strict-aliasing",
		"-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"} {
		if !nightly.Sampled(n, 4) {
			continue
		}
		t.Run(flags, func(t *testing.T) {
			args := append(strings.Fields(flags), "-Wno-unknown-pragmas", "testdata/headers.cpp")
			have := run(t, build(t, h, args...))
			for i, line := range have {
				assert.Assert(t, i < len(headersPrint) && line == headersPrint[i],
					"line %d: %s\nexpected all to be\n%s", i, line, strings.Join(headersPrint, "\n"))
			}
			assert.Check(t, len(have) == len(headersPrint), "%d lines, expected %d", len(have), len(headersPrint))
		})
	}
}

// Kernels are also compiled as the vendor's tool does it, by C++14.
func TestHeadersCompileAsSystemHeadersOfOlderAndNewerStandards(t *testing.T) {
	t.Parallel()
	h := standInHeaders(t)
	for _, standard := range []string{"c++14", "c++20"} {
		text, err := compile(t, "-std="+standard, "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas",
			"-Wno-strict-aliasing", "-fsyntax-only", "-isystem", h, "testdata/headers.cpp")
		assert.Check(t, err == nil, "%s: %v\n%s", standard, err, text)
	}
}
