package workspace

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
)

//go:embed starter.hcl.tmpl
var starterText string

var starter = template.Must(template.New("starter").Option("missingkey=error").Parse(starterText))

// Start writes a commented platform file to begin with, and returns its name.
// It never replaces a file.
func (w *Workspace) Start(name, board string) (string, error) {
	lib, err := w.Library()
	if err != nil {
		return "", err
	}
	if err := checkNewName(lib, name); err != nil {
		return "", err
	}
	if _, ok := lib.Boards[board]; !ok {
		return "", fmt.Errorf("there is no board %q. %s", board, lang.Choices(board, sortedNames(lib.Boards)))
	}
	text, err := render(lib, name, board)
	if err != nil {
		return "", err
	}
	noEnvironment := func(string) (string, bool) { return "", false }
	_, diags := design.Load(lib.With(name, text), name, lang.Inputs{LookupEnv: noEnvironment})
	if err := w.Check(diags); err != nil {
		return "", err
	}
	file := filepath.Join(w.dir, platform.Root, name+".hcl")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", fmt.Errorf("start a platform: %w", err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", fmt.Errorf("start a platform: %w", err)
	}
	_, err = f.Write(text)
	return file, errors.Join(err, f.Close())
}

func checkNewName(lib *platform.Library, name string) error {
	language, keyword := lang.Keyword(name)
	switch {
	case !lang.LowerSnake(name):
		return fmt.Errorf("%q cannot name a platform: use lower-case letters, digits and single underscores, a letter first",
			name)
	case keyword:
		return fmt.Errorf("%q cannot name a platform: it is a keyword of %s", name, language)
	case slices.Contains(platform.ReservedNames, name):
		return fmt.Errorf("%q cannot name a platform: it is a directory of the output", name)
	case slices.Contains(lib.PlatformNames(), name):
		return fmt.Errorf("there is a platform %q already, in %s.hcl", name, path.Join(platform.Root, name))
	}
	return nil
}

func render(lib *platform.Library, name, board string) ([]byte, error) {
	var users, hosts []string
	for id, k := range lib.Kernels {
		if k.Role == "user" {
			users = append(users, id)
		}
	}
	for id, b := range lib.Boards {
		if b.HasMemoryFor("host") {
			hosts = append(hosts, id)
		}
	}
	var out bytes.Buffer
	err := starter.Execute(&out, map[string]string{
		"Name": name, "Board": board, "EnvPrefix": lang.EnvPrefix,
		"Boards":      strings.Join(sortedNames(lib.Boards), ", "),
		"ABIs":        strings.Join(sortedNames(lib.ABIs), ", "),
		"UserKernels": strings.Join(slices.Sorted(slices.Values(users)), ", "),
		"HostBoards":  strings.Join(slices.Sorted(slices.Values(hosts)), ", "),
	})
	return out.Bytes(), err
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
