package plan_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
	"gotest.tools/v3/golden"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/vitis/plan"
	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/tools"
)

// layer is what a test lays over the shipped descriptions.
type layer map[string]string

func library(t testing.TB, dir string) *platform.Library {
	t.Helper()
	return designtest.Layered(t, os.DirFS(dir))
}

func (l layer) write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range l {
		file := filepath.Join(dir, filepath.FromSlash(name))
		assert.NilError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		assert.NilError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	return dir
}

func loaded(t testing.TB, lib *platform.Library, name string, vars map[string]cty.Value) (*design.Design, []emit.File) {
	t.Helper()
	d := designtest.Of(t, lib, name, vars)
	files, err := emit.Platform(d)
	assert.NilError(t, err)
	return d, files
}

func planned(t testing.TB, lib *platform.Library, name, version string, vars map[string]cty.Value) *step.Plan {
	t.Helper()
	d, files := loaded(t, lib, name, vars)
	p, err := plan.Plan(d, files, tools.Assume(lib.Toolchain, version), plan.Options{Descriptions: "/absent",
		Firmware: []byte("@00000000\n00000013\n")})
	assert.NilError(t, err)
	return p
}

func keysOf(t testing.TB, p *step.Plan) map[string]string {
	t.Helper()
	keys, err := p.Keys(step.Sum)
	assert.NilError(t, err)
	out := map[string]string{}
	for id, k := range keys {
		out[id] = k.Hash
	}
	return out
}

// shipped are all shipped platforms that v++ links, for cards, and some of them for
// emulation, with their plans.
type shipped struct {
	name  string
	d     *design.Design
	files []emit.File
	p     *step.Plan
}

var allShipped []shipped

func each(t *testing.T, look func(t *testing.T, d *design.Design, files []emit.File, p *step.Plan)) {
	if allShipped == nil {
		lib := library(t, t.TempDir())
		for i, name := range lib.PlatformNames() {
			for _, emulated := range []bool{false, true} {
				can := slices.ContainsFunc(lib.Declared(name), func(v lang.Variable) bool { return v.Name == "hw_emu" })
				if strings.HasSuffix(name, "_rdma") || emulated && i%3 != 0 || emulated && !can {
					continue
				}
				vars := map[string]cty.Value{}
				if emulated {
					vars["hw_emu"] = cty.True
				}
				d, files := loaded(t, lib, name, vars)
				p, err := plan.Plan(d, files, tools.Assume(lib.Toolchain, "2023.2"),
					plan.Options{Descriptions: "/absent", Firmware: []byte("@0\n")})
				assert.NilError(t, err)
				allShipped = append(allShipped, shipped{fmt.Sprintf("%s emulated=%v", name, emulated), d, files, p})
			}
		}
	}
	assert.Assert(t, len(allShipped) >= 20, "only %d platforms", len(allShipped))
	for _, s := range allShipped {
		t.Run(s.name, func(t *testing.T) { look(t, s.d, s.files, s.p) })
	}
}

// linked finds the link of a plan, its .xo files and its options, each with its
// value.
func linked(t *testing.T, p *step.Plan) (s *step.Step, xos []string, options [][2]string) {
	t.Helper()
	i := slices.IndexFunc(p.Steps, func(s *step.Step) bool { return s.Kind == step.Link })
	assert.Assert(t, i >= 0, "nothing is linked")
	s = p.Steps[i]
	for _, c := range s.Commands {
		if c.Tool != "v++" {
			continue
		}
		for i := 0; i < len(c.Args); i++ {
			a := c.Args[i]
			switch {
			case strings.HasSuffix(a, ".xo"):
				xos = append(xos, a)
			case slices.Contains(flags, a):
				options = append(options, [2]string{a})
			case strings.HasPrefix(a, "-") && i+1 < len(c.Args):
				options = append(options, [2]string{a, c.Args[i+1]})
				i++
			default:
				t.Errorf("v++ is given %q, which is no option", a)
			}
		}
	}
	return s, xos, options
}

