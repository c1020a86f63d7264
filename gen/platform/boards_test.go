package platform_test

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/platform"
)

// naming are the lines of a text that name a board or its part: as a word, or inside
// the name of a part or a shell. Names of platforms, like u55c_tcp, are others.
func naming(text []byte, boards map[string]*platform.Board, comment string) []string {
	var words []string
	for name, b := range boards {
		words = append(words, name, regexp.QuoteMeta(b.Part), regexp.QuoteMeta(b.Shell))
	}
	form := regexp.MustCompile(`(?i)(\b|_|\bxc|\ba)(` + strings.Join(words, "|") + `)(\b|-|_gen|_xdma)`)
	var found []string
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		line := lines.Text()
		if at := strings.Index(line, comment); at >= 0 && !strings.Contains(line[:at], `"`) {
			line = line[:at]
		}
		if form.MatchString(line) && !strings.Contains(line, `board = "`) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// comments are those of the languages that are looked at. Examples in them may name
// boards.
var comments = map[string]string{
	".go": "//", ".hcl": "#", ".tmpl": "{{/*", ".sv": "//", ".c": "//", ".h": "//", ".cpp": "//", ".hpp": "//",
	".tcl": "#", ".py": "#",
}

// TestNothingNamesABoard holds that a board is one file: nothing but the files of
// boards, and platforms that choose one, knows boards by name.
func TestNothingNamesABoard(t *testing.T) {
	lib := designtest.Library(t)
	assert.Equal(t, len(naming([]byte("var hbm = map[string]int{\"u55c\": 512}\nxcu280 // u50"), lib.Boards, "//")), 2,
		"names are not found")
	looked := 0
	tree := os.DirFS("../..")
	err := fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case e.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "out" || base == "testdata" ||
			name == "verify/examples" || name == "platforms/boards"):
			return fs.SkipDir
		case e.IsDir() || path.Dir(name) == platform.Root || strings.HasSuffix(base, "_test.go") ||
			comments[path.Ext(base)] == "":
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		looked++
		for _, line := range naming(text, lib.Boards, comments[path.Ext(name)]) {
			t.Errorf("%s names a board: %s", name, line)
		}
		return nil
	})
	assert.Check(t, err == nil && looked >= 1000, "looked at %d files: %v", looked, err)
}
