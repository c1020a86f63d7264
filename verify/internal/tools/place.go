package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/cclforge/cclforge/gen/output"
)

// Files reads the files of a folder.
func Files(from fs.FS, folder string) (map[string][]byte, error) {
	entries, err := fs.ReadDir(from, folder)
	files := map[string][]byte{}
	for _, e := range entries {
		text, unread := fs.ReadFile(from, path.Join(folder, e.Name()))
		files[e.Name()], err = text, errors.Join(err, unread)
	}
	return files, err
}

// Place writes files, by their slash-separated paths, into a directory of their own below
// one of the cache, and returns it. Its name depends on the files alone.
func Place(name string, files map[string][]byte) (dir string, err error) {
	root, err := Dir(name)
	if err != nil {
		return "", err
	}
	names := slices.Sorted(maps.Keys(files))
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%s %d\n", name, len(files[name]))
		h.Write(files[name])
	}
	dir = filepath.Join(root, hex.EncodeToString(h.Sum(nil))[:20])
	for _, name := range names {
		if err := place(filepath.Join(dir, filepath.FromSlash(name)), files[name]); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// place writes a file unless it is there, whole or not at all.
func place(name string, content []byte) error {
	if info, err := os.Stat(name); err == nil && info.Size() == int64(len(content)) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return output.WriteFile(name, content, 0o644)
}
