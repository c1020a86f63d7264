package workspace

import (
	"path"
	"path/filepath"

	"github.com/cclforge/cclforge/gen/output"
)

const (
	// DefaultOut is where output goes if nothing else is said.
	DefaultOut = "out"
	// generations is the directory in it that holds the interface generations.
	generations = "abi"
	// driverDir is the directory of a platform that -godir copies.
	driverDir = "driver"
	// goManifest is the manifest beside a driver package in a user's module.
	goManifest = "cclforge.manifest.json"
)

// place is a directory that receives the files below a path of a unit.
type place struct {
	dir   output.Dir
	below string // "" for all
}

// places are the directories that receive files of a platform.
func (w *Workspace) places(o Options, name string) []place {
	list := []place{{dir: w.place(o, name)}}
	if o.GoDir != "" {
		list = append(list, place{w.goDir(o), driverDir + "/"})
	}
	return list
}

func (w *Workspace) generationDir(o Options, name string) output.Dir {
	return w.place(o, path.Join(generations, name))
}

func (w *Workspace) place(o Options, name string) output.Dir {
	return output.Dir{Base: w.out(o), Path: name, Manifest: output.ManifestName}
}

// out is the output directory.
func (w *Workspace) out(o Options) string {
	if o.Out == "" {
		return filepath.Join(w.dir, DefaultOut)
	}
	return w.within(o.Out)
}

// usualOut reports whether output goes where it goes if nothing is said.
func (w *Workspace) usualOut(o Options) bool { return w.out(o) == filepath.Join(w.dir, DefaultOut) }

// within finds a directory that may be relative to the workspace's.
func (w *Workspace) within(dir string) string {
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(w.dir, dir)
}

// goDir is where the driver package of a user's module goes.
func (w *Workspace) goDir(o Options) output.Dir {
	return output.Dir{Base: w.within(o.GoDir), Path: ".", Manifest: goManifest}
}
