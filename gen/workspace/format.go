package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/gen/platform"
)

// Format brings the descriptions in a directory's platforms folder to HCL's
// canonical form and lists the files that were not in it. With write unset it
// only lists them. Files that cannot be parsed are reported, and then nothing
// is written.
func Format(dir string, write bool) ([]string, error) {
	root := filepath.Join(dir, platform.Root)
	texts := map[string][]byte{}
	var changed []string
	parser := lang.NewParser()
	var diags hcl.Diagnostics
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.HasSuffix(file, ".hcl") {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		_, d := parser.Parse(display(root, file), text)
		diags = append(diags, d...)
		if formatted := hclwrite.Format(text); !bytes.Equal(formatted, text) {
			texts[file] = formatted
			changed = append(changed, file)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no folder %s here", root)
	}
	if err != nil {
		return nil, fmt.Errorf("format: %w", err)
	}
	if diags.HasErrors() {
		return nil, &Problems{diags, parser}
	}
	for _, file := range changed {
		if !write {
			break
		}
		if err := output.Replace(file, texts[file]); err != nil {
			return nil, fmt.Errorf("format: %w", err)
		}
	}
	return changed, nil
}

// display is how diagnostics call a file of the platforms folder.
func display(root, file string) string {
	rel, err := filepath.Rel(root, file)
	if err != nil {
		return file
	}
	return path.Join(platform.Root, filepath.ToSlash(rel))
}
