package design_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/design"
)

// likes are kernels that take over from others, whose expressions see the locals
// of the file that they stand in.
func likes(kernel string) fstest.MapFS {
	return fstest.MapFS{
		"kernels/base.hcl": {Data: []byte(`
locals {
  bits = 512
  name = "base"
}

kernel "base" {
  abstract = true
  like     = "called_kernel"
  instance = "${local.name}_${cclo.index}"
  calls    = false

  port "data_to_cclo" {
    axis  = "out"
    width = local.bits
    tdest = 8
    joins = "kernel/in"
    depth = local.bits
  }

  argument "count" { type = "int" }
}`)},
		"kernels/mine.hcl": {Data: []byte(kernel)},
		"kernels/mine.hpp": {Data: []byte("void body();\n")},
		"p.hcl": {Data: []byte(`
platform "p" {
  board = "u55c"
  cclo { kernel_stream = "mine" }
  poe "tcp" {}
}`)},
	}
}

func kernelNamed(t *testing.T, d *design.Design, id string) (*design.Kernel, []string) {
	t.Helper()
	var kernel *design.Kernel
	var instances []string
	for _, in := range d.Instances {
		if in.Kernel.ID == id {
			kernel, instances = in.Kernel, append(instances, in.Name)
		}
	}
	assert.Assert(t, kernel != nil, "no instance of %s", id)
	return kernel, instances
}

func portNames(k *design.Kernel) []string {
	var names []string
	for _, p := range k.Ports {
		names = append(names, p.Name)
	}
	return names
}

func TestKernelsTakeOverWhatTheyDoNotSay(t *testing.T) {
	d := load(t, "p", likes(`
locals { name = "mine" }

kernel "mine" {
  like = "base"
  hls {
    files = ["mine.hpp"]
    calls = "body"
  }
  argument "src" { type = "float*" }
  argument "scale" { type = "double" }
  argument "count" { type = "uint" }
  port "extra" {
    axis     = "in"
    width    = 64
    required = false
  }
}`))
	checkGraph(t, d)
	k, instances := kernelNamed(t, d, "mine")
	same(t, []string{"base_0"}, instances)
	if k.Source != "hls" || k.Control != "ap_ctrl_hs" || k.HLS == nil || k.HLS.Calls != "body" ||
		string(k.HLS.Files[0].Text) != "void body();\n" {
		t.Errorf("got %+v", k)
	}
	same(t, []string{"data_to_cclo", "data_from_cclo", "s_axi_control", "m_axi_gmem", "extra"}, portNames(k))
	want := []design.Argument{
		{Name: "count", At: 0x10, Width: 32, Type: "uint", Port: "s_axi_control"},
		{Name: "src", At: 0x18, Width: 64, Type: "float*", Port: "m_axi_gmem"},
		{Name: "scale", At: 0x24, Width: 64, Type: "double", Port: "s_axi_control"},
	}
	same(t, want, k.Arguments)
	depth := -1
	for _, s := range d.Streams {
		if s.From.Instance.Kernel == k {
			depth = s.Depth
		}
	}
	assert.Check(t, is.Equal(depth, 512), "the stream to the engine has a FIFO")
	for _, file := range []string{"platforms/kernels/mine.hcl", "platforms/kernels/base.hcl",
		"platforms/kernels/called_kernel.hcl"} {
		found := false
		for _, f := range d.Files {
			found = found || f == file
		}
		assert.Check(t, found, "the design does not say that it comes from %s", file)
	}
}

func TestUserKernelsHaveTheCallStreamsThatTheySay(t *testing.T) {
	const text = `
kernel "mine" {
  like = "user_kernel"
  hls {
    files = ["mine.hpp"]
    calls = "body"
  }
%s}`
	for _, test := range []struct {
		name, says string
		ports      []string
	}{
		{"by default all", "", []string{"cmd_to_cclo", "sts_from_cclo", "data_to_cclo", "data_from_cclo"}},
		{"without calls", "  calls = false\n", []string{"data_to_cclo", "data_from_cclo"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := load(t, "p", likes(fmt.Sprintf(text, test.says)))
			k, instances := kernelNamed(t, d, "mine")
			same(t, test.ports, portNames(k))
			same(t, []string{"mine_0_0"}, instances)
		})
	}
}

