package sim

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
)

// A call as a client of 2024 spells it, and as it is meant.
const callText = `{"type":5,"ctrl_id":1,"scenario":10,"count":256.0,"comm":4096,"root_src_dst":3,"function":1,"tag":4294967295,` +
	`"arithcfg":7000,"compression_flags":8,"stream_flags":1024,"addr_0":18446744073709551615,"addr_1":9007199254740993,"addr_2":0}`

var callMeant = accl.Call{Scenario: 10, Count: 256, Comm: 4096, RootSrcDst: 3, FunctionCode: 1, Tag: 0xFFFFFFFF,
	ArithCfg:         7000,
	CompressionFlags: 8, StreamFlags: 1024, Addr0: math.MaxUint64, Addr1: 1<<53 + 1}

// requests are texts of real clients, and what they mean.
var requests = []struct {
	text  string
	meant Request
}{
	{`{"type":0,"addr":8188}`, Request{Type: MMIORead, Addr: 8188}},
	{" {\n\t\"addr\" : 8188.0 , \"type\" : 0e7 }\r\n", Request{Type: MMIORead, Addr: 8188}},
	{`{"type":1,"addr":8180,"wdata":4294967295}`, Request{Type: MMIOWrite, Addr: 8180, Word: 0xFFFFFFFF}},
	{`{"wdata":1.5e1,"addr":0,"type":1}`, Request{Type: MMIOWrite, Word: 15}},
	{`{"type":2,"addr":1e3,"len":4096}`, Request{Type: MemoryRead, Addr: 1000, Len: 4096}},
	{`{"type":2,"addr":18446744073709551615,"len":2.56e2,"host":1}`,
		Request{Type: MemoryRead, Addr: math.MaxUint64, Len: 256, Host: true}},
	{`{"type":2,"addr":0,"len":0,"host":false}`, Request{Type: MemoryRead}},
	{`{"type":3,"addr":4096,"wdata":[0,255,-128,-1,7.0,1e2],"host":true}`,
		Request{Type: MemoryWrite, Addr: 4096, Data: []byte{0, 255, 128, 255, 7, 100}, Host: true}},
	{`{"host":0,"type":3,"addr":0,"wdata":[ 1 , 2,3, 10 ,200,4,5 ]}`,
		Request{Type: MemoryWrite, Data: []byte{1, 2, 3, 10, 200, 4, 5}}},
	{`{"type":3,"addr":0,"wdata":null}`, Request{Type: MemoryWrite}},
	{`{"type":3,"addr":0,"wdata":[]}`, Request{Type: MemoryWrite}},
	{`{"type":4,"addr":0,"len":1099511627776,"host":1.0}`, Request{Type: MemoryAllocate, Len: 1 << 40, Host: true}},
	{`{"type":3,"wdata":["no"],"wdata":[1,2],"addr":"no","addr":5}`,
		Request{Type: MemoryWrite, Data: []byte{1, 2}, Addr: 5}},
	{`{"type":0,"wdata":[{"a":[]},"]"],"len":"no","addr":1,"x":[[[]]],"y":"\u0022}","z":-0.0E-0}`,
		Request{Type: MMIORead, Addr: 1}},
	{`{"\u0074ype":0,"\u0061\u0064\u0064\u0072":12}`, Request{Type: MMIORead, Addr: 12}},
	{callText, Request{Type: Call, Controlled: true, CtrlID: 1, Call: callMeant}},
	{strings.Replace(callText, `"ctrl_id":1,`, ``, 1), Request{Type: Call, Call: callMeant}},
	{`{"type":6,"ctrl_id":-9223372036854775808}`, Request{Type: CallWait, CtrlID: math.MinInt64}},
	{`{"ctrl_id":2.0,"type":6}`, Request{Type: CallWait, CtrlID: 2}},
}

func TestRequestsOfRealClientsAreUnderstood(t *testing.T) {
	for _, r := range requests {
		got, err := ParseRequest([]byte(r.text))
		diff := cmp.Diff(r.meant, got, cmpopts.EquateEmpty())
		assert.Check(t, err == nil && diff == "", "%s: %v\n%s", r.text, err, diff)
	}
}

