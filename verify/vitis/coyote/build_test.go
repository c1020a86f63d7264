package coyote_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/vitis/plan"
	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/tools"
)

// shellRepository is a git repository with what stands in for the shell; the
// revision is that of its only commit.
func shellRepository(t *testing.T) (dir, revision string) {
	t.Helper()
	for tool, pkg := range map[string]string{"git": "git", "cmake": "cmake", "make": "make", "cc": "gcc", "bash": "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is missing: apt-get install %s", tool, pkg)
		}
	}
	dir = t.TempDir()
	text, err := os.ReadFile("shell/cmake/FindCoyoteHW.cmake")
	assert.NilError(t, err)
	assert.NilError(t, os.Mkdir(filepath.Join(dir, "cmake"), 0o755))
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "cmake/FindCoyoteHW.cmake"), text, 0o644))
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.CombinedOutput()
		assert.Assert(t, err == nil, "git %s: %v\n%s", args, err, out)
		return strings.TrimSpace(string(out))
	}
	git("init", "--quiet")
	git("add", ".")
	git("-c", "user.name=test", "-c", "user.email=test@example.org", "commit", "--quiet", "-m", "shell")
	return dir, git("rev-parse", "HEAD")
}

// runs carries out a step in a directory of its own; Vivado and updatemem are
// scripts that leave what they should.
func runs(t *testing.T, p *step.Plan, s *step.Step, earlier map[string]string) (dir, said string, err error) {
	t.Helper()
	dir = t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		file := filepath.Join(dir, name)
		assert.NilError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		assert.NilError(t, os.WriteFile(file, []byte(text), mode))
	}
	for _, f := range s.Files {
		write(f.Path, string(f.Content), 0o644)
	}
	for _, n := range s.Needs {
		text, err := os.ReadFile(filepath.Join(earlier[n.Step], n.Output))
		assert.NilError(t, err)
		write(n.Path, string(text), 0o644)
	}
	bin := filepath.Join(t.TempDir(), "bin")
	assert.NilError(t, os.Mkdir(bin, 0o755))
	for name, text := range map[string]string{
		"vivado": `case "$*" in
*cr_user.tcl*) ;;
*bitgen.tcl*) echo bits > bitstreams/cyt_top.bit; echo part > bitstreams/shell_top.bin; echo routed > checkpoints/shell_routed.dcp;;
*"-source coyote/firmware_mmi.tcl") [ -s coyote/build/checkpoints/shell_routed.dcp ] && echo map > firmware.mmi;;
*) echo "vivado does not know $*" >&2; exit 1;;
esac`,
		"updatemem": `while [ $# -gt 0 ]; do case $1 in -bit) in=$2;; -out) out=$2;; -data) data=$2;; -meminfo) map=$2;; esac; shift; done; cat $in $map $data > $out`,
	} {
		assert.NilError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/bash\n"+text+"\n"), 0o755))
	}
	write("step.sh", string(s.Script()), 0o755)
	cmd := exec.CommandContext(t.Context(), "bash", "step.sh")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	return dir, string(out), err
}

func planned(t *testing.T, change func(*design.Design)) *step.Plan {
	t.Helper()
	return plannedWith(t, nil, change)
}

// plannedWith plans with more at the end of the firmware.
func plannedWith(t *testing.T, more []byte, change func(*design.Design)) *step.Plan {
	t.Helper()
	d := designtest.Load(t, "u55c_rdma", nil)
	shell := *d.Shell
	d.Shell = &shell
	change(d)
	files, err := emit.Platform(d)
	assert.NilError(t, err)
	image, err := emit.FirmwareImage(d)
	assert.NilError(t, err)
	p, err := plan.Plan(d, files, tools.Assume(designtest.Library(t).Toolchain, "2023.2"),
		plan.Options{Descriptions: "/x", Firmware: append(image, more...)})
	assert.NilError(t, err)
	return p
}

func TestBuild(t *testing.T) {
	repository, revision := shellRepository(t)
	p := planned(t, func(d *design.Design) { d.Shell.Git, d.Shell.Revision = repository, revision })
	left := map[string]string{}
	for _, s := range p.Steps {
		dir, said, err := runs(t, p, s, left)
		assert.Assert(t, err == nil, "%s: %v\n%s", s.ID, err, said)
		left[s.ID] = dir
		for _, o := range s.Outputs {
			info, err := os.Stat(filepath.Join(dir, o))
			assert.Check(t, err == nil && info.Size() != 0, "%s: output %s: %v", s.ID, o, err)
		}
		assert.Check(t, !strings.Contains(said, "not used by the project"),
			"%s: options that nobody reads:\n%s", s.ID, said)
	}
	options := optionsOf(t, left[p.Steps[0].ID])
	for name, want := range map[string]string{
		"FDEV_NAME": "u55c", "N_REGIONS": "1", "EN_STRM": "1", "N_STRM_AXI": "3", "EN_MEM": "1", "N_CARD_AXI": "3",
		"EN_RDMA": "1", "N_RDMA_AXI": "2",
		"EN_TCP": "0", "EN_NET_0": "1", "EN_NET_1": "0", "ACLK_F": "250", "BUILD_OPT": "1", "EN_AVX": "0", "TLBL_A": "12",
		"COMP_CORES": "8", "LOAD_APPS": "1", "BUILD_STATIC": "default",
	} {
		assert.Check(t, options[name] == want, "%s is %q, want %q", name, options[name], want)
	}
	result := p.Results[0]
	text, err := os.ReadFile(filepath.Join(left[result.Step], result.Output))
	assert.Check(t, err == nil && string(text) == "bits\n", "the result is %.60q (%v)", text, err)
	other := plannedWith(t, []byte("0000006F\n"),
		func(d *design.Design) { d.Shell.Git, d.Shell.Revision = repository, revision })
	image := other.Step(result.Step)
	dir, said, err := runs(t, other, image, left)
	assert.Assert(t, err == nil, "%s with another firmware: %v\n%s", image.ID, err, said)
	text, err = os.ReadFile(filepath.Join(dir, result.Output))
	if err != nil || !strings.HasPrefix(string(text), "bits\nmap\n@00000000\n") ||
		!strings.HasSuffix(string(text), "0000006F\n") {
		t.Errorf("with another firmware the result is %.60q (%v)", text, err)
	}
}

func optionsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, emit.CoyoteBuild, "options.txt"))
	assert.NilError(t, err)
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		out[name] = value
	}
	return out
}

// All options that a platform may set reach the shell, which has them all.
func TestOptions(t *testing.T) {
	repository, revision := shellRepository(t)
	p := planned(t, func(d *design.Design) {
		d.Shell.Git, d.Shell.Revision, d.Shell.Options = repository, revision, nil
		for _, name := range d.Shell.Known {
			d.Shell.Options = append(d.Shell.Options, platform.Setting{Name: name, Value: "my " + name})
		}
	})
	dir, said, err := runs(t, p, p.Steps[0], nil)
	assert.Assert(t, err == nil && !strings.Contains(said, "not used by the project"), "%v\n%s", err, said)
	options := optionsOf(t, dir)
	for _, name := range designtest.Load(t, "u55c_rdma", nil).Shell.Known {
		assert.Check(t, options[name] == "my "+name, "%s is %q", name, options[name])
	}
	for _, name := range designtest.Load(t, "u55c_rdma", nil).Shell.Computed {
		_, is := options[name]
		assert.Check(t, is || name == "CYT_DIR", "the shell has no option %s", name)
	}
}
