package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/output"
)

var (
	// ErrDamaged matches errors of reports that are no whole JSON.
	ErrDamaged = errors.New("the report is damaged")
	// ErrSchema matches errors of reports of another schema.
	ErrSchema = errors.New("the report was written by another version of this program")
)

// Write writes the report as JSON, whole or not at all.
func (r *Report) Write(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = output.WriteFile(path, append(text, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write the report of the build: %w", err)
	}
	return nil
}

// Read reads a report. The error matches ErrDamaged, ErrSchema or fs.ErrNotExist.
func Read(path string) (*Report, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the report of a build: %w", err)
	}
	r := &Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("read the report of a build: %s: %w: %w", path, ErrDamaged, err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("read the report of a build: %s: %w: it has schema %d, not %d", path,
			ErrSchema, r.Schema, Schema)
	}
	return r, nil
}

// History is the reports of earlier builds of a platform, one file each, in a
// directory of their own.
type History struct {
	Dir  string
	Keep int // how many are kept; 0 stands for 50
}

const keep = 50

// stamp orders file names by time.
const stamp = "20060102T150405.000000000Z"

// Add puts a report into the history and removes the oldest ones. Equal reports of the
// same instant are kept once.
func (h History) Add(r *Report) error {
	if err := os.MkdirAll(h.Dir, 0o755); err != nil {
		return fmt.Errorf("keep the report of the build: %w", err)
	}
	path := filepath.Join(h.Dir, r.Time.UTC().Format(stamp)+".json")
	for n := 2; ; n++ {
		other, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			break
		}
		if text, err2 := json.MarshalIndent(r, "", "  "); err == nil && err2 == nil &&
			bytes.Equal(bytes.TrimSpace(other), text) {
			return nil
		}
		path = filepath.Join(h.Dir, fmt.Sprintf("%s-%d.json", r.Time.UTC().Format(stamp), n))
	}
	if err := r.Write(path); err != nil {
		return err
	}
	return h.prune()
}

// names are the files of the history, newest first. There are none if there is no
// directory.
func (h History) names() ([]string, error) {
	entries, err := os.ReadDir(h.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read the history of builds: %w", err)
	}
	var list []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") {
			list = append(list, e.Name())
		}
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list, nil
}

func (h History) prune() error {
	names, err := h.names()
	if err != nil {
		return err
	}
	limit := h.Keep
	if limit <= 0 {
		limit = keep
	}
	for i, name := range names {
		if i < limit {
			continue
		}
		if err := os.Remove(filepath.Join(h.Dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove an old report: %w", err)
		}
	}
	return nil
}

// List reads the history, newest first. Reports that cannot be read are left out;
// the error then names them, beside the rest of the list.
func (h History) List() ([]*Report, error) {
	names, err := h.names()
	if err != nil {
		return nil, err
	}
	var list []*Report
	var errs []error
	for _, name := range names {
		r, err := Read(filepath.Join(h.Dir, name))
		switch {
		case err == nil:
			list = append(list, r)
		case !errors.Is(err, os.ErrNotExist): // another build has pruned it
			errs = append(errs, err)
		}
	}
	return list, errors.Join(errs...)
}
