package logs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestEach(t *testing.T) {
	long := strings.Repeat("x", 3*Longest)
	for text, want := range map[string][]string{
		"":                       nil,
		"a":                      {"a"},
		"a\n":                    {"a"},
		"a\n\nb":                 {"a", "", "b"},
		"a\r\nb\r\n":             {"a", "b"},
		"10%\r20%\r30%\n":        {"10%", "20%", "30%"},
		"a\xffb\n":               {"a\ufffdb"},
		long + "\nb\n":           {long[:Longest], "b"},
		"a\n" + long:             {"a", long[:Longest]},
		long[:Longest] + "\nb\n": {long[:Longest], "b"},
	} {
		for _, name := range []string{"whole", "byte by byte"} {
			var got []string
			r := strings.NewReader(text)
			take := func(line string) bool { got = append(got, line); return true }
			var err error
			if name == "whole" {
				err = Each(t.Context(), r, take)
			} else {
				err = Each(t.Context(), iotest.OneByteReader(r), take)
			}
			assert.Check(t, err == nil && slices.Equal(got, want),
				"%.20q %s: %d lines %.60q, %v", text, name, len(got), got, err)
		}
	}
}

func TestEachEnds(t *testing.T) {
	n := 0
	if err := Each(t.Context(), strings.NewReader("a\nb\nc\n"), func(string) bool { n++; return n < 2 }); err != nil ||
		n != 2 {
		t.Errorf("%d lines, %v", n, err)
	}
	broken := errors.New("broken")
	assert.Check(t, is.ErrorIs(Each(t.Context(), iotest.ErrReader(broken), func(string) bool { return true }), broken))
	ctx, cancel := context.WithCancel(t.Context())
	n = 0
	err := Each(ctx, strings.NewReader(strings.Repeat("a\n", 4*often)), func(string) bool {
		if n++; n == 10 {
			cancel()
		}
		return true
	})
	assert.Check(t, errors.Is(err, context.Canceled) && n <= often, "%d lines, %v", n, err)
	// A line without an end ends with the context, too.
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	if err := Each(ctx, &stream{after: 20, do: cancel}, func(string) bool { return true }); !errors.Is(err,
		context.Canceled) {
		t.Errorf("%v", err)
	}
}

type stream struct {
	after int
	do    func()
}

func (s *stream) Read(p []byte) (int, error) {
	if s.after--; s.after == 0 {
		s.do()
	}
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                     "plain",
		"\x1b[31mred\x1b[0m":        "red",
		"a\tb":                      "a b",
		"\x1b]0;title\x07text":      "text",
		"\x1b[2J\x1b[1;1Hx\x07":     "x",
		"\x1b(Bx":                   "x",
		"half an escape \x1b":       "half an escape ",
		"\u0085next":                "next",
		"\x1b[?25l" + "ä€" + "\x7f": "ä€",
	} {
		assert.Check(t, is.Equal(Clean(text), want), "%q", text)
	}
}
