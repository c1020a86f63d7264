package platform

import (
	"errors"
	"fmt"
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
	files  map[string][]byte // path relative to the root → text
	hidden map[string][]byte // what a later layer has at the same path
	parsed *sync.Map         // name of a platform → func() parsedFile

	// problems are the errors of files, by the names that diagnostics call them. A
	// platform has those of the files that it uses.
	problems map[string]hcl.Diagnostics
	warnings hcl.Diagnostics
	common   []string           // files with errors that every platform uses
	lost     map[string]*Kernel // kernels that have errors, as far as they are known
	// lostBoards and lostABIs are the files of those that have errors, by name.
	lostBoards, lostABIs map[string]string
}

// patterns match the files that a library reads of a layer.
func patterns() []string {
	files := []string{"*.hcl", "*" + tclExtension, "*" + templateExtension, "abi/*.hcl", "boards/*.hcl",
		"kernels/*.hcl", toolsFolder + "*.hcl"}
	for _, extension := range sourceExtensions {
		files = append(files, "kernels/*"+extension)
	}
	return files
}

// NewLibrary reads a library from layers of directories, each rooted where
// boards/, kernels/, abi/ and the platform files stand. A file of an earlier
// layer hides one of the same path in a later layer. Platform files are only
// parsed when they are loaded.
//
// The library can be used even if there are errors: loading a platform reports
// the errors of the files that it uses, and LeftOut all others.
func NewLibrary(parser *lang.Parser, layers ...fs.FS) (*Library, hcl.Diagnostics) {
	l := ReadLibrary(parser, layers...)
	return l, l.Parse()
}

// ReadLibrary reads the files of a library. Before Parse it has only Complete,
// PlatformNames and Inputs.
func ReadLibrary(parser *lang.Parser, layers ...fs.FS) *Library {
	l := &Library{
		parser: parser, files: map[string][]byte{}, hidden: map[string][]byte{}, parsed: &sync.Map{},
		problems: map[string]hcl.Diagnostics{}, lost: map[string]*Kernel{},
		lostBoards: map[string]string{}, lostABIs: map[string]string{},
	}
	for _, layer := range layers {
		for _, pattern := range patterns() {
			l.read(layer, pattern)
		}
	}
	return l
}

// Complete reports whether all files could be read.
func (l *Library) Complete() bool {
	for display := range l.problems {
		if l.unreadable(strings.TrimPrefix(display, Root+"/")) {
			return false
		}
	}
	return true
}

// Parse is the second half of NewLibrary.
func (l *Library) Parse() hcl.Diagnostics {
	l.readABIs()
	l.readBoards()
	kernels, diags := l.readKernels()
	if files, broken := l.parse(toolsFolder); len(broken) > 0 {
		l.common = append(l.common, broken...)
	} else {
		var d hcl.Diagnostics
		l.Toolchain, d = loadToolchain(files, l.parser)
		l.common = append(l.common, l.report(d)...)
		if !d.HasErrors() {
			diags = append(diags, l.checkTools(kernels)...)
		}
	}
	l.report(append(diags, l.checkBoards(kernels)...))
	l.loseBoards()
	l.sortKernels(kernels)
	all := slices.Clone(l.warnings)
	for _, file := range sortedKeys(l.problems) {
		if path.Dir(file) != Root {
			all = append(all, l.problems[file]...)
		}
	}
	return all
}

// report keeps diagnostics by file, and returns the files with errors.
func (l *Library) report(diags hcl.Diagnostics) []string {
	files := map[string]bool{}
	for _, d := range diags {
		if d.Severity != hcl.DiagError || d.Subject == nil {
			l.warnings = append(l.warnings, d)
			continue
		}
		l.problems[d.Subject.Filename] = append(l.problems[d.Subject.Filename], d)
		files[d.Subject.Filename] = true
	}
	return sortedKeys(files)
}

// readABIs reads the interface generations. They are merged from several files,
// so that an error in one is one in all. A file that cannot be parsed is missed
// only if another one needs it.
func (l *Library) readABIs() {
	files, broken := l.parse("abi/")
	var diags hcl.Diagnostics
	l.ABIs, diags = abi.Load(files, l.parser)
	if diags.HasErrors() {
		l.ABIs = nil
		if l.common = broken; len(broken) == 0 {
			l.common = l.report(diags)
		}
		return
	}
	l.report(diags)
	for _, display := range broken {
		for _, b := range l.remains(display, "abi", "").Body.Blocks {
			l.lostABIs[b.Labels[0]] = display
		}
	}
}

