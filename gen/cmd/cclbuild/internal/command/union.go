package command

import (
	"io"
	"io/fs"
	"strings"
	"time"
)

// union is directories under names, as one file system.
type union map[string]fs.FS

// Open opens a file of one of the directories, or the list of them.
func (u union) Open(name string) (fs.File, error) {
	if name == "." {
		return &unionRoot{union: u, names: sortedKeys(u)}, nil
	}
	top, rest, _ := strings.Cut(name, "/")
	below, ok := u[top]
	if !ok || !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if rest == "" {
		rest = "."
	}
	return below.Open(rest)
}

// unionRoot is the list of directories, as it is read.
type unionRoot struct {
	union union
	names []string // still to come
}

func (r *unionRoot) Stat() (fs.FileInfo, error) { return rootInfo{}, nil }
func (r *unionRoot) Close() error               { return nil }
func (r *unionRoot) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: ".", Err: fs.ErrInvalid}
}

// ReadDir lists the directories.
func (r *unionRoot) ReadDir(n int) ([]fs.DirEntry, error) {
	if n > 0 && len(r.names) == 0 {
		return nil, io.EOF
	}
	count := len(r.names)
	if n > 0 {
		count = min(n, count)
	}
	entries := make([]fs.DirEntry, count)
	for i, name := range r.names[:count] {
		entries[i] = fs.FileInfoToDirEntry(rootInfo{name})
	}
	r.names = r.names[count:]
	return entries, nil
}

// rootInfo is what there is to know of a directory of a union.
type rootInfo struct{ name string }

func (i rootInfo) Name() string {
	if i.name == "" {
		return "."
	}
	return i.name
}
func (rootInfo) Size() int64        { return 0 }
func (rootInfo) Mode() fs.FileMode  { return fs.ModeDir | 0o555 }
func (rootInfo) ModTime() time.Time { return time.Time{} }
func (rootInfo) IsDir() bool        { return true }
func (rootInfo) Sys() any           { return nil }