func TestPlatformsChooseAmongForms(t *testing.T) {
	for _, test := range []struct{ source, want string }{{"", "rtl"}, {`source = { reduce_ops = "hls" }`, "hls"},
		{`source = { reduce_ops = "rtl" }`, "rtl"}} {
		layer := fstest.MapFS{"p.hcl": {Data: []byte(`
platform "p" {
  board = "u55c"
  ` + test.source + `
  poe "tcp" {}
  arithmetic "reduce_ops" {}
}`)}}
		k, _ := kernelNamed(t, load(t, "p", layer), "reduce_ops")
		assert.Check(t, k.Source == test.want && k.HLS != nil, "%q: %s", test.source, k.Source)
	}
}

// An own file of the same path hides a shipped one; C++ is no exception.
func TestOwnFilesHideShippedOnes(t *testing.T) {
	layer := likes("")
	delete(layer, "kernels/mine.hcl")
	layer["kernels/reduce_ops.hpp"] = &fstest.MapFile{Data: []byte("int sum, max;\n")}
	layer["p.hcl"].Data = []byte(`
platform "p" {
  board = "u55c"
  poe "tcp" {}
  arithmetic "reduce_ops" {}
}`)
	k, _ := kernelNamed(t, load(t, "p", layer), "reduce_ops")
	assert.Check(t, is.Equal(string(k.HLS.Files[0].Text), "int sum, max;\n"))
}

func TestTheWideSideOfConversions(t *testing.T) {
	for _, test := range []struct {
		name, conversions string
		bytes             int
		widens            []bool // by TDEST
	}{
		{"larger elements where counts are equal", `conversion "float32" "own" { tdest = 0 }
conversion "own" "float32" { tdest = 1 }`, 2, []bool{false, true}},
		{"smaller elements first", `conversion "own" "float32" { tdest = 0 }
conversion "float32" "own" { tdest = 1 }`, 2, []bool{true, false}},
		{"only one side fits", `conversion "own" "float32" {
  tdest     = 0
  ratio_log = 4
}
conversion "float32" "own" {
  tdest     = 1
  ratio_log = 4
}`, 16, []bool{true, false}},
		{"both fit: what stands first compresses", `conversion "float32" "own" {
  tdest     = 1
  ratio_log = 2
}
conversion "own" "float32" {
  tdest     = 0
  ratio_log = 2
}`, 8, []bool{true, false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := load(t, "p", fstest.MapFS{"p.hcl": {Data: []byte(fmt.Sprintf(`
platform "p" {
  board = "u55c"
  poe "tcp" {}
  type "own" { bytes = %d }
  compression "hp_compression" {
    %s
  }
}`, test.bytes, test.conversions))}})
			for i, c := range d.Platform.Compression.Conversions {
				assert.Check(t, c.TDEST == i && c.Widens == test.widens[i],
					"TDEST %d: %s to %s widens: %v", c.TDEST, c.From, c.To, c.Widens)
			}
			if n := len(d.Configs); n != 1 || d.Configs[0].Uncompressed != "float32" || d.Configs[0].Compressed != "own" {
				t.Errorf("configurations %+v", d.Configs)
			}
		})
	}
}

func TestVariantsOfPluginsHaveTheirCPP(t *testing.T) {
	for _, test := range []struct {
		name, kernel, platform string
		functions              int
		cpp                    string
	}{
		{"functions are taken over", "", "", 2, "sum"},
		{"own functions replace all", "  function \"sum\" {\n tdest = { int32 = 3 }\n cpp = \"add\"\n }\n", "", 1, "add"},
		{"the platform's replace them, but keep the name in C++",
			"  function \"sum\" {\n tdest = { int32 = 3 }\n cpp = \"add\"\n }\n", `function "sum" { tdest = { int64 = 0 } }`,
			1, "add"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := load(t, "p", fstest.MapFS{
				"kernels/mine.hcl":       {Data: []byte("kernel \"mine\" {\n  like = \"reduce_ops\"\n" + test.kernel + "}\n")},
				"kernels/reduce_ops.hpp": {Data: []byte("int sum(), max(), add();\n")},
				"p.hcl": {
					Data: []byte("platform \"p\" {\n board = \"u55c\"\n poe \"tcp\" {}\n arithmetic \"mine\" {\n" +
						test.platform + "\n}\n}\n")},
			})
			k, _ := kernelNamed(t, d, "mine")
			functions := d.Platform.Arithmetic.Functions
			if k.Source != "hls" || k.HLS == nil || len(functions) != test.functions || functions[0].CPP != test.cpp {
				t.Errorf("%s, %+v", k.Source, functions)
			}
		})
	}
}
