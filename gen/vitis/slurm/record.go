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
)

// record says, in a work directory, which job was submitted for it. It is there
// before the job is, without its number: a job only runs while its record is there.
type record struct {
	Key  string `json:"key"`
	User int    `json:"user"`          // who submitted it
	Job  string `json:"job,omitempty"` // number; empty until sbatch has said it

	name string // of the file
}

const recordPattern = "slurm-*.json"

func newRecord(key string) *record {
	return &record{Key: key, User: os.Getuid(), name: "slurm-" + rand.Text() + ".json"}
}

// write puts a record into a directory, whole or not at all.
func (r *record) write(dir string) (err error) {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".slurm-*")
	if err != nil {
		return fmt.Errorf("record a job: %w", err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
			err = fmt.Errorf("record a job: %w", err)
		}
	}()
	_, err = f.Write(append(text, '\n'))
	// Others may follow the job.
	if err := errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(dir, r.name))
}

// revoke removes a record; its job, if there is one, does nothing when it starts.
func (r *record) revoke(dir string) error {
	err := os.Remove(filepath.Join(dir, r.name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// records are those of a directory.
func records(dir string) ([]*record, error) {
	// Not filepath.Glob, as the directory's name may look like a pattern.
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []*record
	for _, entry := range entries {
		if ok, err := filepath.Match(recordPattern, entry.Name()); !ok || err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		r := &record{name: entry.Name()}
		if err := json.Unmarshal(text, r); err != nil || strings.Trim(r.Job, "0123456789") != "" {
			return nil, fmt.Errorf("%s is no record of a Slurm job: remove it when you are sure that none runs in this directory", filepath.Join(dir, entry.Name()))
		}
		found = append(found, r)
	}
	return found, nil
}
