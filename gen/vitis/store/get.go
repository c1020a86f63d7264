package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

// Result is a result in the store.
type Result struct {
	Record
	// Dir is its directory in the store. What is in it may be read and copied, and
	// never changed.
	Dir string

	text []byte // of the record's file
}

// Path is where an output or report of the result is.
func (r *Result) Path(output string) string {
	return filepath.Join(r.Dir, "out", filepath.FromSlash(output))
}

// Get finds a result. The error matches ErrMissing if there is none, and also ErrDamaged
// if it is not whole; it then names the damage. Files are checked by size and time, and
// by hash if the time differs.
func (s *Store) Get(key string) (*Result, error) {
	s.mu.Lock()
	doubted := s.doubted[key]
	s.mu.Unlock()
	return s.get(key, doubted)
}

// Sound is Get with a check of all files by hash, which it remembers. Later calls of Get
// see the damage that it finds.
func (s *Store) Sound(key string) (*Result, error) {
	r, err := s.get(key, true)
	if errors.Is(err, ErrDamaged) {
		s.mu.Lock()
		s.doubted[key] = true
		s.mu.Unlock()
	}
	return r, err
}

func (s *Store) get(key string, doubted bool) (*Result, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	dir := s.ResultDir(key)
	text, err := readSmall(filepath.Join(dir, recordFile))
	if absent(err) {
		if _, err := os.Lstat(dir); err == nil {
			return nil, fmt.Errorf("%w (%w): %s: there is no %s", ErrMissing, ErrDamaged, dir, recordFile)
		}
		return nil, ErrMissing
	}
	if err != nil {
		return nil, fmt.Errorf("%w (%w): %w", ErrMissing, ErrDamaged, err)
	}
	r, err := decode(text, recordFile, key)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrMissing, dir, err)
	}
	result := &Result{Record: *r, Dir: dir, text: text}
	for _, f := range r.Files {
		if err := s.check(result.Path(f.Path), f, doubted, s.Hash); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrMissing, dir, err)
		}
	}
	return result, nil
}

// check compares a file with what is recorded about it; its content only if it is
// doubted, or has another time.
func (s *Store) check(name string, f File, doubted bool, hash step.Hasher) error {
	info, err := os.Lstat(name)
	switch {
	case absent(err):
		return fmt.Errorf("%w: %s is gone", ErrDamaged, f.Path)
	case err != nil:
		return err
	case f.Dir && !info.IsDir():
		return fmt.Errorf("%w: %s is no directory", ErrDamaged, f.Path)
	case f.Dir:
		return nil
	case f.Link != "":
		if to, err := os.Readlink(name); err != nil || to != f.Link {
			return fmt.Errorf("%w: %s does not lead to %s", ErrDamaged, f.Path, f.Link)
		}
		return nil
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is no file", ErrDamaged, f.Path)
	case info.Size() != f.Size:
		return fmt.Errorf("%w: %s has %d bytes and had %d", ErrDamaged, f.Path, info.Size(), f.Size)
	case !doubted && info.ModTime().UnixNano() == f.MTime:
		return nil
	}
	sum, err := hash(name)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if sum != f.SHA256 {
		return fmt.Errorf("%w: the content of %s has changed", ErrDamaged, f.Path)
	}
	return nil
}

// lastFile is where the newest record of a step ID is. IDs are no names of files.
func (s *Store) lastFile(id string) string {
	return s.path("last", output.Hash([]byte(id))+".json")
}

// Last is the record of the newest result of a step ID, nil if there was none. The
// result itself may be gone.
func (s *Store) Last(id string) *Record {
	r, err := readRecord(s.lastFile(id), "")
	if err != nil {
		return nil
	}
	return r
}

// Note records a result as the newest one of a step ID, which may differ from the ID of
// the step that made it.
func (s *Store) Note(id string, r *Result) error {
	text := r.text
	var err error
	if text == nil {
		if text, err = r.encode(); err != nil {
			return fmt.Errorf("remember the result of %s: %w", id, err)
		}
	}
	name := s.lastFile(id)
	if known, err := readSmall(name); err == nil && bytes.Equal(known, text) {
		return nil
	}
	if err := s.write(name, text); err != nil {
		return fmt.Errorf("remember the result of %s: %w", id, err)
	}
	return nil
}

// keys are those of the results that are there, sorted.
func (s *Store) keys(kind string) ([]string, error) {
	entries, err := os.ReadDir(s.path(kind))
	if err != nil && !absent(err) {
		return nil, err
	}
	var keys []string
	for _, e := range entries {
		if e.IsDir() && checkKey(e.Name()) == nil {
			keys = append(keys, e.Name())
		}
	}
	return keys, nil
}

// Entry is a result in a list.
type Entry struct {
	Result
	// Bytes is what it takes on disk, with its log.
	Bytes int64
	// Used is when it was used last, by the clock of the file system: nanoseconds
	// since 1970.
	Used int64
	// Err is what is wrong with it; nil if nothing is. If it matches ErrDamaged,
	// Result may only have Key and Dir.
	Err error
}

// List lists all results, those used last first.
func (s *Store) List() ([]Entry, error) {
	keys, err := s.keys("steps")
	if err != nil {
		return nil, fmt.Errorf("list the cache: %w", err)
	}
	var list []Entry
	for _, key := range keys {
		e := Entry{Bytes: size(s.ResultDir(key)), Used: s.used(key)}
		r, err := s.Get(key)
		switch {
		case err == nil:
			e.Result = *r
		case errors.Is(err, ErrDamaged):
			e.Result = Result{Record: Record{Key: key}, Dir: s.ResultDir(key)}
			if known, err := readRecord(filepath.Join(e.Dir, recordFile), key); err == nil {
				e.Record = *known
			}
			e.Err = err
		default:
			continue // it has just gone
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b Entry) int {
		if a.Used != b.Used {
			return int(min(1, max(-1, b.Used-a.Used)))
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

func size(dir string) int64 {
	var n int64
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}
