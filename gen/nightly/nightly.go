// Package nightly tells tests how much to do: a sample, in the minutes that target test
// takes, or everything, as target nightly has it.
package nightly

import "os"

// Variable is the environment variable that asks for everything.
const Variable = "CCLFORGE_NIGHTLY"

// Enabled reports whether tests do everything.
func Enabled() bool { return os.Getenv(Variable) != "" }

// Only skips a test unless everything is to be done.
func Only(t interface {
	Helper()
	Skip(args ...any)
}) {
	t.Helper()
	if !Enabled() {
		t.Skip("runs in go tool mage nightly")
	}
}

// Of returns what a test does: a sample, or everything.
func Of[T any](sample, everything T) T {
	if Enabled() {
		return everything
	}
	return sample
}

// Sampled reports whether a test does the n-th of many things, of which a sample has one
// in so many.
func Sampled(n, oneIn int) bool { return Enabled() || n%oneIn == 0 }
