package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestEveryNightIsRecorded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nightly", "runs.jsonl")
	broken := errors.New("broken")
	for _, err := range []error{nil, broken} {
		r := record{Date: time.Date(2026, 11, 25, 1, 2, 3, 0, time.UTC), Commit: "abc", Changed: err != nil}
		got := r.run(t.Context(), []check{
			{"one", func(context.Context) error { return nil }},
			{"two", func(context.Context) error { return err }},
		})
		assert.Check(t, is.Equal((got == nil), (err == nil)), "%v, want %v", got, err)
		must(t, r.add(file))
	}
	text, err := os.ReadFile(file)
	must(t, err)
	type object = map[string]any
	var all []object
	for line := range strings.Lines(string(text)) {
		var o object
		must(t, json.Unmarshal([]byte(line), &o))
		all = append(all, o)
	}
	want := []object{
		{"date": "2026-11-25T01:02:03Z", "commit": "abc", "changed": false, "result": "ok",
			"steps": []any{object{"name": "one", "result": "ok"}, object{"name": "two", "result": "ok"}}},
		{"date": "2026-11-25T01:02:03Z", "commit": "abc", "changed": true, "result": "1 of 2 checks failed: two",
			"steps": []any{object{"name": "one", "result": "ok"}, object{"name": "two", "result": "broken"}}},
	}
	times := cmpopts.IgnoreMapEntries(func(key string, value any) bool {
		seconds, ok := value.(float64)
		return key == "seconds" && ok && seconds >= 0
	})
	assert.Check(t, is.DeepEqual(want, all, times), "-want +")
}

// TestNightlyDoesWhatTheTargetsDo: what the ordinary run leaves out runs somewhere.
func TestNightlyDoesWhatTheTargetsDo(t *testing.T) {
	var names []string
	for _, s := range nightlySteps(time.Now(), new(packages)) {
		names = append(names, s.name)
	}
	for _, want := range []string{
		"go test of everything", "soak", "builds with stand-ins", "hardware of u280_manual", "proofs",
		"defects that benches find",
		"synthesis", "coverage", "arithmetic and control core", "random worlds",
	} {
		assert.Check(t, slices.Contains(names, want), "nightly has no %s: %q", want, names)
	}
}
