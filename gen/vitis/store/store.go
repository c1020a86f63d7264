// Package store keeps the results of steps in a directory of a local or network file
// system, where platforms, processes, hosts and users share them.
//
//	steps/<key>/step.json   what the result is; it is there when the result is whole
//	steps/<key>/out/…       outputs and reports
//	steps/<key>/step.log    what the tools said
//	steps/<key>/step.sh     the commands
//	work/<key>/<number>/        work directories
//	last/…                  the newest result of each step ID, also when it is gone
//	locks/…, builds/…       what runs at the moment
//	hashes/…                remembered hashes of files elsewhere
//	new/…, trash/…          on the way in and out
//
// Results and work directories appear and disappear by one rename. Keys are 64
// hexadecimal digits; nothing else is accepted as the name of a directory.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Environment is the variable that holds the directory of the store.
const Environment = "CCLFORGE_CACHE"

var (
	// ErrMissing matches errors about results that are not there.
	ErrMissing = errors.New("not in the cache")
	// ErrDamaged matches errors about results that are there and cannot be used.
	// They match ErrMissing, too.
	ErrDamaged = errors.New("damaged")
	// ErrOutput matches errors about outputs that a step should have left.
	ErrOutput = errors.New("not what the step should leave")
	// ErrKey matches errors about keys that are none.
	ErrKey = errors.New("not a key: 64 hexadecimal digits are")
)

// Store is a directory of results. Its methods may be called at the same time.
type Store struct {
	dir   string
	group bool // what is made is for the group of the directory

	mu      sync.Mutex
	hashed  map[string]memo
	doubted map[string]bool // keys of results whose times say nothing
}

// DefaultDir is where the store of this user is: $CCLFORGE_CACHE, or a directory
// of the user's cache.
func DefaultDir() (string, error) {
	if dir := os.Getenv(Environment); dir != "" {
		return filepath.Abs(dir)
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache of build results: %w; set %s to a directory", err, Environment)
	}
	return filepath.Join(base, "cclforge", "vitis"), nil
}

// Open opens a store, and makes it if it is missing; "" means that of DefaultDir. If its
// directory is writable for the group, so are its contents. A read-only store can be
// opened, too, for its results.
func Open(dir string) (*Store, error) {
	if dir == "" {
		var err error
		if dir, err = DefaultDir(); err != nil {
			return nil, err
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open the cache %s: %w", dir, err)
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(dir, 0o777); err == nil {
			info, err = os.Stat(dir)
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("open the cache of build results: %w; %s can name another directory", err, Environment)
	case !info.IsDir():
		return nil, fmt.Errorf("open the cache of build results: %s is not a directory; %s can name another one",
			dir, Environment)
	}
	return &Store{dir: dir, group: info.Mode()&0o020 != 0, hashed: map[string]memo{}, doubted: map[string]bool{}}, nil
}

// Dir is the directory of the store.
func (s *Store) Dir() string { return s.dir }

// Shared reports whether the store belongs to a group of users.
func (s *Store) Shared() bool { return s.group }

func checkKey(key string) error {
	if len(key) != 64 {
		return fmt.Errorf("%w: %.80q", ErrKey, key)
	}
	for _, c := range key {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return fmt.Errorf("%w: %q", ErrKey, key)
		}
	}
	return nil
}

func (s *Store) path(names ...string) string {
	return filepath.Join(append([]string{s.dir}, names...)...)
}

// ResultDir is where the result with a key is, or will be.
func (s *Store) ResultDir(key string) string { return s.path("steps", key) }

// mkdir makes a directory of the store and those above it.
func (s *Store) mkdir(dir string) error {
	err := os.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrNotExist) && dir != s.dir && len(dir) > len(s.dir) {
		if err = s.mkdir(filepath.Dir(dir)); err == nil {
			err = os.Mkdir(dir, 0o777)
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	return s.share(dir)
}

// share gives a new directory to the group of the store, if that belongs to one.
func (s *Store) share(dir string) error {
	if s.group {
		return os.Chmod(dir, 0o775|fs.ModeSetgid)
	}
	return nil
}

// write writes a small file, whole or not at all.
func (s *Store) write(name string, content []byte) error {
	if err := s.mkdir(filepath.Dir(name)); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(s.mode(0o666))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// mode is what a file of the store has; want is for everybody.
func (s *Store) mode(want fs.FileMode) fs.FileMode {
	if s.group {
		return want &^ 0o002
	}
	return want &^ 0o022
}

// discard takes a directory away at one moment, and then removes it.
func (s *Store) discard(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	gone, err := s.trash(dir)
	if err != nil {
		return err
	}
	return removeAll(gone)
}

// trash moves a directory to where nobody looks for it.
func (s *Store) trash(dir string) (string, error) {
	if err := s.mkdir(s.path("trash")); err != nil {
		return "", err
	}
	in, err := os.MkdirTemp(s.path("trash"), "")
	if err != nil {
		return "", err
	}
	if err := s.share(in); err != nil {
		return "", err
	}
	if err := os.Rename(dir, filepath.Join(in, "it")); err != nil {
		os.Remove(in)
		return "", err
	}
	return in, nil
}

// removeAll removes a directory, also where a tool has made directories read-only.
func removeAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(p, 0o775)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
