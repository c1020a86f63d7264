package server

import (
	"net"
	"strings"
	"sync/atomic"
	"unicode"
)

// refusedAll is how many refused clients are logged before ever fewer are.
const refusedAll = 16

// LogRefused returns a function that logs each refused client in one line. log may be nil.
func LogRefused(log func(format string, args ...any)) func(client net.Addr, why error) {
	var count atomic.Uint64
	visible := func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}
	return func(client net.Addr, why error) {
		if n := count.Add(1); log != nil && (n <= refusedAll || n&(n-1) == 0) {
			log("client %v is refused: %s", client, strings.Map(visible, why.Error()))
		}
	}
}
