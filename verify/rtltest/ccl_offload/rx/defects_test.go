package rx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// units are modules that are checked as parts of the receive side.
var units = []string{"header_parts", "inbound", "inbound_payload", "message_matcher", "message_recorder",
	"message_table", "message_wants", "messages", "notices", "partial_table", "put_joiner", "rx_buffers", "rx_registers",
	"sender_table"}

// TestDefectsOfUnits plants defects in them with -tb.defects, and runs the receive side beside its model.
func TestDefectsOfUnits(t *testing.T) {
	if !block.Planting() {
		t.Skip("-tb.defects is not given")
	}
	const platform = "u55c_tcp"
	paths, err := sources(t.Context(), platform)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // each build is used once
	defer delete(loaded, platform)
	for _, unit := range units {
		at := slices.IndexFunc(paths, func(path string) bool { return filepath.Base(path) == unit+".sv" })
		if at < 0 {
			t.Fatalf("there is no %s", unit)
		}
		text, err := os.ReadFile(paths[at])
		if err != nil {
			t.Fatal(err)
		}
		block.Plant(t, "receive_side", unit, string(text), func(changed string) error {
			edited := slices.Clone(paths)
			edited[at] = filepath.Join(t.TempDir(), unit+".sv")
			if err := os.WriteFile(edited[at], []byte(changed), 0o644); err != nil {
				t.Fatal(err)
			}
			if loaded[platform], err = build(t.Context(), edited); err != nil {
				return fmt.Errorf("%w: %w", block.ErrBuild, err)
			}
			return finds(t, func(t testing.TB) { newRig(t, platform, 0).random(3000) })
		})
	}
}

// finder is a test that fails if it finds a defect.
type finder struct {
	testing.TB
	found bool
	after []func()
}

func (f *finder) Cleanup(do func())     { f.after = append(f.after, do) }
func (f *finder) Fatalf(string, ...any) { f.Fatal() }
func (f *finder) Fatal(...any) {
	f.found = true
	runtime.Goexit()
}

// finds returns an error if a test fails.
func finds(t *testing.T, run func(testing.TB)) error {
	f, done := &finder{TB: t}, make(chan struct{})
	go func() {
		defer close(done)
		defer func() { f.found = recover() != nil || f.found }() // hardware gave what cannot be
		run(f)
	}()
	<-done
	for _, do := range slices.Backward(f.after) {
		do()
	}
	if f.found {
		return errors.New("it is found")
	}
	return nil
}
