package server_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/server"
)

// A client that places its calls as this generation does, but configures the
// tables of another one, is told so when it enables the engine.
func TestTablesOfAnotherGeneration(t *testing.T) {
	const configSwitch = 1 << 8
	table := func(generation string) func(c *client) {
		return func(c *client) { server.ClientTables[generation](c.write, 4, 4096, 0, 0) }
	}
	table2024, table2022, table2021 := table("accl-2024"), table("accl-2022"), table("accl-2021")
	for _, test := range []struct {
		name   string
		design *design.Design
		polls  bool
		write  func(c *client)
		found  string // the generation that the error names
		code   uint32 // otherwise, the return code
	}{
		{"2024 on 2024", designtest.Load(t, "u55c_tcp", nil), true, table2024, "", 0},
		{"2022 on 2024", designtest.Load(t, "u55c_tcp", nil), true, table2022, "accl-2022", 0},
		{"2021 on 2024", designtest.Load(t, "u55c_udp", nil), true, table2021, "accl-2021", 0},
		{"nothing on 2024", designtest.Load(t, "u55c_udp", nil), true, func(*client) {}, "", configSwitch},
		{"2022 on 2022", design2022(t, "udp_2022"), false, table2022, "", 0},
		{"2024 on 2022", design2022(t, "u280_2022"), false, table2024, "accl-2024", 0},
		{"2021 on 2022", design2022(t, "u280_2022"), false, table2021, "accl-2021", 0},
		{"nothing on 2022", design2022(t, "u280_2022"), false, func(*client) {}, "", configSwitch},
	} {
		s := startDesign(t, test.design, options{ranks: 1})
		c := s.client(t, 0, test.polls)
		test.write(c)
		enable := call{scenario: opConfig, function: enablePkt, tag: tagAny}
		if test.found == "" {
			code := c.code(enable)
			assert.Check(t, code == test.code && c.err == nil, "%s: return code %#x, %v", test.name, code, c.err)
			continue
		}
		m := enable.message()
		if test.polls {
			m["ctrl_id"] = 0
		}
		a, err := c.request(m)
		assert.Assert(t, err == nil && c.err == nil, "%s: %v, %v", test.name, err, c.err)
		if *a.Status != -3 || !strings.Contains(a.Error, "clients of "+test.found) ||
			!strings.Contains(a.Error, test.design.Platform.Name) {
			t.Errorf("%s: %v", test.name, a)
		}
		c.do(call{scenario: opNop}) // it goes on
		assert.Check(t, c.err, "%s", test.name)
	}
}
