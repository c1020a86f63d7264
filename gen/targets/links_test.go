package targets_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// largestREADME is what a newcomer reads of a folder, in bytes.
const largestREADME = 8192

var (
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
	spans   = regexp.MustCompile("`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinksOfDocuments follows the links of all Markdown files to files and headings of the
// repository.
func TestLinksOfDocuments(t *testing.T) {
	root := os.DirFS("../..")
	names := documents(t, root)
	links := 0
	for _, name := range names {
		for _, target := range linksOf(read(t, root, name)) {
			links++
			assert.Check(t, is.Equal(follow(t, root, name, target), ""), "%s links to %s", name, target)
		}
	}
	for _, name := range []string{"README.md", ".github/CONTRIBUTING.md", "templates/rtl/README.md"} {
		assert.Check(t, slices.Contains(names, name), "no %s among %q", name, names)
	}
	assert.Check(t, links >= 50, "%d links in %q", links, names)
}

// TestDocumentsAreShort measures the README of each folder.
func TestDocumentsAreShort(t *testing.T) {
	root := os.DirFS("../..")
	for _, name := range documents(t, root) {
		if text := read(t, root, name); path.Base(name) == "README.md" && len(text) > largestREADME {
			t.Errorf("%s has %d bytes; the limit is %d", name, len(text), largestREADME)
		}
	}
}

// TestBrokenLinks breaks a document in each way that links can be broken.
func TestBrokenLinks(t *testing.T) {
	root := os.DirFS("../..")
	text := "[a](../driver/README.md) `[b](code.md)`\n```\n[c](code.md)\n```\n" +
		"[d](https://example.com/none) [e](missing.md) [f](../README.md#a-program) [g](../README.md#missing) " +
		"[h](../../x.md)\n"
	var wrong []string
	for _, target := range linksOf(text) {
		if follow(t, root, "gen/README.md", target) != "" {
			wrong = append(wrong, target)
		}
	}
	want := []string{"missing.md", "../README.md#missing", "../../x.md"}
	assert.Check(t, slices.Equal(wrong, want), "broken are %q, not %q", wrong, want)
}

// documents are the Markdown files of the repository, without those that are generated.
func documents(t *testing.T, root fs.FS) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && (name == "out" || name == ".git" || e.Name() == "testdata") {
			return fs.SkipDir
		}
		if path.Ext(name) == ".md" {
			names = append(names, name)
		}
		return err
	})
	assert.NilError(t, err)
	return names
}

func read(t *testing.T, root fs.FS, name string) string {
	t.Helper()
	text, err := fs.ReadFile(root, name)
	assert.NilError(t, err)
	return string(text)
}

// linksOf are the targets of a document's links and pictures, outside of code.
func linksOf(text string) []string {
	var targets []string
	text = spans.ReplaceAllString(fenced.ReplaceAllString(text, ""), "")
	for _, found := range link.FindAllStringSubmatch(text, -1) {
		targets = append(targets, found[1])
	}
	return targets
}

// follow says what is wrong with a link of a document, and nothing if it leads out of the
// repository by its scheme.
func follow(t *testing.T, root fs.FS, document, target string) string {
	if strings.Contains(target, "://") {
		return ""
	}
	file, anchor, _ := strings.Cut(target, "#")
	name := document
	if file != "" {
		name = path.Join(path.Dir(document), file)
	}
	if !filepath.IsLocal(name) {
		return "it is outside of the repository"
	}
	if _, err := fs.Stat(root, name); err != nil {
		return err.Error()
	}
	if anchor != "" && !slices.Contains(anchors(read(t, root, name)), anchor) {
		return "no such heading"
	}
	return ""
}

// anchors are the names of a document's headings in links.
func anchors(text string) []string {
	var names []string
	for _, found := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		plain := dropped.ReplaceAllString(strings.ToLower(found[1]), "")
		names = append(names, strings.ReplaceAll(plain, " ", "-"))
	}
	return names
}
