package command

import (
	"runtime/debug"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestVersion(t *testing.T) {
	ours := debug.Module{Path: "github.com/cclforge/cclforge", Version: "v1.2.3"}
	here := debug.Module{Path: ours.Path, Version: "v0.0.0", Replace: &debug.Module{Path: "../cclforge"}}
	fork := debug.Module{Path: ours.Path, Version: "v0.0.0",
		Replace: &debug.Module{Path: "example.com/fork", Version: "v1.9.0"}}
	user := debug.Module{Path: "example.com/user", Version: "v9.9.9"}
	commit := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef0123"},
		{Key: "vcs.modified", Value: "true"}}
	for want, info := range map[string]debug.BuildInfo{
		"v1.2.3 (go1.26.0)": {Main: ours},
		"v1.2.3 (go1.26.1)": {Main: user,
			Deps: []*debug.Module{{Path: "x", Version: "v3"}, &ours}},
		"(devel) in ../cclforge (go1.26.0)": {Main: user, Deps: []*debug.Module{&here}},
		"v1.9.0 (go1.26.0)":                 {Main: user, Deps: []*debug.Module{&fork}},
		"(devel) (go1.26.0)":                {Main: debug.Module{Path: ours.Path}},
		"v9 (go1.26.0)": {Main: user,
			Deps: []*debug.Module{{Path: ours.Path, Version: "v9"}}, Settings: commit},
		"v1.2.3 (commit 0123456789ab, modified, go1.26.0)": {Main: ours, Settings: commit},
	} {
		info.GoVersion = want[len(want)-len("go1.26.0)") : len(want)-1]
		assert.Check(t, is.Equal(versionOf(&info), want))
	}
}
