package vitis

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// twice are the things that were done more than once.
func twice(done []string) []string {
	count := map[string]int{}
	var list []string
	for _, w := range done {
		if count[w]++; count[w] == 2 && w != "make" {
			list = append(list, w)
		}
	}
	return list
}

// TestTwoAtOnce has two users build the same with one cache at the same time.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	const name = "u280_tcp"
	b := newBench(t, standin.Options{Pace: 30 * time.Millisecond})
	other := *b
	other.dir = t.TempDir()
	var both sync.WaitGroup
	for _, user := range []*bench{b, &other} {
		both.Go(func() {
			if o := user.run("build", name); o.code != 0 {
				t.Error(o)
			}
		})
	}
	both.Wait()
	done := b.done()
	if list := twice(done); len(list) > 0 {
		t.Errorf("done twice: %q", list)
	}
	if diff := difference(done, wanted(designOf(t, name))); diff != "" {
		t.Error(diff)
	}
	if b.content(name) != other.content(name) {
		t.Error("the two have different results")
	}
}

// TestTwoPlatforms builds two platforms of one board: what they have in common is
// built once.
func TestTwoPlatforms(t *testing.T) {
	t.Parallel()
	b := newBench(t, standin.Options{})
	b.build("u280_udp")
	first := b.done()
	b.build("u280_tcp", "u280_udp")
	second := b.done()
	for _, w := range []string{"package hp_compression", "package loopback", "package reduce_ops"} {
		if !strings.Contains(strings.Join(first, ","), w) {
			t.Errorf("%s did not run at first: %q", w, first)
		}
		if strings.Contains(strings.Join(second, ","), w) {
			t.Errorf("%s ran again for the other platform", w)
		}
	}
	b.linked("u280_tcp")
	b.linked("u280_udp")
}
