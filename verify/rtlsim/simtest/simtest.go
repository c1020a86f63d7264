// Package simtest keeps recordings of simulated cards of tests that fail, and makes
// waveforms of the last cycles of the first one when all tests have ended: the hardware
// is built for it once more, which takes minutes.
package simtest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cclforge/cclforge/verify/rtlsim"
)

var cyclesFlag = flag.Uint64("sim.waves", rtlsim.DefaultWindow,
	"cycles of waveforms, the last ones, of simulated cards of the first test that fails; 0 for none, nor recordings")

// moreWaves is how many times as many cycles the command has that makes more waveforms.
const moreWaves = 8

// mostCards is how many cards of a test are recorded: the last ones.
const mostCards = 32

// Cards are those of a test, in a world or one after the other.
type Cards struct {
	mu   sync.Mutex
	list []recorded
	made int
	kept bool
}

type recorded struct {
	name string
	r    *rtlsim.Recorder
}

// Record records cards of a test. If the test has failed in the end, the recordings
// are kept.
func Record(t testing.TB) *Cards {
	c := &Cards{}
	t.Cleanup(func() {
		if t.Failed() {
			c.Keep(t)
		}
	})
	return c
}

// Part keeps recordings of a part of the test if that fails. They end with it.
func (c *Cards) Part(t testing.TB) {
	t.Cleanup(func() {
		if t.Failed() {
			c.keep(t)
		}
	})
}

// Card is the recorder for a card, by its name in the world, or nil if nothing is to be
// recorded.
func (c *Cards) Card(name string) *rtlsim.Recorder {
	if *cyclesFlag == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, other := range c.list {
		if other.name == name { // which has ended
			name = fmt.Sprintf("%s.%d", name, c.made)
			break
		}
	}
	c.made++
	r := rtlsim.NewRecorder()
	c.list = append(c.list, recorded{name, r})
	c.list = c.list[max(0, len(c.list)-mostCards):]
	return r
}

// Keep keeps the recordings of a test that is about to fail or has done so, unless
// they have been kept for it or a part of it.
func (c *Cards) Keep(t testing.TB) {
	t.Helper()
	c.mu.Lock()
	kept := c.kept
	c.mu.Unlock()
	if !kept {
		c.keep(t)
	}
}

func (c *Cards) keep(t testing.TB) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = true
	dir := directory(t)
	if err := os.RemoveAll(dir); err != nil { // of an earlier run
		t.Log(err)
	}
	var files []string
	for _, card := range c.list {
		file := filepath.Join(dir, card.name+recordingSuffix)
		cycles := card.r.Cycle()
		if cycles == 0 {
			continue
		}
		if err := card.r.Save(file); err != nil {
			t.Log(err)
			continue
		}
		t.Logf("%s was recorded for %d cycles; waveforms of more of them, or others: %s", card.name, cycles,
			command(file, cycles))
		files = append(files, file)
	}
	if len(files) > 0 && later.take(t.Name(), files) {
		t.Logf("waveforms of the last %d cycles follow the last test, which takes minutes: %s", *cyclesFlag,
			filepath.Join(dir, "*"+waveSuffix))
	}
}

// Suffixes of files.
const (
	recordingSuffix = ".rec"
	waveSuffix      = ".fst"
)

// command is how somebody makes waveforms of a recording.
func command(file string, cycles uint64) string {
	if short, err := filepath.Rel(root(), file); err == nil && filepath.IsLocal(short) {
		file = short
	}
	return fmt.Sprintf("go tool mage replay %s -window=%d:%d", file, cycles-min(cycles, moreWaves**cyclesFlag), cycles)
}

// directory is where the files of a test go.
func directory(t testing.TB) string {
	if f := flag.Lookup("test.artifacts"); f != nil && f.Value.String() == "true" {
		return filepath.Join(t.ArtifactDir(), "waves")
	}
	name := strings.Map(func(r rune) rune {
		if r == '/' {
			return '.'
		}
		if strings.ContainsRune(`\:*?"'<>|&;$()`, r) || r <= ' ' {
			return '_'
		}
		return r
	}, t.Name())
	return filepath.Join(root(), "out", "waves", name)
}

// begun is where the tests were begun.
var begun, _ = os.Getwd()

// root is that of the module.
func root() string {
	for at := begun; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return begun
		}
	}
}