func (l *Library) readBoards() {
	files, broken := l.parse("boards/")
	var diags hcl.Diagnostics
	l.Boards, diags = loadBoards(files, l.parser)
	l.report(diags)
	for _, display := range broken {
		for _, b := range l.remains(display, "board", "").Body.Blocks {
			l.lostBoards[b.Labels[0]] = display
		}
	}
	l.loseBoards()
}

// loseBoards sets boards apart whose files have errors.
func (l *Library) loseBoards() {
	for name, board := range l.Boards {
		for _, file := range board.files {
			if l.problems[file] != nil {
				l.lostBoards[name] = file
			}
		}
	}
	for name := range l.lostBoards {
		delete(l.Boards, name)
	}
}

// readKernels reads all kernels, and what is left of those in files that cannot
// be parsed: they tell which platforms use them.
func (l *Library) readKernels() (map[string]*Kernel, hcl.Diagnostics) {
	files, broken := l.parse("kernels/")
	for _, display := range broken {
		files = append(files, l.remains(display, "kernel", `role = "user"`))
	}
	kernels, diags := loadKernels(files, broken, l.parser, l.text)
	return kernels, slices.DeleteFunc(diags, func(d *hcl.Diagnostic) bool {
		return d.Subject != nil && slices.Contains(broken, d.Subject.Filename)
	})
}

// sortKernels puts kernels where they belong: abstract ones and those with errors
// apart, because none of them can be linked.
func (l *Library) sortKernels(kernels map[string]*Kernel) {
	l.Kernels, l.abstract = map[string]*Kernel{}, map[string]*Kernel{}
	for id, k := range kernels {
		switch {
		case slices.ContainsFunc(k.Files, func(file string) bool { return l.problems[file] != nil }):
			l.lost[id] = k
		case k.Abstract:
			l.abstract[id] = k
		default:
			l.Kernels[id] = k
		}
	}
}

// remains is what is left of a file that cannot be parsed: the blocks that it
// seems to have, and those of the file that it hides. If there are none, it may
// be meant to describe what it is named after, in a block with the given content.
func (l *Library) remains(display, block, content string) *lang.File {
	name := strings.TrimPrefix(display, Root+"/")
	left := lang.Remains(display, block, l.files[name], l.hidden[name])
	stem := strings.TrimSuffix(path.Base(name), ".hcl")
	if len(left.Body.Blocks) == 0 && lang.Identifier(strings.ReplaceAll(stem, "-", "_")) {
		return lang.Remains(display, block, fmt.Appendf(nil, "%s %q {\n%s\n}\n", block, stem, content))
	}
	return left
}

// Problems are the errors of files that all platforms use.
func (l *Library) Problems() hcl.Diagnostics { return l.problemsOf(l.common...) }

func (l *Library) problemsOf(files ...string) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, file := range slices.Compact(slices.Sorted(slices.Values(files))) {
		diags = append(diags, l.problems[file]...)
	}
	return diags
}

// Lost lists the kernels that could be linked but for their errors, sorted. What is
// known of them need not be right.
func (l *Library) Lost() []*Kernel {
	var out []*Kernel
	for _, id := range sortedKeys(l.lost) {
		if k := l.lost[id]; !k.Abstract {
			out = append(out, k)
		}
	}
	return out
}

// ProblemsOf are the errors of the files that a kernel comes from.
func (l *Library) ProblemsOf(k *Kernel) hcl.Diagnostics { return l.problemsOf(k.Files...) }