// What is refused, and what the error names.
var refusedRequests = map[string][]string{
	``:                                       {"not JSON"},
	`[]`:                                     {"an object"},
	`null`:                                   {"an object"},
	`{"type":0,"addr":1`:                     {"not JSON"},
	`{"type":0,"addr":1}x`:                   {"not JSON", "'x'"},
	`{"addr":1}`:                             {`"type"`, "missing"},
	`{"type":7,"addr":1}`:                    {`"type"`, "0 to 6", "7"},
	`{"type":-1,"addr":1}`:                   {`"type"`},
	`{"type":"0","addr":1}`:                  {`"type"`, "integer"},
	`{"type":0.5,"addr":1}`:                  {`"type"`, "0.5"},
	`{"TYPE":0,"addr":1}`:                    {`"type"`, "missing"},
	`{"type":0}`:                             {`"addr"`, "missing", "MMIO read"},
	`{"type":0,"addr":null}`:                 {`"addr"`, "null"},
	`{"type":0,"addr":[1]}`:                  {`"addr"`, "[1]"},
	`{"type":0,"addr":-1}`:                   {`"addr"`, "from 0 up"},
	`{"type":0,"addr":18446744073709551616}`: {`"addr"`, "64 bits"},
	`{"type":0,"addr":1e99999999999999999999}`:            {`"addr"`},
	`{"type":1,"addr":0}`:                                 {`"wdata"`, "missing"},
	`{"type":1,"addr":0,"wdata":[1]}`:                     {`"wdata"`, "32 bits", "[1]"},
	`{"type":1,"addr":0,"wdata":null}`:                    {`"wdata"`},
	`{"type":1,"addr":0,"wdata":4294967296}`:              {`"wdata"`, "32 bits", "4294967296"},
	`{"type":2,"addr":0}`:                                 {`"len"`, "missing", "memory read"},
	`{"type":2,"addr":0,"len":1,"host":2}`:                {`"host"`, "true, false, 0 or 1", "2"},
	`{"type":2,"addr":0,"len":1,"host":null}`:             {`"host"`, "true, false, 0 or 1", "null"},
	`{"type":2,"addr":0,"len":1,"host":"yes"}`:            {`"host"`, "yes"},
	`{"type":3,"addr":0,"wdata":5}`:                       {`"wdata"`, "an array of bytes", "5"},
	`{"type":3,"addr":0,"wdata":"AAA"}`:                   {`"wdata"`, "an array of bytes"},
	`{"type":3,"addr":0,"wdata":[1,256,2]}`:               {`"wdata"`, "0 to 255", "256", "number 1"},
	`{"type":3,"addr":0,"wdata":[1,2,3,-129]}`:            {`"wdata"`, "-129", "number 3"},
	`{"type":3,"addr":0,"wdata":[0.5]}`:                   {`"wdata"`, "0.5", "number 0"},
	`{"type":3,"addr":0,"wdata":[null]}`:                  {`"wdata"`, "null"},
	`{"type":3,"addr":0,"wdata":[[1]]}`:                   {`"wdata"`, "[1]"},
	`{"type":6}`:                                          {`"ctrl_id"`, "missing", "call wait"},
	`{"type":6,"ctrl_id":9223372036854775808}`:            {`"ctrl_id"`, "64 bits with sign"},
	strings.Replace(callText, `1,"sc`, `null,"sc`, 1):     {`"ctrl_id"`},
	strings.Replace(callText, `256.0`, `256.5`, 1):        {`"count"`, "256.5"},
	strings.Replace(callText, `"tag":4294967295,`, ``, 1): {`"tag"`, "missing", "call"},
	strings.Replace(callText, `,"addr_2":0`, ``, 1):       {`"addr_2"`, "missing"},
}

func TestRequestsThatAreWrongAreNamed(t *testing.T) {
	for text, names := range refusedRequests {
		_, err := ParseRequest([]byte(text))
		if !errors.Is(err, ErrMessage) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for _, name := range names {
			assert.Check(t, strings.Contains(err.Error(), name), "%s: the error does not say %q: %v", text, name, err)
		}
	}
}

