// Package standin installs programs that stand in for the tools of AMD Vitis: they
// check what they are given as the real ones do, write outputs that look alike, log
// every call, and fail when they are told to.
//
// What they refuse is what the documentation of a version and public logs say
// (UG1393, UG1399, UG835, UG1580, UG1702); they synthesize nothing.
package standin

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

// Options of an installation.
type Options struct {
	Version string        // "2023.2" if empty
	Pace    time.Duration // of each stage of a tool
	// Repositories stand in for what git would fetch, by URL.
	Repositories map[string]Repository
	Cards        []string // what xbutil finds: names of board platforms
	// Boards are those whose platforms are installed; if nil, the shipped ones.
	Boards map[string]*platform.Board
}

// rdmaKernel is the kernel that is a part of the Coyote shell.
const rdmaKernel = "rdma_stack"

// Repository is a folder with a git repository, and the revision that its head stands for.
type Repository struct {
	Dir string
	// Head is the commit that stands for Revision.
	Head, Revision string
}

// Installation is an installation of stand-ins.
type Installation struct {
	Root      string
	Version   string
	Vitis     string // XILINX_VITIS
	Vivado    string // XILINX_VIVADO
	XRT       string // XILINX_XRT
	HLS       string // XILINX_HLS; "" if it is no folder of its own
	Git       string // folder of git
	Platforms string // PLATFORM_REPO_PATHS
	site      *Site
}

// Versions are the versions that the stand-ins know the options of.
var Versions = []string{"2022.1", "2022.2", "2023.1", "2023.2", "2024.1", "2024.2", "2025.1"}

// Install installs the tools of a version below dir, laid out like the vendor's.
func Install(t testing.TB, dir string, o Options) *Installation {
	t.Helper()
	binary := Binary(t)
	in, err := Create(dir, binary, o)
	if err != nil {
		t.Fatalf("install stand-ins: %v", err)
	}
	return in
}

// Create installs the tools, as links to the program standin.
func Create(dir, binary string, o Options) (*Installation, error) {
	o.Version = cmp.Or(o.Version, "2023.2")
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	in := &Installation{Root: dir, Version: o.Version, XRT: filepath.Join(dir, "xrt"),
		Git: filepath.Join(dir, "git", "bin"), Platforms: filepath.Join(dir, "platforms")}
	product := func(name string) string {
		if o.Version >= "2025.1" { // the version above the products
			return filepath.Join(dir, o.Version, name)
		}
		return filepath.Join(dir, name, o.Version)
	}
	in.Vitis, in.Vivado = product("Vitis"), product("Vivado")
	folders := map[string][]string{
		in.Vitis:                    {"v++", "updatemem", "xclbinutil", "emconfigutil"},
		in.Vivado:                   {"vivado", "updatemem"},
		in.XRT:                      {"xclbinutil", "xbutil"},
		filepath.Join(dir, "git"):   {"git", "make", "cmake"},
		filepath.Join(dir, "empty"): nil,
	}
	if o.Version >= "2024.2" {
		folders[in.XRT] = append(folders[in.XRT], "xrt-smi")
	} else {
		in.HLS = product("Vitis_HLS")
		folders[in.HLS] = []string{"vitis_hls"}
	}
	c := Config{Version: o.Version, Pace: o.Pace, Vitis: in.Vitis, URLs: map[string]string{},
		Parts: map[string]string{}, Revisions: map[string]string{}, Cards: o.Cards}
	c.Git, _ = exec.LookPath("git")
	c.Tclsh, _ = exec.LookPath("tclsh")
	if o.Boards == nil {
		lib, diags := platform.NewLibrary(lang.NewParser(), platforms.FS)
		if diags.HasErrors() {
			return nil, fmt.Errorf("read the shipped boards: %w", diags)
		}
		o.Boards = lib.Boards
	}
	for _, b := range o.Boards {
		if name, ok := b.KnownAs[rdmaKernel]; ok {
			c.Parts[name] = b.Part
		}
	}
	for url, r := range o.Repositories {
		c.URLs[url] = r.Dir
		if r.Revision != "" {
			c.Revisions[r.Revision] = r.Head
		}
	}
	for folder, names := range folders {
		if err := links(filepath.Join(folder, "bin"), binary, names); err != nil {
			return nil, err
		}
	}
	if err := in.settings(); err != nil {
		return nil, err
	}
	if err := InstallShells(in.Platforms, o.Boards); err != nil {
		return nil, err
	}
	in.site, err = WriteSite(dir, c)
	return in, err
}

func links(dir, binary string, names []string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, name := range names {
		if err := os.Symlink(binary, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// settings writes the scripts that users source.
func (in *Installation) settings() error {
	scripts := map[string]string{
		filepath.Join(in.Vitis, "settings64.sh"): fmt.Sprintf("export XILINX_VITIS=%s\nexport XILINX_VIVADO=%s\n", in.Vitis,
			in.Vivado) + in.hls() +
			fmt.Sprintf("export PATH=%s/bin:%s/bin:$PATH\n", in.Vitis, in.Vivado),
		filepath.Join(in.Vivado, "settings64.sh"): fmt.Sprintf("export XILINX_VIVADO=%s\nexport PATH=%s/bin:$PATH\n",
			in.Vivado, in.Vivado),
		filepath.Join(in.XRT, "setup.sh"): fmt.Sprintf("export XILINX_XRT=%s\nexport PATH=%s/bin:$PATH\n", in.XRT, in.XRT),
	}
	for path, text := range scripts {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (in *Installation) hls() string {
	if in.HLS == "" {
		return ""
	}
	return fmt.Sprintf("export XILINX_HLS=%s\nexport PATH=%s/bin:$PATH\n", in.HLS, in.HLS)
}

// Env is the environment after the settings were sourced: that of this process, without
// its own variables of such tools.
func (in *Installation) Env() []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if _, ours := in.Variables()[name]; !ours && !strings.HasPrefix(name, "XILINX") {
			env = append(env, v)
		}
	}
	for name, value := range in.Variables() {
		env = append(env, name+"="+value)
	}
	return env
}

// Variables are the variables that the settings set.
func (in *Installation) Variables() map[string]string {
	path := []string{filepath.Join(in.Vitis, "bin"), filepath.Join(in.Vivado, "bin"), filepath.Join(in.XRT, "bin"), in.Git}
	v := map[string]string{"XILINX_VITIS": in.Vitis, "XILINX_VIVADO": in.Vivado, "XILINX_XRT": in.XRT,
		"PLATFORM_REPO_PATHS": in.Platforms}
	if in.HLS != "" {
		v["XILINX_HLS"] = in.HLS
		path = append(path, filepath.Join(in.HLS, "bin"))
	}
	v["PATH"] = strings.Join(path, ":") + ":" + os.Getenv("PATH")
	return v
}