// LeftOut warns of each file with errors that are not among those that have been
// reported: a description that none of the named platforms uses, or another
// platform.
func (l *Library) LeftOut(selected []string, reported hcl.Diagnostics) hcl.Diagnostics {
	problems := maps.Clone(l.problems)
	for _, name := range l.PlatformNames() {
		if parsed := l.parsePlatform(name); parsed.file == nil && !slices.Contains(selected, name) {
			problems[path.Join(Root, name+".hcl")] = parsed.diags
		}
	}
	out := slices.Clone(l.warnings)
	for _, file := range sortedKeys(problems) {
		diags := problems[file]
		first := diags[0]
		if slices.Contains(reported, first) {
			continue
		}
		count := "1 error"
		if len(diags) > 1 {
			count = fmt.Sprintf("%d errors", len(diags))
		}
		warning := *first
		warning.Severity, warning.Summary = hcl.DiagWarning, "File left out"
		warning.Detail = fmt.Sprintf("%s has %s, but no selected platform uses it. %s: %s",
			file, count, first.Summary, first.Detail)
		out = append(out, &warning)
	}
	return out
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
	other.problems = maps.Clone(l.problems)
	delete(other.problems, path.Join(Root, name+".hcl"))
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
		if l.unreadable(name + ".hcl") {
			return parsedFile{nil, l.problems[path.Join(Root, name+".hcl")]}
		}
		file, diags := l.parser.Parse(path.Join(Root, name+".hcl"), l.files[name+".hcl"])
		return parsedFile{file, diags}
	}))
	p := once.(func() parsedFile)()
	return parsedFile{p.file, slices.Clone(p.diags)}
}

func (l *Library) read(layer fs.FS, pattern string) {
	found, _ := fs.Glob(layer, pattern) // the pattern is well formed
	for _, name := range found {
		display := path.Join(Root, name)
		_, known := l.files[name]
		text, err := readBounded(layer, name)
		switch {
		case known || l.problems[display] != nil:
			if _, second := l.hidden[name]; !second && err == nil {
				l.hidden[name] = text
			}
		case err != nil:
			l.report(unreadable(name, err))
		default:
			l.files[name] = text
		}
	}
}

// readBounded reads a file, but at most one byte more than the language
// allows: the parser then says that it is too large.
func readBounded(layer fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(layer, name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("it is a directory")
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
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

// parse parses all files of one folder, and lists those that cannot be used at
// all, as diagnostics call them.
func (l *Library) parse(folder string) (files []*lang.File, broken []string) {
	list := l.names(folder)
	parsed := make([]*lang.File, len(list))
	found := make([]hcl.Diagnostics, len(list))
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range list {
		if l.unreadable(name) {
			continue
		}
		workers.Go(func() error {
			parsed[i], found[i] = l.parser.Parse(path.Join(Root, name), l.files[name])
			return nil
		})
	}
	_ = workers.Wait() // parsing reports what is wrong as diagnostics
	for i, file := range parsed {
		l.report(found[i])
		if file == nil {
			broken = append(broken, path.Join(Root, list[i]))
		} else {
			files = append(files, file)
		}
	}
	return files, broken
}

// unreadable reports whether a file is there, but has no text.
func (l *Library) unreadable(name string) bool {
	_, ok := l.files[name]
	return !ok && l.problems[path.Join(Root, name)] != nil
}

// names lists the description files of a folder, sorted.
func (l *Library) names(folder string) []string {
	var list []string
	add := func(name string) {
		if dir, _ := path.Split(name); dir == folder && path.Ext(name) == ".hcl" {
			list = append(list, name)
		}
	}
	for name := range l.files {
		add(name)
	}
	for display := range l.problems {
		if name := strings.TrimPrefix(display, Root+"/"); l.unreadable(name) {
			add(name)
		}
	}
	slices.Sort(list)
	return list
}

// PlatformNames lists the platforms of the library, sorted.
func (l *Library) PlatformNames() []string {
	names := l.names("")
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".hcl")
	}
	return names
}

// Inputs lists all files that a platform may depend on, with their text, by the
// name that diagnostics call them: all but the descriptions of other platforms.
func (l *Library) Inputs(name string) map[string][]byte {
	inputs := map[string][]byte{}
	for file, text := range l.files {
		if path.Dir(file) != "." || path.Ext(file) != ".hcl" || file == name+".hcl" {
			inputs[path.Join(Root, file)] = text
		}
	}
	return inputs
}

// Declared lists the variables of a platform by name. A file that cannot be
// parsed declares none.
func (l *Library) Declared(name string) []lang.Variable {
	parsed := l.parsePlatform(name)
	if parsed.file == nil {
		return nil
	}
	scope, _ := constant(parsed.file, l.parser) // its errors are found when it is loaded
	return scope.Declared
}

// constant opens a library file: its variables have their defaults only, so
// that a board means the same for every platform.
func constant(f *lang.File, parser *lang.Parser) (*lang.Scope, hcl.Diagnostics) {
	return f.Open(lang.Inputs{LookupEnv: func(string) (string, bool) { return "", false }}, parser)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
