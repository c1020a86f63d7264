// Package report tells people what goes on and what was measured: lines about long work
// (With, Watch), results as JSON (Write) and as SVG (Plot).
//
// A program puts into its context where lines go. Long work under that context writes a line
// when it begins, and one every 10 s with the time that has passed.
package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Write writes a value as JSON into a file of a directory, which is made if it is
// not there.
func Write(dir, name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), append(text, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
