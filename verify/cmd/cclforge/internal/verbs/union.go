package verbs

import (
	"errors"
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
	if rest != "" {
		return below.Open(rest)
	}
	f, err := below.Open(".")
	if err != nil {
		return nil, err
	}
	if d, ok := f.(fs.ReadDirFile); ok {
		return renamed{d, top}, nil
	}
	return nil, errors.Join(&fs.PathError{Op: "open", Path: name, Err: errors.ErrUnsupported}, f.Close())
}

// renamed is a directory that has another name here.
type renamed struct {
	fs.ReadDirFile
	name string
}

// Stat says what there is to know of the directory.
func (d renamed) Stat() (fs.FileInfo, error) {
	info, err := d.ReadDirFile.Stat()
	if err != nil {
		return nil, err
	}
	return namedInfo{info, d.name}, nil
}

type namedInfo struct {
	fs.FileInfo
	name string
}

func (i namedInfo) Name() string { return i.name }

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
		info, err := fs.Stat(r.union, name)
		if err != nil {
			return entries[:i], err
		}
		entries[i] = fs.FileInfoToDirEntry(info)
	}
	r.names = r.names[count:]
	return entries, nil
}

// rootInfo is what there is to know of the list.
type rootInfo struct{}

func (rootInfo) Name() string       { return "." }
func (rootInfo) Size() int64        { return 0 }
func (rootInfo) Mode() fs.FileMode  { return fs.ModeDir | 0o555 }
func (rootInfo) ModTime() time.Time { return time.Time{} }
func (rootInfo) IsDir() bool        { return true }
func (rootInfo) Sys() any           { return nil }
