package emit

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/templates"
)

const (
	hlsFolder        = "hls"
	hlsStandIn       = "hls/sim"
	lanesFile        = "hls/cclo_lanes.hpp"
	lanesTemplate    = "hls/cclo_lanes.hpp.tmpl"
	benchFile        = "hls/cclo_bench.hpp"
	benchTemplate    = "hls/cclo_bench.hpp.tmpl"
	kernelTemplates  = "hls/kernel/"
	componentSuffix  = "_component.cpp"
	testBenchSuffix  = "_tb.cpp"
	configurationFor = "hls_config.cfg"
	scriptFor        = "run_hls.tcl"
)

// HLS renders what belongs to kernels in C++ only: everything below hls/.
func HLS(d *design.Design) ([]File, error) {
	out := bundle{d: d}
	out.take(hls(d))
	out.take(hlsKernels(d))
	return out.files, out.err
}

// hlsKernels renders the kernels of a platform whose form is C++.
func hlsKernels(d *design.Design) ([]File, error) {
	out := bundle{d: d}
	for _, k := range d.KernelsInCpp() {
		made, err := hlsKernel(d, k)
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", k.ID, err)
		}
		out.take(made, nil)
	}
	if out.files == nil {
		return nil, nil
	}
	for _, shared := range [][2]string{{lanesFile, lanesTemplate}, {benchFile, benchTemplate}} {
		out.render(shared[0], shared[1], platformView(d, shared[0]))
	}
	out.take(standInFiles())
	return out.files, out.err
}

// standInFiles are the headers that stand in for the vendor's, and what runs
// kernels as components.
func standInFiles() ([]File, error) {
	entries, err := fs.ReadDir(templates.FS, hlsStandIn)
	if err != nil {
		return nil, fmt.Errorf("list the stand-in: %w", err)
	}
	var files []File
	for _, entry := range entries {
		name := path.Join(hlsStandIn, entry.Name())
		if extension := path.Ext(name); entry.IsDir() || extension != ".h" && extension != ".hpp" && extension != ".cpp" {
			continue
		}
		text, err := fs.ReadFile(templates.FS, name)
		if err != nil {
			return nil, fmt.Errorf("read the stand-in: %w", err)
		}
		files = append(files, File{name, text, withTemplates(nil, []string{name})})
	}
	return files, nil
}

// hlsKernel renders one kernel: its top function, the user's files, what the
// tools read, its test bench and its glue for simulation.
func hlsKernel(d *design.Design, k *design.Kernel) ([]File, error) {
	v, err := newHLSView(d, k)
	if err != nil {
		return nil, err
	}
	own := make([]string, len(k.HLS.Files))
	var files []File
	for i, f := range k.HLS.Files {
		own[i] = f.Path
		files = append(files, File{v.path(f.Name), sourceCopy(f), []string{f.Path}})
	}
	top, bench := v.Kind+".cpp", v.Kind+testBenchSuffix
	for _, r := range []struct{ file, template string }{
		{v.Top, top}, {v.Bench, bench}, {k.ID + componentSuffix, "component.cpp"},
		{configurationFor, configurationFor}, {scriptFor, scriptFor},
	} {
		if slices.ContainsFunc(k.HLS.Files, func(f platform.SourceFile) bool { return f.Name == r.file }) {
			continue // the top function as the user has written it
		}
		name := kernelTemplates + r.template + templateSuffix
		text, err := execute(name, v)
		if err != nil {
			return nil, err
		}
		inputs := append(slices.Clone(own), platformInputs(d, name)...)
		files = append(files, File{v.path(r.file), numbered(text, v.path(r.file)), inputs})
	}
	return files, nil
}

// sourceCopy is a file of the user's, for which compilers name the original.
func sourceCopy(f platform.SourceFile) []byte {
	text := bytes.TrimPrefix(f.Text, []byte("\xef\xbb\xbf"))
	first := fmt.Sprintf("#line 1 \"%s\" // Copied by cclforge; DO NOT EDIT. Edit that file.\n", f.Path)
	return append([]byte(first), text...)
}

// Lines of other files, which the compiler is told of except in synthesis, and
// the way back.
const (
	elsewhere = "#ifndef __SYNTHESIS__\n#line %d \"%s\"\n#endif\n"
	backHere  = "#line here\n"
)

// numbered writes down the true line behind each part that pretends to be of
// another file.
func numbered(text []byte, file string) []byte {
	var out bytes.Buffer
	line := 1
	for part := range bytes.Lines(text) {
		if string(part) == backHere {
			part = fmt.Appendf(nil, elsewhere, line+2, file)
		}
		out.Write(part)
		line += bytes.Count(part, []byte("\n"))
	}
	return out.Bytes()
}

// path is that of a file of the kernel.
func (v *hlsView) path(name string) string { return path.Join(hlsFolder, v.kernel.ID, name) }

// At says that the lines which follow come from a description.
func (v *hlsView) At(file string, line int) string {
	if file == "" || line < 2 || strings.ContainsAny(file, "\"\\\n") {
		return ""
	}
	return fmt.Sprintf(elsewhere, line-1, file)
}

// Here says that they do no more.
func (v *hlsView) Here(file string, line int) string {
	if v.At(file, line) == "" {
		return ""
	}
	return backHere
}
