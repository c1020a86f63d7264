package slurm

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cclforge/cclforge/gen/output"
)

// record says, in a work directory, that a job was submitted for it. It is there
// before the job is. The job's number is in the name of the file: whoever knows it
// first renames it, the submitter or the job itself when it begins, and only the job
// whose number it is works. So a record without a number can be taken back, and its
// job then never does anything.
type record struct {
	Key  string `json:"key"`
	User int    `json:"user"` // who submitted it

	id  string // that of the file without a number
	job string // number; empty if nobody knows it yet
}

const recordPrefix, recordSuffix = "slurm-", ".json"

func newRecord(key string) *record {
	return &record{Key: key, User: os.Getuid(), id: rand.Text()}
}

// file is the name of the record's file when it has a number, or none.
func (r *record) file(job string) string {
	if job != "" {
		job = "." + job
	}
	return recordPrefix + r.id + job + recordSuffix
}

// write puts a new record into a directory, whole or not at all.
func (r *record) write(dir string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	// Others may follow the job.
	if err := output.WriteFile(filepath.Join(dir, r.file(r.job)), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("record a job: %w", err)
	}
	return nil
}

// claim gives the record to a job. It has that of another one if that was first, and
// none if the record has gone.
func (r *record) claim(dir, job string) error {
	err := os.Rename(filepath.Join(dir, r.file("")), filepath.Join(dir, r.file(job)))
	if errors.Is(err, fs.ErrNotExist) {
		return r.reread(dir)
	}
	if err != nil {
		return fmt.Errorf("record job %s: %w", job, err)
	}
	r.job = job
	return nil
}

// withdraw removes a record that has no number. It has one afterwards if its job was
// first.
func (r *record) withdraw(dir string) error {
	err := os.Remove(filepath.Join(dir, r.file("")))
	if errors.Is(err, fs.ErrNotExist) {
		return r.reread(dir)
	}
	return err
}

// reread looks whether the record has a number by now.
func (r *record) reread(dir string) error {
	list, err := records(dir)
	for _, other := range list {
		if other.id == r.id {
			r.job = other.job
		}
	}
	return err
}

// revoke removes a record; its job, if it has not begun, does nothing when it does.
func (r *record) revoke(dir string) error {
	err := os.Remove(filepath.Join(dir, r.file(r.job)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// records are those of a directory. One that has another name by the time it is read
// is looked for again.
func records(dir string) (found []*record, err error) {
	for range 3 {
		var whole bool
		if found, whole, err = list(dir); err != nil || whole {
			break
		}
	}
	return found, err
}

// list is whole if no record has gone between the look at the directory and that at
// the record.
func list(dir string) (found []*record, whole bool, err error) {
	// Not filepath.Glob, as the directory's name may look like a pattern.
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	whole = true
	for _, entry := range entries {
		name, ok := strings.CutPrefix(entry.Name(), recordPrefix)
		if !ok || !strings.HasSuffix(name, recordSuffix) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			whole = false
			continue
		}
		if err != nil {
			return nil, false, err
		}
		r := &record{}
		var numbered bool
		r.id, r.job, numbered = strings.Cut(strings.TrimSuffix(name, recordSuffix), ".")
		if err := json.Unmarshal(text, r); err != nil || strings.Trim(r.job, "0123456789") != "" || numbered && r.job == "" {
			return nil, false, fmt.Errorf(
				"%s is no record of a Slurm job: remove it when you are sure that none runs in this directory", filepath.Join(dir,
					entry.Name()))
		}
		found = append(found, r)
	}
	return found, whole, nil
}
