package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Use protects results from Prune until done is called or the process ends. In a
// read-only store, where nothing can be removed, it does nothing.
func (s *Store) Use(ctx context.Context, keys []string) (done func(), err error) {
	for _, key := range keys {
		if err := checkKey(key); err != nil {
			return nil, err
		}
	}
	if !s.writable() {
		return func() {}, nil
	}
	// Prune does not look at leases while one is being made.
	unlock, err := s.wait(ctx, s.path("locks", "leases"), nil)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.mkdir(s.path("builds")); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(s.path("builds"), "build-")
	if err != nil {
		return nil, fmt.Errorf("use the cache: %w", err)
	}
	_, err = f.WriteString(strings.Join(keys, "\n") + "\n")
	if err == nil {
		err = f.Chmod(s.mode(0o666))
	}
	if err == nil {
		_, err = tryLock(f)
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, fmt.Errorf("use the cache: %w", err)
	}
	return func() {
		os.Remove(f.Name())
		free(f)
	}, nil
}

// writable reports whether the store can be written.
func (s *Store) writable() bool {
	f, err := os.CreateTemp(s.dir, ".probe-")
	if err != nil {
		return !errors.Is(err, fs.ErrPermission) && !readOnly(err)
	}
	f.Close()
	os.Remove(f.Name())
	return true
}

// leased are the keys that running builds need. The caller has the lock of leases.
func (s *Store) leased() (map[string]bool, error) {
	names, err := filepath.Glob(filepath.Join(s.path("builds"), "build-*"))
	if err != nil {
		return nil, err
	}
	keys := map[string]bool{}
	for _, name := range names {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if absent(err) {
			continue
		}
		if errors.Is(err, fs.ErrPermission) { // another user's: it may be running
			f, err = os.Open(name)
		}
		if err != nil {
			return nil, err
		}
		over, err := tryLock(f)
		if over && err == nil { // its process has ended
			os.Remove(name)
			free(f)
			continue
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			keys[lines.Text()] = true
		}
		f.Close()
	}
	return keys, nil
}

// Touch records a use of a result.
func (s *Store) Touch(key string) {
	if checkKey(key) == nil {
		s.touch(key)
	}
}

func (s *Store) usedFile(key string) string { return filepath.Join(s.ResultDir(key), "used") }

// touch lets the file system write its own time, which may be another than that of
// this host.
func (s *Store) touch(key string) {
	f, err := os.OpenFile(s.usedFile(key), os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write([]byte{'\n'})
	if s.group {
		f.Chmod(0o664)
	}
}

// used is when a result was used last.
func (s *Store) used(key string) int64 {
	for _, name := range []string{s.usedFile(key), s.ResultDir(key)} {
		if info, err := os.Stat(name); err == nil {
			return info.ModTime().UnixNano()
		}
	}
	return 0
}

// now is the time by the clock of the file system.
func (s *Store) now() (time.Time, error) {
	f, err := os.CreateTemp(s.dir, ".probe-")
	if err != nil {
		return time.Time{}, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
