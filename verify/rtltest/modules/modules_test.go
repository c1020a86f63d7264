package modules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEveryModuleIsChecked(t *testing.T) {
	names, err := Names()
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 100 {
		t.Fatalf("only %d modules are found", len(names))
	}
	all := All()
	for _, name := range names {
		c, ok := all[name]
		switch {
		case !ok:
			t.Errorf("%s: nobody says what checks it", name)
		case c.Own != "" && (c.Within != "" || c.Why != ""), c.Own == "" && (c.Within == "" || c.Why == ""):
			t.Errorf("%s: it has a bench of its own, or is checked within another one for a reason", name)
		}
	}
	for name, c := range all {
		if !slices.Contains(names, name) {
			t.Errorf("%s: there is no such module", name)
		}
		text, err := source(filepath.Join("..", "..", filepath.FromSlash(c.Own+c.Within)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.Own != "" && !strings.Contains(text, `"`+name+`"`) {
			t.Errorf("%s: the bench in %s does not name it", name, c.Own)
		}
	}
	if n := len(receiving) + len(sending) + len(elsewhere); n != len(all) {
		t.Errorf("%d rows for %d modules", n, len(all))
	}
}

// source is all Go of a folder.
func source(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		text.Write(b)
	}
	if text.Len() == 0 {
		return "", os.ErrNotExist
	}
	return text.String(), nil
}
