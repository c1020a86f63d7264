package standin

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// Kernel is a kernel.xml.
type Kernel struct {
	Name     string     `xml:"name,attr"`
	VLNV     string     `xml:"vlnv,attr"`
	Control  string     `xml:"hwControlProtocol,attr"`
	Language string     `xml:"language,attr"`
	Ports    []Port     `xml:"ports>port"`
	Args     []Argument `xml:"args>arg"`
	// Files are the names of the files in the archive.
	Files []string `xml:"-"`
	// Memory is what a memory of it begins with, as $readmemh reads it; nil for
	// zeros.
	Memory []byte `xml:"-"`
}

// Port is a port of a kernel.
type Port struct {
	Name  string `xml:"name,attr"`
	Mode  string `xml:"mode,attr"`     // "read_only", "write_only"; "master", "slave"
	Type  string `xml:"portType,attr"` // "stream", "addressable"
	Width int    `xml:"dataWidth,attr"`
	Range string `xml:"range,attr"`
	// Open is our own: a stream that may lead nowhere.
	Open bool `xml:"standinOpen,attr,omitempty"`
}

// Argument is an argument of a kernel.
type Argument struct {
	Name      string `xml:"name,attr"`
	Qualifier int    `xml:"addressQualifier,attr"`
	Port      string `xml:"port,attr"`
	Offset    string `xml:"offset,attr"`
	ID        string `xml:"id,attr"`
}

// Stream reports whether a port is an AXI4-Stream, Output whether it sends, Memory
// whether it is a master of memory.
func (p Port) Stream() bool { return p.Type == "stream" }

// Output reports whether a stream sends.
func (p Port) Output() bool { return p.Mode == "write_only" }

// Memory reports whether a port is a master of memory.
func (p Port) Memory() bool { return p.Type == "addressable" && p.Mode == "master" }

// Port finds a port; an argument's name means its port, as for the linker.
func (k *Kernel) Port(name string) (Port, bool) {
	for _, p := range k.Ports {
		if strings.EqualFold(p.Name, name) {
			return p, true
		}
	}
	for _, a := range k.Args {
		if a.Name == name && a.Port != name {
			return k.Port(a.Port)
		}
	}
	return Port{}, false
}

// ParseKernel reads a kernel.xml and checks what package_xo checks.
func ParseKernel(text []byte) (*Kernel, error) {
	var root struct {
		XMLName xml.Name `xml:"root"`
		Kernel  *Kernel  `xml:"kernel"`
	}
	if err := xml.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	k := root.Kernel
	if k == nil || k.Name == "" {
		return nil, fmt.Errorf("there is no kernel with a name in it")
	}
	seen := map[string]bool{}
	for _, p := range k.Ports {
		switch {
		case p.Name == "" || seen[p.Name]:
			return nil, fmt.Errorf("port %q of %s has no name of its own", p.Name, k.Name)
		case p.Stream() && p.Mode != "read_only" && p.Mode != "write_only",
			p.Type == "addressable" && p.Mode != "master" && p.Mode != "slave",
			!p.Stream() && p.Type != "addressable":
			return nil, fmt.Errorf("port %s of %s: mode %q does not go with type %q", p.Name, k.Name, p.Mode, p.Type)
		case p.Width <= 0 || p.Width%8 != 0:
			return nil, fmt.Errorf("port %s of %s: %d bits are no whole bytes", p.Name, k.Name, p.Width)
		}
		seen[p.Name] = true
	}
	for _, a := range k.Args {
		if a.Port != "" && !seen[a.Port] {
			return nil, fmt.Errorf("argument %s of %s: there is no port %q", a.Name, k.Name, a.Port)
		}
	}
	return k, nil
}

// ReadXO reads a kernel file.
func ReadXO(file string) (*Kernel, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var kernel *Kernel
	var list bool
	var names []string
	var memory []byte
	for _, f := range z.File {
		names = append(names, f.Name)
		list = list || f.Name == "xo.xml"
		r, err := f.Open() // all of it: the archive has sums
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if path.Ext(f.Name) == ".mem" {
			memory = text
		}
		if path.Base(f.Name) == "kernel.xml" {
			if kernel, err = ParseKernel(text); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	if kernel == nil || !list {
		return nil, fmt.Errorf("it has no xo.xml or no kernel.xml")
	}
	kernel.Files, kernel.Memory = names, memory
	return kernel, nil
}

// ArchiveXO is a kernel file as the linker takes it (UG1393, "Packaging RTL
// Kernels"), with the files of its IP by path below the IP's folder. The same content
// gives the same bytes.
func ArchiveXO(kernelXML []byte, ip map[string][]byte) ([]byte, error) {
	k, err := ParseKernel(kernelXML)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	list := fmt.Sprintf(
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<root versionMajor=\"1\" versionMinor=\"6\">\n  <kernels>\n    "+
			"<kernel name=%q type=\"ip\"/>\n  </kernels>\n</root>\n", k.Name)
	files := map[string][]byte{"xo.xml": []byte(list), k.Name + "/kernel.xml": kernelXML}
	repo := "ip_repo/" + strings.NewReplacer(":", "_", ".", "_").Replace(k.VLNV)
	for name, text := range ip {
		files[path.Join(repo, name)] = text
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(files[name]); err != nil {
			return nil, err
		}
	}
	err = z.Close()
	return b.Bytes(), err
}