// flags are options of v++ --link without a value (UG1702, "v++ General Options").
var flags = []string{"--link", "--save-temps", "-g"}

var pathWord = regexp.MustCompile(`[\w./+-]+\.(xo|tcl|cfg|mmi|mem|json|bit|xclbin)\b`)

// A plan can be run anywhere, and step by step: everything that a command reads is
// put there or was made before, names nothing absolute, and stands below the work
// directory.
func TestStepsHaveWhatTheyRead(t *testing.T) {
	each(t, func(t *testing.T, d *design.Design, files []emit.File, p *step.Plan) {
		before := map[string]*step.Step{}
		for _, s := range p.Steps {
			assert.Check(t, before[s.ID] == nil, "two steps %s", s.ID)
			there := map[string]bool{}
			put := func(name string) {
				assert.Check(t, filepath.IsLocal(name) && path.Clean(name) == name, "%s: the path %q", s.ID, name)
				assert.Check(t, !there[name], "%s: %s is put there twice", s.ID, name)
				there[name] = true
			}
			for _, f := range s.Files {
				put(f.Path)
			}
			for _, n := range s.Needs {
				if from := before[n.Step]; from == nil || !slices.Contains(from.Outputs, n.Output) {
					t.Errorf("%s needs %s of %s, which does not leave it before", s.ID, n.Output, n.Step)
				}
				put(n.Path)
			}
			for _, c := range s.Commands {
				if c.Shell == "" && !slices.ContainsFunc(s.Tools, func(t step.Tool) bool { return t.Name == c.Tool }) {
					t.Errorf("%s runs %s, which is none of its tools", s.ID, c.Tool)
				}
				if s.Kind == step.Source {
					continue // commands of others
				}
				text := strings.Join(append([]string{c.Shell}, c.Args...), " ")
				assert.Check(t, !strings.Contains(text, " /"), "%s: %q has an absolute path", s.ID, text)
				for _, word := range pathWord.FindAllString(text, -1) {
					name := path.Join(c.Dir, word)
					made := slices.Contains(s.Outputs, name) ||
						slices.Contains([]string{"build.cfg", "linked.bit", "firmware.bit", "patched.xclbin"}, name)
					if !there[name] && !made && s.Kind != step.HLS {
						t.Errorf("%s reads %s, which is not there", s.ID, name)
					}
				}
			}
			assert.Check(t, s.Resources.CPUs != 0 && s.Resources.Memory != 0 && s.Resources.Time != 0,
				"%s takes %+v", s.ID, s.Resources)
			before[s.ID] = s
		}
		final := d.Platform.Name + ".xclbin"
		i := slices.IndexFunc(p.Results, func(r step.Result) bool { return r.Path == final })
		assert.Check(t, i >= 0 && before[p.Results[i].Step].Kind == step.Image, "users get %v", p.Results)
	})
}

// Engines are the instances with the role: each gets the firmware, once.
func TestFirmwareGoesIntoEachEngine(t *testing.T) {
	each(t, func(t *testing.T, d *design.Design, files []emit.File, p *step.Plan) {
		var engines, got []string
		for _, in := range d.Instances {
			if in.Role == "engine" {
				engines = append(engines, in.Name)
			}
		}
		image := p.Steps[len(p.Steps)-1]
		for _, c := range image.Commands {
			for i, a := range c.Args {
				if a == "-proc" {
					got = append(got, c.Args[i+1])
					// UG1580: -data and -proc go in pairs.
					assert.Check(t, is.Equal(c.Args[i-2], "-data"), "updatemem %v", c.Args)
				}
			}
		}
		if d.Platform.HWEmu {
			engines = nil // it is in the kernel
		}
		assert.Check(t, slices.Equal(got, engines), "firmware goes into %v, not into %v", got, engines)
	})
}

