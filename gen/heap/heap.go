// Package heap spares programs that render platforms and end the work of collecting
// garbage.
package heap

import (
	"os"
	"runtime/debug"
)

// limit is what may be used before garbage is collected. A run over all shipped
// platforms takes a third of it, and is a quarter faster for it.
const limit = 512 << 20

// Spare is for the beginning of such a program. It does nothing if the environment
// says how garbage is collected.
func Spare() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(limit)
	}
}
