package vitis

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/workspace"
	"github.com/cclforge/cclforge/platforms"
	"github.com/cclforge/cclforge/verify/vitis/standin"
)

var shipped = sync.OnceValues(func() ([]*design.Design, error) {
	space := workspace.New("", func(string, ...any) {}, platforms.FS)
	rendered, err := space.Render(context.Background(), workspace.Selection{})
	var all []*design.Design
	for _, r := range rendered {
		all = append(all, r.Design)
	}
	return all, err
})

// post is what a third party's Tcl does to the linked design: a look at it.
const post = `foreach cell [get_bd_cells -quiet] {
    set pins [get_bd_intf_pins -quiet $cell/nothing]
    if {[llength $pins] != 0} { error "pins of nothing: $pins" }
}
`

// repositories makes git repositories that stand for those that the kernels of designs
// come from, by URL. What a build leaves there is in a folder of the stand-in for make.
func repositories(dir string, designs []*design.Design) (map[string]standin.Repository, error) {
	at := map[string]string{}
	asked := map[string]string{}
	for _, d := range designs {
		for _, src := range d.Sources() {
			repo := at[src.Git]
			if repo == "" {
				repo = filepath.Join(dir, fmt.Sprintf("repository%d", len(at)))
				at[src.Git], asked[src.Git] = repo, src.Revision
			}
			if asked[src.Git] != src.Revision {
				return nil, fmt.Errorf("%s is asked for as %s and as %s", src.Git, asked[src.Git], src.Revision)
			}
			if err := fill(repo, designs, src); err != nil {
				return nil, err
			}
		}
	}
	for _, d := range designs {
		if d.Shell == nil || at[d.Shell.Git] != "" {
			continue
		}
		repo := filepath.Join(dir, fmt.Sprintf("repository%d", len(at)))
		at[d.Shell.Git], asked[d.Shell.Git] = repo, d.Shell.Revision
		if err := write(repo, map[string]string{"cmake/FindCoyoteHW.cmake": "# fixture\n",
			"hw/shell.sv": "// fixture\n"}); err != nil {
			return nil, err
		}
	}
	all := map[string]standin.Repository{}
	for url, repo := range at {
		head, err := commit(repo)
		if err != nil {
			return nil, err
		}
		all[url] = standin.Repository{Dir: repo, Head: head, Revision: asked[url]}
	}
	return all, nil
}

func fill(repo string, designs []*design.Design, src *design.Source) error {
	files := map[string]string{"CMakeLists.txt": "# fixture\n", "Makefile": "# fixture\n",
		"kernel/common/types/network_types.svh.in": "parameter TCP_RX_BYPASS_EN = ${TCP_STACK_RX_DDR_BYPASS_EN};\n",
		filepath.Join(src.Directory, "Makefile"):   "# fixture\n"}
	for _, k := range src.Kernels {
		text, err := standin.KernelXML(k, open(designs, k))
		if err != nil {
			return err
		}
		if err := standin.WriteXO(filepath.Join(repo, "standin", k.XO.Produces), text); err != nil {
			return err
		}
		for _, r := range k.XO.Repositories {
			files[filepath.Join("standin", r, "component.xml")] = "<component/>\n"
			files[filepath.Join("standin", r, "hdl", "empty.v")] = ""
		}
		if k.XO.PostLink != "" {
			files[k.XO.PostLink] = post
		}
	}
	return write(repo, files)
}

func write(repo string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(repo, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// open tells which streams of a kernel lead nowhere in one of the designs.
func open(designs []*design.Design, k *design.Kernel) func(port string) bool {
	return func(port string) bool {
		for _, d := range designs {
			for _, other := range d.Kernels() {
				if other.Name == k.Name && !connected(d, other, port) {
					return true
				}
			}
		}
		return false
	}
}

func connected(d *design.Design, k *design.Kernel, port string) bool {
	for _, s := range d.Streams {
		for _, p := range []*design.Port{s.From, s.To} {
			if p.Instance.Kernel == k && p.Name == port {
				return true
			}
		}
	}
	return false
}

// commit makes a commit of all files, the same each time.
func commit(repo string) (string, error) {
	for _, args := range [][]string{{"init", "--quiet", "."}, {"add", "--all"},
		{"commit", "--quiet", "--message", "fixture"}, {"config", "uploadpack.allowAnySHA1InWant", "true"},
		{"config", "uploadpack.allowFilter", "true"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a",
			"GIT_COMMITTER_EMAIL=a@example.org",
			"GIT_AUTHOR_DATE=2023-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2023-01-01T00:00:00Z", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	cmd := exec.Command("git", "rev-parse", "HEAD")
	cmd.Dir = repo
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

func emulation(in *standin.Installation, designs []*design.Design) error {
	for _, d := range designs {
		for _, k := range d.Kernels() {
			if k.XO == nil || k.XO.Variable != "XILINX_VITIS" {
				continue
			}
			text, err := standin.KernelXML(k, open(designs, k))
			if err != nil {
				return err
			}
			if err := standin.WriteXO(filepath.Join(in.Vitis, k.XO.File), text); err != nil {
				return err
			}
		}
	}
	return nil
}
