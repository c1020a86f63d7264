package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// Making is the origin of a result.
type Making struct {
	Step        *step.Step
	Ingredients []step.Ingredient
	Duration    time.Duration // 0: not known
	// Check, if not nil, looks into each output that is a file.
	Check func(path string) error
}

// Publish copies what a step has left in its work directory into the store. It
// refuses outputs that are missing, empty, or links out of the work directory
// (ErrOutput). A result that is there already, and whole, stays; a damaged one is
// replaced. After an error nothing is left.
func (s *Store) Publish(key, work string, m Making) (*Result, error) {
	result, err := s.publish(key, work, m)
	if err != nil {
		return nil, fmt.Errorf("put the result of %s into the cache: %w", m.Step.ID, err)
	}
	return result, nil
}

func (s *Store) publish(key, work string, m Making) (*Result, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	names, err := collect(work, m.Step)
	if err != nil {
		return nil, err
	}
	if err := s.mkdir(s.path("new")); err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp(s.path("new"), key[:16]+"-")
	if err != nil {
		return nil, err
	}
	defer removeAll(temp)
	if err := errors.Join(os.Chmod(temp, 0o755), s.share(temp)); err != nil {
		return nil, err
	}
	r := &Record{Schema: schema, Key: key, ID: m.Step.ID, Title: m.Step.Title, Kind: m.Step.Kind,
		Ingredients: m.Ingredients,
		Outputs:     m.Step.Outputs, Seconds: m.Duration.Seconds(), When: time.Now().UTC().Truncate(time.Millisecond)}
	me := self()
	r.Host, r.User, r.Work = me.Host, me.User, filepath.Base(work)
	for _, t := range m.Step.Tools {
		r.Tools = append(r.Tools, Tool{t.Name, t.Version})
	}
	if r.Files, err = s.copyAll(filepath.Join(temp, "out"), names); err != nil {
		return nil, err
	}
	for _, f := range r.Files {
		if m.Check == nil || !slices.Contains(r.Outputs, f.Path) {
			continue
		}
		if err := m.Check(filepath.Join(temp, "out", filepath.FromSlash(f.Path))); err != nil {
			return nil, fmt.Errorf("%s is %w: %w", f.Path, ErrOutput, err)
		}
	}
	if err := s.complete(temp, work, r, m.Step); err != nil {
		return nil, err
	}
	return s.place(temp, r)
}

// complete puts the rest of a result beside its files.
func (s *Store) complete(temp, work string, r *Record, st *step.Step) error {
	if err := copyLog(filepath.Join(work, step.LogFile), filepath.Join(temp, step.LogFile), s.mode(0o444)); err != nil {
		return err
	}
	text, err := r.encode()
	if err != nil {
		return err
	}
	if _, err := copyTo(filepath.Join(temp, step.ScriptFile), bytes.NewReader(st.Script()), s.mode(0o444)); err != nil {
		return err
	}
	_, err = copyTo(filepath.Join(temp, recordFile), bytes.NewReader(text), s.mode(0o444))
	return err
}

// place moves a whole result to where it is found.
func (s *Store) place(temp string, r *Record) (*Result, error) {
	if err := s.mkdir(s.path("steps")); err != nil {
		return nil, err
	}
	dir := s.ResultDir(r.Key)
	for range 10 {
		// An empty directory would be replaced; one with files is not.
		err := os.Rename(temp, dir)
		if err == nil {
			syncDir(s.path("steps"))
			s.touch(r.Key)
			result := &Result{Record: *r, Dir: dir}
			_ = s.Note(r.ID, result) // without it only "why" and expected times know less
			return result, nil
		}
		there, getErr := s.Get(r.Key)
		switch {
		case getErr == nil:
			_ = s.Note(there.ID, there)
			return there, nil
		case errors.Is(getErr, ErrDamaged):
			if err := s.discard(dir); err != nil && !absent(err) {
				return nil, fmt.Errorf("replace what is damaged: %w", err)
			}
		case !errors.Is(getErr, ErrMissing):
			return nil, getErr
		default:
			if _, statErr := os.Lstat(dir); absent(statErr) && !absent(err) {
				return nil, err
			}
		}
	}
	return nil, fmt.Errorf("%s cannot be replaced", dir)
}

// syncDir is best effort: not all file systems can.
func syncDir(name string) {
	if d, err := os.Open(name); err == nil {
		d.Sync()
		d.Close()
	}
}
