package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/platform"
)

const platformExtension = ".xpfm"

// Platform finds the file of a board platform as v++ does: a file, or a name that is
// looked for in the directories of the toolchain's variable and then in the usual
// ones, as <name>/<name>.xpfm or <name>.xpfm. The error matches ErrMissing and says
// where was looked. An assumed set answers without looking.
func (s *Set) Platform(name string) (string, error) {
	if strings.HasSuffix(name, platformExtension) {
		if s.assumed || regular(name) {
			return name, nil
		}
		return "", fmt.Errorf("the board platform %s is %w: there is no such file", name, ErrMissing)
	}
	if s.assumed {
		return filepath.Join("/opt/xilinx/platforms", name, name+platformExtension), nil
	}
	var looked []string
	for _, dir := range s.platformDirs() {
		for _, path := range []string{
			filepath.Join(dir, name, name+platformExtension),
			filepath.Join(dir, name+platformExtension),
			filepath.Join(dir, name, "hw", name+platformExtension),
		} {
			if regular(path) {
				return path, nil
			}
		}
		looked = append(looked, dir)
	}
	where := "nowhere: no directory of board platforms is known"
	if len(looked) > 0 {
		where = "in " + strings.Join(looked, ", ")
	}
	return "",
		fmt.Errorf(
			"the board platform %s is %w; looked for %s%s %s. Install its development package, or set %s to the directory "+
				"that has it",
			name, ErrMissing, name, platformExtension, where, s.chain.PlatformVariable)
}

func (s *Set) platformDirs() []string {
	var dirs []string
	add := func(dir string) {
		if dir != "" && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range filepath.SplitList(s.env.lookup(s.chain.PlatformVariable)) {
		add(dir)
	}
	for _, dir := range s.chain.Platforms {
		if rest, ok := strings.CutPrefix(dir, "$"); ok {
			variable, below, _ := strings.Cut(rest, "/")
			root := s.Variable(variable)
			if root == "" {
				continue
			}
			dir = filepath.Join(root, filepath.FromSlash(below))
		}
		add(dir)
	}
	return dirs
}

// BoardWarning is the known problem of a board's platform with this version of the tools;
// "" for none.
func (s *Set) BoardWarning(b *platform.Board) string {
	why, ok := b.Avoid[s.Facts.Version]
	if !ok {
		return ""
	}
	return fmt.Sprintf("Vitis %s and the board platform %s do not go together: %s", s.Facts.Version, b.Shell, why)
}

func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// PlatformVariable is the environment variable that lists the directories of board platforms.
func (s *Set) PlatformVariable() string { return s.chain.PlatformVariable }

// RepositoryOf is the directory that PlatformVariable must list so that v++ finds a board
// platform by its name; "" if it was not found by name.
func (s *Set) RepositoryOf(file, name string) string {
	if name == file {
		return ""
	}
	for _, dir := range s.platformDirs() {
		if below, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(below) {
			return dir
		}
	}
	return ""
}

// Since is the first version with a feature; "" if unknown.
func (s *Set) Since(what string) string { return s.chain.Since[what] }
