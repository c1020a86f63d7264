package platform_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

// driverOf is a kernel with a shell whose driver has more than it must have.
func driverOf(change [2]string, more string) string {
	text := `kernel "mine" {
  like   = "called_kernel"
  source = "xo"
  shell "other" {
    git      = "https://example.org/shell.git"
    revision = "0123456789012345678901234567890123456789"
    known    = ["PAGE"]
    driver {
      file             = "/dev/other_%d_v%d"
      group            = "F"
      words            = 4
      page             = 4096
      huge_page_bits   = 21
      huge_page_option = "PAGE"
      threads          = 4
      thread_bits      = 2
      window "region" {
        page  = 1
        bytes = 4096
      }
` + more + "\n    }\n  }\n}\n"
	return strings.Replace(text, change[0], change[1], 1)
}

func TestDriversOfShells(t *testing.T) {
	read := func(text string) string {
		files := fstest.MapFS{"kernels/mine.hcl": {Data: []byte(text)}}
		_, diags := platform.NewLibrary(lang.NewParser(), files, platforms.FS)
		if !diags.HasErrors() {
			return ""
		}
		return diags.Error()
	}
	if err := read(driverOf([2]string{},
		"call \"a\" {\n number = 1\n direction = \"in\"\n field \"b\" {}\n}")); err != "" {
		t.Fatal(err)
	}
	call := func(inside string) string {
		return "call \"a\" {\n number = 1\n direction = \"in\"\n" + inside + "\n}"
	}
	register := func(inside string) string {
		return "register \"a\" {\n" + inside + "\n}"
	}
	for _, test := range []struct {
		from, to, more, want string
	}{
		{"_v%d", "", "", `"/dev/other_%d" is no path with two numbers`},
		{`"F"`, `"FG"`, "", `The group of calls is one character, not "FG".`},
		{"4096", "4000", "", "A page has a power of two of bytes, not 4000."},
		{"= 21", "= 11", "", "A huge page has at least the 4096 bytes of a page"},
		{"threads          = 4", "threads          = 5", "",
			"A region has 1 to 4 threads, as many as 2 bits can name; 5 are not."},
		{`"PAGE"` + "\n      threads", `"SIZE"` + "\n      threads", "", `The shell "other" has no option "SIZE"`},
		{"bytes = 4096", "bytes = 4095", "", `The window "region" has whole pages of 4096 bytes; 4095 bytes are not.`},
		{"", "", call(""), "At least one field is expected."},
		{"", "", call(`field "b" { word = 4 }`), `The field "b" is in one of the words 0 to 3, not in 4.`},
		{"", "", call("field \"b\" {\n at = 60\n bits = 5\n}"), "5 bits from bit 60 on are none."},
		{"", "", call(`field "b" {}` + "\n" + `field "b" { word = 1 }`), `The field "b" is already described`},
		{"", "", call("field \"b\" {}\nfield \"c\" { bits = 3 }"), `The fields "b" and "c" share bits of word 0.`},
		{"", "", strings.Replace(call(`field "b" {}`), "= 1", "= 256", 1), "Calls have the numbers 0 to 255, not 256."},
		{"", "", strings.Replace(call(`field "b" {}`), `"in"`, `"inside"`, 1), `inside`},
		{"", "", call(`field "b" {}`) + "\n" + call(`field "b" {}`), `The call "a" is already described`},
		{"", "", call(`field "b" {}`) + "\n" + strings.Replace(call(`field "b" {}`), `"a"`, `"c"`, 1),
			`The calls "a" and "c" both have the number 1.`},
		{"", "", register("window = \"none\"\nat = 0\nfield \"b\" {}"), `The driver has no window "none".`},
		{"", "", register("window = \"region\"\nat = 4\nfield \"b\" {}"),
			`stands on a multiple of 8 bytes within the 4096 of its window; 0x4 is none.`},
		{"", "", register("window = \"region\"\nat = 4088\nfield \"b\" { word = 1 }"), "0xFF8 is none."},
		{"", "", register("window = \"region\"\nat = 0\nfield \"b\" { word = 1 }") + "\n" +
			strings.Replace(register("window = \"region\"\nat = 8\nfield \"b\" {}"), `"a"`, `"c"`, 1),
			`The registers "a" and "c" both have the word at 0x8.`},
		{"", "", "window \"region\" {\n page = 2\n bytes = 4096\n}", `The window "region" is already described`},
	} {
		assert.Check(t, is.Contains(read(driverOf([2]string{test.from, test.to}, test.more)), test.want),
			"%s to %s, %s", test.from, test.to, test.more)
	}
}

// The numbers are those that Linux makes of the macros of the shell's driver
// (driver/include/coyote_defs.h), and places those of its programs (sw/include).
func TestTheDriverOfCoyote(t *testing.T) {
	d := designtest.Load(t, "u55c_rdma", nil)
	on, err := driverview.Card(d)
	if err != nil || len(on.Driver) != 1 {
		t.Fatal(on.Driver, err)
	}
	shell := on.Driver[0]
	for name, want := range map[string]uint32{
		"register_thread": 0x40084601, "unregister_thread": 0x40084602, "map_memory": 0x40084605, "unmap_memory": 0x40084606,
		"offload": 0x40084609, "fetch": 0x4008460A, "set_ip": 0x4008460B, "set_mac": 0x4008460C, "get_ip": 0x8008460D,
		"get_mac": 0x8008460E, "configuration": 0x8008460F, "network_statistics": 0x80084611,
	} {
		c, err := shell.Call(name)
		assert.Check(t, err == nil && c.Number == want, "%s is 0x%X, %v; want 0x%X", name, c.Number, err, want)
	}
	for name, want := range map[string]uint32{"arp": 36 * 8, "pair": 40 * 8, "connection": 44 * 8} {
		r, err := shell.Register(name)
		assert.Check(t, err == nil && r.At == want && r.Window == "region", "%s: %+v, %v", name, r, err)
	}
	for name, want := range map[string]layout.Window{"application": {Name: "application", Page: 3, Bytes: 64 << 10},
		"region": {Name: "region", Page: 1, Bytes: 64 << 10}} {
		w, err := shell.Window(name)
		assert.Check(t, err == nil && w == want, "%+v, %v", w, err)
	}
	if shell.HugePage != 2<<20 || shell.Spacing != 2 || len(shell.Instances) != 2 ||
		shell.Instances[1] != (layout.Reach{Instance: "hostctrl_0_0", At: 0x4000, Bytes: 0x1000}) {
		t.Errorf("%+v", shell)
	}
	tcp, err := driverview.Card(designtest.Load(t, "u55c_tcp", nil))
	assert.Check(t, err == nil && tcp.Driver == nil, "a platform that is linked by v++: %v, %v", tcp.Driver, err)
}