// changes are the kinds of steps whose keys differ between two plans.
func changes(t *testing.T, a, b *step.Plan) []step.Kind {
	t.Helper()
	x, y := keysOf(t, a), keysOf(t, b)
	kinds := map[step.Kind]bool{}
	for _, s := range a.Steps {
		if y[s.ID] != x[s.ID] {
			kinds[s.Kind] = true
		}
	}
	return slices.Sorted(maps.Keys(kinds))
}

func TestWhatIsBuiltAnew(t *testing.T) {
	const mine = "platform \"p\" {\n  board = \"u55c\"\n  source = { reduce_ops = \"hls\" }\n  clock = 250\n\n  poe " +
		"\"tcp\" {}\n\n  arithmetic \"reduce_ops\" {}\n"
	type variant struct {
		text    string // in the platform
		clock   string
		version string
		plan.Options
	}
	usual := plan.Options{Descriptions: "/a", Firmware: []byte("@0 1")}
	planOf := func(v variant) *step.Plan {
		if v.Descriptions == "" {
			v.Options = usual
		}
		text := strings.Replace(mine, "clock = 250", "clock = "+cmp.Or(v.clock, "250"), 1) + v.text + "}\n"
		lib := library(t, layer{"p.hcl": text, "more.tcl": "# more\n", "other.tcl": "# other\n"}.write(t))
		d, files := loaded(t, lib, "p", nil)
		p, err := plan.Plan(d, files, tools.Assume(lib.Toolchain, cmp.Or(v.version, "2023.2")), v.Options)
		assert.NilError(t, err)
		return p
	}
	was := planOf(variant{})
	all := []step.Kind{step.HLS, step.Image, step.Link, step.Package, step.Source}
	for name, test := range map[string]struct {
		variant
		want []step.Kind
	}{
		"nothing": {},
		"firmware": {variant{Options: plan.Options{Descriptions: "/a", Firmware: []byte("@0 2")}},
			[]step.Kind{step.Image}},
		"where it is": {variant{Options: plan.Options{Descriptions: "/b", Firmware: usual.Firmware}}, nil},
		"tools":       {variant{version: "2024.1"}, all},
		"clock":       {variant{clock: "200"}, []step.Kind{step.HLS, step.Image, step.Link, step.Package}},
		"cluster, threads, resources": {variant{text: "build {\n    jobs = 3\n    slurm { partition = \"fpga\" }\n" +
			"    step \"link\" { memory = \"99G\" }\n    step \"package\" { cpus = 7 }\n  }\n"}, nil},
		// What the card's section says about the design changes, too.
		"debug": {variant{text: "build {\n debug { chipscope = [\"cmac\"] }\n }\n"}, []step.Kind{step.Image, step.Link}},
		"hang": {variant{text: "build {\n    debug { chipscope = [\"hang\"] }\n  }\n"},
			[]step.Kind{step.Image, step.Link, step.Package}},
		"options":   {variant{text: "build { link_options = [\"-O3\"] }\n"}, []step.Kind{step.Image, step.Link}},
		"post-link": {variant{text: "build { post_link = [\"more.tcl\"] }\n"}, []step.Kind{step.Image, step.Link}},
		"firmware in the kernel": {variant{text: "build { firmware = \"kernel\" }\n"},
			[]step.Kind{step.Image, step.Link, step.Package}},
	} {
		t.Run(name, func(t *testing.T) {
			got := changes(t, was, planOf(test.variant))
			assert.Check(t, slices.Equal(got, test.want), "built anew: %v, want %v", got, test.want)
		})
	}
	assert.Check(t, len(changes(t, planOf(variant{text: "build { post_link = [\"more.tcl\"] }\n"}),
		planOf(variant{text: "build { post_link = [\"other.tcl\"] }\n"}))) != 0, "another post-link Tcl changes nothing")
	const loopback = "p/package/loopback" // unlike the engine, it does not know the clock
	a, b := keysOf(t, was)[loopback], keysOf(t, planOf(variant{clock: "200"}))[loopback]
	assert.Check(t, a != "" && a == b, "%s is built anew for another clock", loopback)
}

