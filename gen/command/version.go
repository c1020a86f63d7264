package command

import (
	"runtime/debug"
	"strings"
)

const module = "github.com/cclforge/cclforge"

// Version is that of cclforge in this program, its commit as far as it is known, and that
// of Go: "v1.2.0 (commit 0123456789ab, go1.26.0)". Without a version it is "(devel)", or
// where the replacement of the module is. The version of a commit without a tag ends with
// the commit.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	text := "(devel)"
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path != module {
			continue
		}
		switch {
		case m.Replace != nil && m.Replace.Version != "":
			text = m.Replace.Version
		case m.Replace != nil:
			text = "(devel) in " + m.Replace.Path
		case m.Version != "":
			text = m.Version
		}
	}
	return text + " (" + commitOf(info) + strings.TrimSpace(info.GoVersion) + ")"
}

// commitOf is the commit that the program was built from, if cclforge is its main module.
func commitOf(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	if info.Main.Path != module || commit == "" {
		return ""
	}
	text := "commit " + commit[:min(len(commit), 12)]
	if settings["vcs.modified"] == "true" {
		text += ", modified"
	}
	return text + ", "
}
