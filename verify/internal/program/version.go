package program

import (
	"runtime/debug"
	"strings"
)

const module = "github.com/cclforge/cclforge"

// Version is that of cclforge in this program, and of Go: "v1.2.0 (go1.26.0)". Without a
// version it is "(devel)", or where the replacement of the module is.
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
	return text + " (" + strings.TrimSpace(info.GoVersion) + ")"
}