// Kernels that are the same for two platforms are packaged once, and so are builds
// of others for one board.
func TestPlatformsShareResults(t *testing.T) {
	lib := library(t, t.TempDir())
	a, b := keysOf(t, planned(t, lib, "u280_tcp", "", nil)), keysOf(t, planned(t, lib, "u280_2022", "", nil))
	for _, id := range []string{"source/network_krnl", "package/reduce_ops", "package/loopback"} {
		if x, y := a["u280_tcp/"+id], b["u280_2022/"+id]; x == "" || x != y {
			t.Errorf("%s: %q and %q", id, x, y)
		}
	}
	assert.Check(t, a["u280_tcp/link/u280_tcp"] != b["u280_2022/link/u280_2022"], "two platforms have one link")
	other := keysOf(t, planned(t, lib, "u250_tcp", "", nil))
	for _, id := range []string{"source/network_krnl", "package/loopback"} {
		assert.Check(t, a["u280_tcp/"+id] != other["u250_tcp/"+id], "%s of two FPGAs is the same", id)
	}
	both := plan.Merge(planned(t, lib, "u280_tcp", "", nil), planned(t, lib, "u250_tcp", "", nil))
	assert.Check(t, len(keysOf(t, both)) == len(both.Steps) && both.Step("u250_tcp/link/u250_tcp") != nil,
		"plans cannot be put together")
}

// Builds of others are warned about where nobody has tried them.
func TestWarnings(t *testing.T) {
	lib := library(t, t.TempDir())
	for _, test := range []struct{ platform, version, want string }{
		{"u55c_tcp", "2022.1", ""},
		{"u200_tcp", "2022.1",
			"network_krnl and cmac_krnl from Vitis_with_100Gbps_TCP-IP is known to build for u250, u280, u50, u55c, not for " +
				"u200; its build may fail"},
		{"u200_udp", "2022.2", ""},
		{"u55c_tcp", "2022.2",
			"network_krnl and cmac_krnl from Vitis_with_100Gbps_TCP-IP is known to build with Vitis 2022.1, and this is " +
				"2022.2; its build may fail"},
		{"u250_axis3x", "2022.2",
			"Vitis 2022.2 and the board platform xilinx_u250_gen3x16_xdma_4_1_202210_1 do not go together"},
		{"u280_axis3x", "2025.2",
			"Vitis 2025.2 and the board platform xilinx_u280_gen3x16_xdma_1_202211_1 do not go together"},
		{"u55c_axis3x", "2025.2", ""},
		{"u55c_rdma", "2025.2", ""},
	} {
		d, _ := loaded(t, lib, test.platform, nil)
		got := strings.Join(plan.Warnings(d, tools.Assume(lib.Toolchain, test.version)), "\n")
		if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" || strings.Contains(got, "\n") {
			t.Errorf("%s with %s: %q", test.platform, test.version, got)
		}
	}
}

// A kernel that is like another one is built like it, with the words of that one's
// file.
func TestBuildsAreTakenOver(t *testing.T) {
	lib := library(t, layer{
		"p.hcl": "platform \"p\" {\n  board = \"u55c\"\n\n  cclo { kernel_stream = \"mine\" }\n\n  poe \"axis\" {}\n}\n",
		"kernels/base.hcl": "locals { name = \"theirs\" }\n\nkernel \"base\" {\n  like = \"user_kernel\"\n  control = " +
			"\"ap_ctrl_none\"\n  calls = false\n\n  xo {\n    git = \"https://example.org/k\"\n" +
			"    revision = \"0123456789abcdef0123456789abcdef01234567\"\n    command = \"make ${local.name} " +
			"${kernel.name}\"\n    produces = \"${local.name}.xo\"\n  }\n}\n",
		"kernels/mine.hcl": "locals { name = \"mine\" }\n\nkernel \"mine\" { like = \"base\" }\n",
	}.write(t))
	s := planned(t, lib, "p", "", nil).Step("p/source/mine")
	if s == nil || !slices.Equal(s.Outputs, []string{"source/theirs.xo"}) ||
		s.Commands[len(s.Commands)-1].Shell != "make theirs mine" {
		t.Errorf("the build is %+v", s)
	}
}

