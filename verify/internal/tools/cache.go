package tools

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/verify/internal/report"
)

// Dir returns a directory of the cache.
func Dir(name string) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache: %w", err)
	}
	return filepath.Join(base, "cclforge", name), nil
}

// Entry is a file that is built from others.
type Entry struct {
	Dir  string // of the cache
	Key  string // hash of what the file is made of
	File string // its name
	// What is built, for people: "the simulation of platform_top". Lines about the build,
	// and about waiting for another run that builds the same, go to the log of the context
	// (package report).
	What string
}

// keep is how long what nobody uses stays.
const keep = 14 * 24 * time.Hour

// work is the beginning of the names of directories in which things are made.
const work = "build-"

// Get returns the path of the file. If it is not there, build makes it under its name in an
// empty directory.
func (e Entry) Get(ctx context.Context, build func(dir string) error) (path string, err error) {
	dir := filepath.Join(e.Dir, e.Key)
	path = filepath.Join(dir, e.File)
	if used(path) {
		return path, nil
	}
	unlock, err := output.Lock(ctx, dir, func() { report.Say(ctx, "waiting for another run that builds %s", e.What) })
	if err != nil {
		return "", err
	}
	defer unlock()
	if used(path) {
		return path, nil
	}
	e.prune()
	defer report.Watch(ctx, "building "+e.What)()
	if err := e.build(dir, path, build); err != nil {
		return "", err
	}
	return path, nil
}

// build makes the file elsewhere and moves it to its place when it is whole.
// Whoever calls it has the lock of dir.
func (e Entry) build(dir, path string, build func(dir string) error) error {
	if left, err := filepath.Glob(filepath.Join(dir, work+"*")); err == nil {
		for _, d := range left { // a run that was ended
			os.RemoveAll(d)
		}
	}
	in, err := os.MkdirTemp(dir, work)
	if err != nil {
		return err
	}
	defer os.RemoveAll(in)
	if err := build(in); err != nil {
		return err
	}
	return os.Rename(filepath.Join(in, e.File), path)
}

// used tells whether a file is there, and notes that it is used.
func used(path string) bool {
	now := time.Now()
	return os.Chtimes(path, now, now) == nil
}

// prune removes what has not been used for long. It is no mistake if it cannot.
func (e Entry) prune() {
	entries, _ := os.ReadDir(e.Dir)
	for _, other := range entries {
		info, err := os.Stat(filepath.Join(e.Dir, other.Name(), e.File))
		if err == nil && other.Name() != e.Key && time.Since(info.ModTime()) > keep {
			os.RemoveAll(filepath.Join(e.Dir, other.Name()))
		}
	}
}