func TestTheTypeOfARefusedRequestIsTold(t *testing.T) {
	r, err := ParseRequest([]byte(`{"type":2,"addr":"x","len":1}`))
	assert.Check(t, err != nil && r.Type == MemoryRead, "%v, %v", r.Type, err)
	r, err = ParseRequest([]byte(`{"type":9}`))
	assert.Check(t, err != nil && r.Type.String() == "type -1", "%v, %v", r.Type, err)
}

func TestNestingIsBounded(t *testing.T) {
	for _, open := range []string{"[", `{"a":`} {
		_, err := ParseRequest([]byte(`{"type":0,"addr":1,"x":` + strings.Repeat(open, 1<<20)))
		assert.Check(t, errors.Is(err, ErrMessage) && strings.Contains(err.Error(), "depth"), "%v", err)
	}
}

// Room for what a message announces is a few times what the message takes itself.
func TestMemoryIsProportionalToTheMessage(t *testing.T) {
	for name, text := range map[string][]byte{
		"commas in strings":  []byte(`{"type":3,"addr":0,"wdata":["` + strings.Repeat(",", 1<<20) + `"]}`),
		"arrays in an array": []byte(`{"type":3,"addr":0,"wdata":[` + strings.Repeat("[],", 1<<18) + `[]]}`),
		"many times":         []byte(`{"type":3,"addr":0` + strings.Repeat(`,"wdata":[1,2,3,4,5,6,7,8]`, 1<<15) + `}`),
		"bytes":              (&Request{Type: MemoryWrite, Data: make([]byte, 1<<19)}).Append(nil),
		"a large number":     []byte(`{"type":0,"addr":1e999999}`),
		"a small number":     []byte(`{"type":0,"addr":1e-999999}`),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = ParseRequest(text)
		runtime.ReadMemStats(&after)
		got := after.TotalAlloc - before.TotalAlloc
		assert.Check(t, got <= 4*uint64(len(text))+4<<20, "%s: %d bytes for a message of %d", name, got, len(text))
	}
}

func TestMessagesAsTheContractSpellsThem(t *testing.T) {
	word, code := uint32(0xFFFFFFFF), uint32(2048)
	controlled := strings.Replace(callText, ".0", "", 1)
	for want, r := range map[string]Request{
		`{"type":0,"addr":8188}`:                                      {Type: MMIORead, Addr: 8188},
		`{"type":1,"addr":4,"wdata":4294967295}`:                      {Type: MMIOWrite, Addr: 4, Word: word},
		`{"type":2,"addr":0,"len":16,"host":true}`:                    {Type: MemoryRead, Len: 16, Host: true},
		`{"type":3,"addr":1,"host":false,"wdata":[0,10,255]}`:         {Type: MemoryWrite, Addr: 1, Data: []byte{0, 10, 255}},
		`{"type":3,"addr":1,"host":false,"wdata":[]}`:                 {Type: MemoryWrite, Addr: 1},
		`{"type":4,"addr":0,"len":18446744073709551615,"host":false}`: {Type: MemoryAllocate, Len: math.MaxUint64},
		`{"type":6,"ctrl_id":2}`:                                      {Type: CallWait, CtrlID: 2},

		controlled: {Type: Call, Controlled: true, CtrlID: 1, Call: callMeant},
		strings.Replace(controlled, `"ctrl_id":1,`, ``, 1): {Type: Call, Call: callMeant},
	} {
		assert.Check(t, is.Equal(string(r.Append(nil)), want))
	}
	for want, r := range map[string]Reply{
		`{"status":0}`:                                     {},
		`{"status":0,"rdata":4294967295}`:                  {Word: &word},
		`{"status":0,"rdata":[]}`:                          {Data: []byte{}},
		`{"status":0,"rdata":[128,255]}`:                   {Data: []byte{128, 255}},
		`{"status":-1,"error":"a \"b\"\n","retcode":2048}`: {Status: StatusRefused, Error: "a \"b\"\n", Code: &code},
	} {
		assert.Check(t, is.Equal(string(r.Append(nil)), want))
	}
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for _, want := range [][]byte{{}, {1, 2}, all} {
		text := AppendData(nil, want)
		data, err := ParseData(text)
		assert.Check(t, err == nil && bytes.Equal(data, want) && bytes.HasPrefix(text, []byte(`{"data":[`)),
			"%s: %v, %v", text, data, err)
	}
}