// The tool that compiles C++ runs in the kernel's directory, with the file that is
// for it: what is for the other one makes nothing new.
func TestCppIsCompiledByWhatTheVersionHas(t *testing.T) {
	lib := library(t,
		layer{
			"p.hcl": "platform \"p\" {\n  board = \"u55c\"\n  source = { reduce_ops = \"hls\" }\n\n  poe \"udp\" {}\n\n  " +
				"arithmetic \"reduce_ops\" {}\n}\n"}.write(t))
	for version, want := range map[string]string{
		"2023.1": "vitis_hls -f run_hls.tcl",
		"2023.2": "v++ --compile --mode hls --config hls_config.cfg --work_dir reduce_ops",
	} {
		s := planned(t, lib, "p", version, nil).Step("p/hls/reduce_ops")
		assert.Assert(t, s != nil, "reduce_ops is not compiled")
		c := s.Commands[0]
		got := strings.Join(append([]string{c.Tool}, c.Args...), " ")
		assert.Check(t, got == want && c.Dir == "hls/reduce_ops", "%s: %s in %s", version, got, c.Dir)
		script := regexp.MustCompile(`(?m)run_hls.tcl|hls_config.cfg`).FindString(want)
		for _, f := range s.Files {
			if base := path.Base(f.Path); base != script && (base == "run_hls.tcl" || base == "hls_config.cfg") {
				t.Errorf("%s: %s is an input", version, f.Path)
			}
		}
		for _, name := range []string{"hls/reduce_ops/reduce_ops.cpp", "hls/reduce_ops/reduce_ops.hpp", "hls/cclo_hls.hpp",
			"hls/reduce_ops/" + script} {
			assert.Check(t, slices.ContainsFunc(s.Files, func(f step.File) bool { return f.Path == name }),
				"%s: no input %s", version, name)
		}
	}
}

