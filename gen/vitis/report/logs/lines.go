// Package logs reads the logs of tools: line by line in bounded memory, also while they
// grow. It recognizes stages ("placement"), and diagnoses failed steps: the first lines
// about the cause (not its consequences), the place in the user's files, and what to do.
package logs

import (
	"bufio"
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Longest is the number of bytes of a line that are read; the rest is skipped.
const Longest = 64 << 10

// often is after how many lines the context is looked at.
const often = 4096

// Each calls f with each line of r, without its end, until f says stop. Carriage
// returns end lines too, as progress bars use them. Bytes that are no UTF-8 become
// the replacement character. The error is that of r, or of the context.
func Each(ctx context.Context, r io.Reader, f func(line string) (more bool)) error {
	b := bufio.NewReaderSize(r, Longest)
	for n := 0; ; n++ {
		if n%often == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		raw, err := b.ReadSlice('\n')
		text := strings.ToValidUTF8(string(raw), string(utf8.RuneError))
		for errors.Is(err, bufio.ErrBufferFull) {
			if n++; n%often == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			_, err = b.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(raw) > 0 && !each(text, f) {
			return nil
		}
		if err != nil {
			return nil
		}
	}
}

// each hands over the parts of a line that carriage returns make.
func each(text string, f func(string) bool) bool {
	text = strings.TrimRight(text, "\r\n")
	if !strings.Contains(text, "\r") {
		return f(text)
	}
	for part := range strings.SplitSeq(text, "\r") {
		if !f(part) {
			return false
		}
	}
	return true
}

var escapes = regexp.MustCompile("\x1b(\\[[0-9;?]*[ -/]*[@-~]|[()][A-Za-z0-9]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?)")

// Clean is a line without escape sequences and control characters. Tabs become blanks.
func Clean(line string) string {
	if strings.IndexFunc(line, control) < 0 {
		return line
	}
	line = escapes.ReplaceAllString(line, "")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case control(r):
			return -1
		default:
			return r
		}
	}, line)
}

func control(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 }