// FuzzParseRequest: what is understood is understood again as we spell it.
func FuzzParseRequest(f *testing.F) {
	for _, r := range requests {
		f.Add([]byte(r.text))
	}
	for text := range refusedRequests {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		r, err := ParseRequest(text)
		if !bytes.Equal(before, text) || err != nil && !errors.Is(err, ErrMessage) {
			t.Fatalf("%q became %q, %v", before, text, err)
		}
		if err != nil {
			return
		}
		again, err := ParseRequest(r.Append(nil))
		diff := cmp.Diff(r, again, cmpopts.EquateEmpty())
		assert.Check(t, err == nil && diff == "", "%q: %v\n%s", text, err, diff)
	})
}

func TestRepliesOfOtherServersAreUnderstood(t *testing.T) {
	word := uint32(7)
	for text, want := range map[string]Reply{
		`{"rdata":7,"status":0,"extra":{"a":1}}`:       {Word: &word},
		`{"status":0.0,"rdata":7.0}`:                   {Word: &word},
		`{"status":1}`:                                 {Status: StatusNotYet},
		`{"status":-5,"error":"caf\u00e9","rdata":[]}`: {Status: -5, Error: "café", Data: []byte{}},
		`{"status":0,"rdata":[-128, -1, 0, 127,255]}`:  {Data: []byte{128, 255, 0, 127, 255}},
		`{"status":0,"rdata":null,"error":null}`:       {Data: []byte{}},
		`{"status":0,"retcode":7}`:                     {Code: &word},
	} {
		got, err := ParseReply([]byte(text))
		diff := cmp.Diff(want, got)
		assert.Check(t, err == nil && diff == "", "%s: %v\n%s", text, err, diff)
	}
	for text, name := range map[string]string{
		`{}`: `"status"`, `{"status":true}`: `"status"`, `{"status":2147483648}`: `"status"`,
		`{"status":0,"rdata":"x"}`: `"rdata"`,
		`{"status":0,"rdata":-1}`:  `"rdata"`, `{"status":0,"rdata":[300]}`: `"rdata"`, `{"status":0,"error":5}`: `"error"`,
		`{"status":0,"retcode":-1}`: `"retcode"`, `hello`: "JSON",
	} {
		_, err := ParseReply([]byte(text))
		assert.Check(t, errors.Is(err, ErrMessage) && strings.Contains(err.Error(), name), "%s: %v", text, err)
	}
}

func TestEndpoints(t *testing.T) {
	e := Endpoints{Ranks: 4}
	for got, want := range map[string]string{
		e.Command(0): "127.0.0.1:5500", e.Command(3): "127.0.0.1:5503", e.EthernetOut(1): "127.0.0.1:5505",
		e.KernelOut(2): "127.0.0.1:5510", e.KernelIn(3): "127.0.0.1:5515",
		Endpoints{Host: "::1", Port: 7000, Ranks: 2}.KernelIn(1): "[::1]:7007",
	} {
		assert.Check(t, is.Equal(got, want))
	}
	for _, c := range []struct {
		e    Endpoints
		rank int
		good bool
	}{
		{e, 0, true}, {e, 3, true}, {e, 4, false}, {e, -1, false}, {Endpoints{}, 0, false},
		{Endpoints{Port: 65532, Ranks: 1}, 0, true}, {Endpoints{Port: 65533, Ranks: 1}, 0, false},
		{Endpoints{Port: -5, Ranks: 1}, 0, false}, {Endpoints{Ranks: math.MaxInt}, 0, false},
	} {
		err := c.e.Check(c.rank)
		assert.Check(t, (err == nil) == c.good, "%+v, rank %d: %v", c.e, c.rank, err)
	}
}
