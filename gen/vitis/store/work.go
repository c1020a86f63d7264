package store

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// NewWork makes an empty work directory for a key: work/<key>/<microseconds since
// 1970>. No directory has a name that an earlier one had: jobs may still look for
// that.
func (s *Store) NewWork(key string) (string, error) {
	if err := checkKey(key); err != nil {
		return "", err
	}
	base := s.path("work", key)
	next := int(time.Now().UnixMicro())
	if all := s.numbers(base); len(all) > 0 {
		next = max(next, all[len(all)-1]+1)
	}
	for range 1000 {
		if err := s.mkdir(base); err != nil {
			return "", err
		}
		dir := filepath.Join(base, strconv.Itoa(next))
		err := os.Mkdir(dir, 0o777)
		switch {
		case err == nil:
			return dir, s.share(dir)
		case errors.Is(err, fs.ErrExist):
			next++
		case !absent(err): // somebody has just removed base
			return "", err
		}
	}
	return "", errors.New("no work directory can be made in " + base)
}

// Works are the work directories of a key, the newest first.
func (s *Store) Works(key string) []string {
	if checkKey(key) != nil {
		return nil
	}
	base := s.path("work", key)
	var dirs []string
	for _, n := range slices.Backward(s.numbers(base)) {
		dirs = append(dirs, filepath.Join(base, strconv.Itoa(n)))
	}
	return dirs
}

func (s *Store) numbers(base string) []int {
	entries, _ := os.ReadDir(base)
	var numbers []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 && e.IsDir() {
			numbers = append(numbers, n)
		}
	}
	slices.SortFunc(numbers, cmp.Compare)
	return numbers
}

// Discard removes a work directory, for others at once.
func (s *Store) Discard(work string) error {
	base := filepath.Dir(work)
	if filepath.Dir(base) != s.path("work") || checkKey(filepath.Base(base)) != nil {
		return errors.New(work + " is no work directory of the cache")
	}
	err := s.discard(work)
	os.Remove(base) // if it is empty
	return err
}