func TestFilesOfOthers(t *testing.T) {
	const text = "platform \"p\" {\n  board = \"u55c\"\n\n  cclo { kernel_stream = \"mine\" }\n\n  poe \"tcp\" {}\n}\n"
	kernel := func(xo string) string {
		return "kernel \"mine\" {\n  like = \"user_kernel\"\n  source = \"xo\"\n  control = \"ap_ctrl_none\"\n  calls = " +
			"false\n" + xo + "\n}\n"
	}
	elsewhere := filepath.Join(t.TempDir(), "there.xo")
	assert.NilError(t, os.WriteFile(elsewhere, []byte("xo"), 0o666))
	for _, test := range []struct{ name, xo, want, wrong string }{
		{"beside the description", `xo { path = "mine.xo" }`, "DIR/platforms/kernels/mine.xo", ""},
		{"absolute", fmt.Sprintf(`xo { path = %q }`, elsewhere), elsewhere, ""},
		{"by a variable", "xo {\n variable = \"MINE\"\n path = \"there.xo\"\n }", elsewhere, ""},
		{"missing", `xo { path = "absent.xo" }`, "",
			"kernel mine: its .xo is missing: there is no file DIR/platforms/kernels/absent.xo (platforms/kernels/mine.hcl, " +
				"line 6)"},
		{"variable not set", "xo {\n variable = \"OTHER\"\n path = \"there.xo\"\n }", "",
			"it is there.xo below $OTHER, which is not set"},
		{"not said", "", "", "nobody says where it comes from"},
	} {
		t.Run(test.name, func(t *testing.T) {
			top := layer{"platforms/p.hcl": text, "platforms/kernels/mine.hcl": kernel(test.xo),
				"platforms/kernels/mine.xo": "xo"}.write(t)
			bin := filepath.Join(top, "bin")
			boards := filepath.Join(top, "boards")
			lib := library(t, filepath.Join(top, "platforms"))
			d, files := loaded(t, lib, "p", nil)
			for _, name := range []string{"v++", "vivado", "xclbinutil", "updatemem", "git", "make", "cmake", "vitis_hls"} {
				put(t, filepath.Join(bin, name), "#!/bin/sh\necho v++ v2023.1 Vivado v2023.1 XRT Build Version: 2.15.0\n")
			}
			put(t, filepath.Join(boards, d.Platform.Board.Shell+".xpfm"), "<platform/>")
			vars := map[string]string{"PATH": bin, "MINE": filepath.Dir(elsewhere), "PLATFORM_REPO_PATHS": boards}
			set, err := tools.Find(t.Context(), lib.Toolchain,
				tools.Env{Lookup: func(name string) (string, bool) { v, ok := vars[name]; return v, ok }},
				plan.Needs(d)...)
			assert.NilError(t, err)
			p, err := plan.Plan(d, files, set, plan.Options{Descriptions: top})
			if test.wrong != "" {
				want := strings.ReplaceAll(test.wrong, "DIR", top)
				assert.Check(t, errors.Is(err, tools.ErrMissing) && strings.Contains(err.Error(), want),
					"got %v\nwant %s", err, want)
				return
			}
			assert.NilError(t, err)
			link, xos, _ := linked(t, p)
			i := slices.IndexFunc(link.Files, func(f step.File) bool { return f.Path == "xo/mine.xo" })
			if i < 0 || link.Files[i].Disk != strings.ReplaceAll(test.want, "DIR", top) || !slices.Contains(xos, "xo/mine.xo") {
				t.Errorf("linked: %v", xos)
			}
			assert.Check(t, link.Env["PLATFORM_REPO_PATHS"] == boards && link.Facts["file of the board platform"] != "",
				"environment %v, facts %v", link.Env, link.Facts)
			// Another content of the file is another link.
			before := keysOf(t, p)
			put(t, link.Files[i].Disk, "another")
			defer put(t, link.Files[i].Disk, "xo")
			assert.Check(t, keysOf(t, p)["p/link/p"] != before["p/link/p"], "the link does not depend on the .xo")
		})
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	assert.NilError(t, os.MkdirAll(filepath.Dir(file), 0o777))
	assert.NilError(t, os.WriteFile(file, []byte(text), 0o777))
}

// Plans of one platform of each kind, as people would say them. What the kernels' and
// the shell's authors have people do is in their documentation.
func TestPlansAreAsWritten(t *testing.T) {
	lib := library(t, t.TempDir())
	for _, test := range []struct {
		platform string
		vars     map[string]cty.Value
	}{
		{"u55c_tcp", nil}, {"u280_udp", map[string]cty.Value{"hw_emu": cty.True}},
		{"u200_udp", map[string]cty.Value{"ethernet_port": cty.NumberIntVal(1)}}, {"u55c_rdma", nil},
	} {
		var got strings.Builder
		for _, s := range planned(t, lib, test.platform, "2023.2", test.vars).Steps {
			fmt.Fprintf(&got, "%s: %s\n", s.ID, s.Title)
			for _, n := range s.Needs {
				fmt.Fprintf(&got, "  needs %s of %s as %s\n", n.Output, n.Step, n.Path)
			}
			for _, line := range strings.Split(strings.TrimSpace(string(s.Script())), "\n")[4:] {
				if line != "" {
					fmt.Fprintf(&got, "  | %s\n", line)
				}
			}
			fmt.Fprintf(&got, "  leaves %s\n", strings.Join(s.Outputs, ", "))
		}
		golden.Assert(t, got.String(), test.platform+".txt")
	}
}
