package builds

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// size is a number of bytes on the command line: "200GiB".
type size int64

var units = []struct {
	name string
	is   int64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}, {"", 1}}

// Set reads a size.
func (s *size) Set(text string) error {
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 1 || n > (1<<62)/u.is {
			break
		}
		*s = size(n * u.is)
		return nil
	}
	return errors.New("expected is a number of bytes, like 200GiB")
}

// Type names the kind of value in the help.
func (s *size) Type() string { return "bytes" }

// String writes a size for people.
func (s *size) String() string {
	if s == nil || *s == 0 {
		return ""
	}
	return bytes(int64(*s))
}

// bytes writes a number of bytes for people: "1.5 GiB".
func bytes(n int64) string {
	for _, u := range units[:4] {
		if n >= u.is {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(u.is), u.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}
