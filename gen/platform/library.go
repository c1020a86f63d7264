package platform

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"golang.org/x/sync/errgroup"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
)

// Root is the directory that diagnostics show library files under.
const Root = "platforms"

// Library is what platforms are made of: boards, kernels and interface
// generations, and the platform files themselves. It is read once and then
// safe for concurrent use.
type Library struct {
	Boards  map[string]*Board
	Kernels map[string]*Kernel // those that can be linked
	ABIs    map[string]*abi.Generation
	// Toolchain is what is known of the vendor's tools.
	Toolchain *Toolchain

	abstract map[string]*Kernel // those that others are like

	parser *lang.Parser
	sound  bool
	files  map[string][]byte // path relative to the root → text
	parsed *sync.Map         // name of a platform → func() parsedFile
}

// Files are the patterns of what a library reads of a layer.
func Files() []string {
	files := []string{"*.hcl", "*" + tclExtension, "abi/*.hcl", "boards/*.hcl", "kernels/*.hcl", toolsFolder + "*.hcl"}
	for _, extension := range sourceExtensions {
		files = append(files, "kernels/*"+extension)
	}
	return files
}

// NewLibrary reads a library from layers of directories, each rooted where
// boards/, kernels/, abi/ and the platform files stand. A file of an earlier
// layer hides one of the same path in a later layer. Platform files are only
// parsed when they are loaded.
func NewLibrary(parser *lang.Parser, layers ...fs.FS) (*Library, hcl.Diagnostics) {
	l := &Library{parser: parser, files: map[string][]byte{}, parsed: &sync.Map{}}
	var diags hcl.Diagnostics
	for _, layer := range layers {
		for _, pattern := range Files() {
			diags = append(diags, l.read(layer, pattern)...)
		}
	}
	var d hcl.Diagnostics
	if files, ok := l.parse("abi/", &diags); ok {
		l.ABIs, d = abi.Load(files, parser)
		diags = append(diags, d...)
	}
	if files, ok := l.parse("boards/", &diags); ok {
		l.Boards, d = loadBoards(files, parser)
		diags = append(diags, d...)
	}
	if files, ok := l.parse("kernels/", &diags); ok {
		l.Kernels, l.abstract, d = loadKernels(files, parser, l.text)
		diags = append(diags, d...)
	}
	if l.Boards != nil && !diags.HasErrors() {
		diags = append(diags, l.checkBoards()...)
	}
	if files, ok := l.parse(toolsFolder, &diags); ok {
		l.Toolchain, d = loadToolchain(files, parser)
		diags = append(diags, d...)
		if !d.HasErrors() {
			diags = append(diags, l.checkTools()...)
		}
	}
	l.sound = !diags.HasErrors()
	return l, diags
}

// text finds a file by the name that diagnostics call it.
func (l *Library) text(name string) ([]byte, bool) {
	text, ok := l.files[strings.TrimPrefix(name, Root+"/")]
	return text, ok
}

// With returns a library that also has a platform with the given text.
func (l *Library) With(name string, text []byte) *Library {
	other := *l
	other.files = maps.Clone(l.files)
	other.files[name+".hcl"] = text
	other.parsed = &sync.Map{}
	return &other
}

type parsedFile struct {
	file  *lang.File // nil if it cannot be used
	diags hcl.Diagnostics
}

// parsePlatform parses the file of a platform once, whoever asks.
func (l *Library) parsePlatform(name string) parsedFile {
	once, _ := l.parsed.LoadOrStore(name, sync.OnceValue(func() parsedFile {
		file, diags := l.parser.Parse(path.Join(Root, name+".hcl"), l.files[name+".hcl"])
		return parsedFile{file, diags}
	}))
	p := once.(func() parsedFile)()
	return parsedFile{p.file, slices.Clone(p.diags)}
}

func (l *Library) read(layer fs.FS, pattern string) hcl.Diagnostics {
	names, err := fs.Glob(layer, pattern)
	if err != nil {
		return unreadable(pattern, err)
	}
	var diags hcl.Diagnostics
	for _, name := range names {
		if _, hidden := l.files[name]; hidden {
			continue
		}
		text, err := readBounded(layer, name)
		if err != nil {
			diags = append(diags, unreadable(name, err)...)
			continue
		}
		l.files[name] = text
	}
	return diags
}

// readBounded reads a file, but at most one byte more than the language
// allows: the parser then says that it is too large.
func readBounded(layer fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(layer, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > lang.MaxFileBytes {
		return make([]byte, lang.MaxFileBytes+1), nil
	}
	return fs.ReadFile(layer, name)
}

func unreadable(name string, err error) hcl.Diagnostics {
	display := path.Join(Root, name)
	return hcl.Diagnostics{lang.Errorf(hcl.Range{Filename: display, Start: hcl.InitialPos, End: hcl.InitialPos},
		"File not readable", "%s cannot be read: %s.", display, err)}
}

// parse parses all files of one folder. It reports whether all could be used,
// because a missing description would only cause errors that mislead.
func (l *Library) parse(folder string, diags *hcl.Diagnostics) ([]*lang.File, bool) {
	names := l.names(folder)
	files := make([]*lang.File, len(names))
	found := make([]hcl.Diagnostics, len(names))
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range names {
		workers.Go(func() error {
			files[i], found[i] = l.parser.Parse(path.Join(Root, name), l.files[name])
			return nil
		})
	}
	_ = workers.Wait() // parsing reports what is wrong as diagnostics
	*diags = append(*diags, slices.Concat(found...)...)
	usable := !slices.Contains(files, nil)
	return files, usable
}

func (l *Library) names(folder string) []string {
	var names []string
	for name := range l.files {
		dir, _ := path.Split(name)
		if dir == folder && path.Ext(name) == ".hcl" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// PlatformNames lists the platforms of the library, sorted.
func (l *Library) PlatformNames() []string {
	names := l.names("")
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".hcl")
	}
	return names
}

// Inputs lists all files that a platform depends on, with their text, by the
// name that diagnostics call them.
func (l *Library) Inputs(name string) map[string][]byte {
	inputs := map[string][]byte{}
	for file, text := range l.files {
		if path.Dir(file) != "." || file == name+".hcl" || path.Ext(file) == tclExtension {
			inputs[path.Join(Root, file)] = text
		}
	}
	return inputs
}

// Declared lists the variables of a platform, sorted. A file that cannot be
// parsed declares none.
func (l *Library) Declared(name string) []string {
	parsed := l.parsePlatform(name)
	if parsed.file == nil {
		return nil
	}
	var names []string
	for _, b := range parsed.file.Body.Blocks {
		if b.Type == "variable" && len(b.Labels) == 1 {
			names = append(names, b.Labels[0])
		}
	}
	slices.Sort(names)
	return names
}

// constant opens a library file: its variables have their defaults only, so
// that a board means the same for every platform.
func constant(f *lang.File, parser *lang.Parser) (*lang.Scope, hcl.Diagnostics) {
	return f.Open(lang.Inputs{LookupEnv: func(string) (string, bool) { return "", false }}, parser)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
