package sim

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
)

// A call as a client of 2024 spells it, and as it is meant.
const callText = `{"type":5,"ctrl_id":1,"scenario":10,"count":256.0,"comm":4096,"root_src_dst":3,"function":1,"tag":4294967295,` +
	`"arithcfg":7000,"compression_flags":8,"stream_flags":1024,"addr_0":18446744073709551615,"addr_1":9007199254740993,"addr_2":0}`

var callMeant = accl.Call{Scenario: 10, Count: 256, Comm: 4096, RootSrcDst: 3, FunctionCode: 1, Tag: 0xFFFFFFFF,
	ArithCfg:         7000,
	CompressionFlags: 8, StreamFlags: 1024, Addr0: math.MaxUint64, Addr1: 1<<53 + 1}

var requestTexts = []string{
	`{"type":0,"addr":8188}`,
	" {\n\t\"addr\" : 8188.0 , \"type\" : 0e7 }\r\n",
	`{"type":1,"addr":8180,"wdata":4294967295}`,
	`{"wdata":1.5e1,"addr":0,"type":1}`,
	`{"type":2,"addr":1e3,"len":4096}`,
	`{"type":2,"addr":18446744073709551615,"len":2.56e2,"host":1}`,
	`{"type":2,"addr":0,"len":0,"host":false}`,
	`{"type":3,"addr":4096,"wdata":[0,255,-128,-1,7.0,1e2],"host":true}`,
	`{"host":0,"type":3,"addr":0,"wdata":[ 1 , 2,3, 10 ,200,4,5 ]}`,
	`{"type":3,"addr":0,"wdata":null}`,
	`{"type":3,"addr":0,"wdata":[]}`,
	`{"type":4,"addr":0,"len":1099511627776,"host":1.0}`,
	`{"type":3,"wdata":["no"],"wdata":[1,2],"addr":"no","addr":5}`,
	`{"type":0,"wdata":[{"a":[]},"]"],"len":"no","addr":1,"x":[[[]]],"y":"\u0022}","z":-0.0E-0}`,
	`{"\u0074ype":0,"\u0061\u0064\u0064\u0072":12}`,
	callText,
	strings.Replace(callText, `"ctrl_id":1,`, ``, 1),
	`{"type":6,"ctrl_id":-9223372036854775808}`,
	`{"ctrl_id":2.0,"type":6}`,
}

var requestsMeant = []Request{
	{Type: MMIORead, Addr: 8188},
	{Type: MMIORead, Addr: 8188},
	{Type: MMIOWrite, Addr: 8180, Word: 0xFFFFFFFF},
	{Type: MMIOWrite, Word: 15},
	{Type: MemoryRead, Addr: 1000, Len: 4096},
	{Type: MemoryRead, Addr: math.MaxUint64, Len: 256, Host: true},
	{Type: MemoryRead},
	{Type: MemoryWrite, Addr: 4096, Data: []byte{0, 255, 128, 255, 7, 100}, Host: true},
	{Type: MemoryWrite, Data: []byte{1, 2, 3, 10, 200, 4, 5}},
	{Type: MemoryWrite},
	{Type: MemoryWrite},
	{Type: MemoryAllocate, Len: 1 << 40, Host: true},
	{Type: MemoryWrite, Data: []byte{1, 2}, Addr: 5},
	{Type: MMIORead, Addr: 1},
	{Type: MMIORead, Addr: 12},
	{Type: Call, Controlled: true, CtrlID: 1, Call: callMeant},
	{Type: Call, Call: callMeant},
	{Type: CallWait, CtrlID: math.MinInt64},
	{Type: CallWait, CtrlID: 2},
}

func TestRequestsOfRealClientsAreUnderstood(t *testing.T) {
	for i, text := range requestTexts {
		got, err := ParseRequest([]byte(text))
		if err != nil || !equalRequests(got, requestsMeant[i]) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if want, err := referenceRequest([]byte(text)); err != nil || !equalRequests(got, want) {
			t.Errorf("%s: the reference says %+v, %v", text, want, err)
		}
	}
}

// What is refused, and what the error names.
var refusedRequests = map[string][]string{
	``:                                                    {"an object"},
	`[]`:                                                  {"an object"},
	`{"type":0,"addr":1`:                                  {"not JSON", "byte 18"},
	`{"type":0,"addr":1}x`:                                {"not JSON", "'x'"},
	`{"type":0,"addr":1,}`:                                {"a name"},
	`{"type":0 "addr":1}`:                                 {"',' or '}'"},
	`{"type":0,"addr":01}`:                                {"not JSON"},
	`{"type":0,"addr":+1}`:                                {"a value"},
	`{"type":0,"addr":1.}`:                                {"a digit"},
	`{"type":0,"addr":nan}`:                               {"a value"},
	`{"type":0,"addr":1,"x":"\x"}`:                        {"an escape"},
	`{"type":0,"addr":1,"x":"\u00g0"}`:                    {"hexadecimal"},
	"{\"type\":0,\"addr\":1,\"x\":\"\n\"}":                {"control"},
	`{"type":3,"addr":0,"wdata":[1,]}`:                    {"a value"},
	`{"type":3,"addr":0,"wdata":[1,02]}`:                  {"not JSON"},
	`{"addr":1}`:                                          {`"type"`, "missing"},
	`{"type":7,"addr":1}`:                                 {`"type"`, "0 to 6", "7"},
	`{"type":-1,"addr":1}`:                                {`"type"`},
	`{"type":"0","addr":1}`:                               {`"type"`, "integer"},
	`{"type":0.5,"addr":1}`:                               {`"type"`, "0.5"},
	`{"type":0}`:                                          {`"addr"`, "missing", "MMIO read"},
	`{"type":0,"addr":null}`:                              {`"addr"`, "null"},
	`{"type":0,"addr":[1]}`:                               {`"addr"`, "[1]"},
	`{"type":0,"addr":-1}`:                                {`"addr"`, "from 0 up"},
	`{"type":0,"addr":18446744073709551616}`:              {`"addr"`, "64 bits"},
	`{"type":0,"addr":1e99999999999999999999999}`:         {`"addr"`},
	`{"type":0,"addr":0.1e-99999999999999999999}`:         {`"addr"`},
	`{"type":1,"addr":0}`:                                 {`"wdata"`, "missing"},
	`{"type":1,"addr":0,"wdata":[1]}`:                     {`"wdata"`, "32 bits", "an array"},
	`{"type":1,"addr":0,"wdata":null}`:                    {`"wdata"`},
	`{"type":1,"addr":0,"wdata":4294967296}`:              {`"wdata"`, "32 bits", "4294967296"},
	`{"type":2,"addr":0}`:                                 {`"len"`, "missing", "memory read"},
	`{"type":2,"addr":0,"len":1,"host":2}`:                {`"host"`, "true, false, 0 or 1", "2"},
	`{"type":2,"addr":0,"len":1,"host":"yes"}`:            {`"host"`, "yes"},
	`{"type":3,"addr":0,"wdata":5}`:                       {`"wdata"`, "an array of bytes", "5"},
	`{"type":3,"addr":0,"wdata":"AAA"}`:                   {`"wdata"`, "an array of bytes"},
	`{"type":3,"addr":0,"wdata":[1,256,2]}`:               {`"wdata"`, "0 to 255", "256", "number 1"},
	`{"type":3,"addr":0,"wdata":[1,2,3,-129]}`:            {`"wdata"`, "-129", "number 3"},
	`{"type":3,"addr":0,"wdata":[0.5]}`:                   {`"wdata"`, "0.5", "number 0"},
	`{"type":3,"addr":0,"wdata":[[1]]}`:                   {`"wdata"`, "[1]"},
	`{"type":4,"addr":0,"len":1.5}`:                       {`"len"`, "1.5"},
	`{"type":6}`:                                          {`"ctrl_id"`, "missing", "call wait"},
	`{"type":6,"ctrl_id":9223372036854775808}`:            {`"ctrl_id"`, "64 bits with sign"},
	strings.Replace(callText, `1,"sc`, `null,"sc`, 1):     {`"ctrl_id"`},
	strings.Replace(callText, `256.0`, `256.5`, 1):        {`"count"`, "256.5"},
	strings.Replace(callText, `256.0`, `4294967296`, 1):   {`"count"`, "32 bits"},
	strings.Replace(callText, `256.0`, `-1`, 1):           {`"count"`},
	strings.Replace(callText, `"tag":4294967295,`, ``, 1): {`"tag"`, "missing", "a call"},
	strings.Replace(callText, `,"addr_2":0`, ``, 1):       {`"addr_2"`, "missing"},
	strings.Replace(callText, `551615`, `551616`, 1):      {`"addr_0"`, "64 bits"},
}

func TestRequestsThatAreWrongAreNamed(t *testing.T) {
	for text, names := range refusedRequests {
		_, err := ParseRequest([]byte(text))
		if !errors.Is(err, ErrMessage) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for _, name := range names {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%s: the error does not say %q: %v", text, name, err)
			}
		}
		if _, err := referenceRequest([]byte(text)); err == nil {
			t.Errorf("%s: the reference takes it", text)
		}
	}
}

func TestTheTypeOfARefusedRequestIsTold(t *testing.T) {
	if r, err := ParseRequest([]byte(`{"type":2,"addr":"x","len":1}`)); err == nil || r.Type != MemoryRead {
		t.Errorf("%v, %v", r.Type, err)
	}
	if r, err := ParseRequest([]byte(`{"type":9}`)); err == nil || r.Type.String() != "type -1" {
		t.Errorf("%v, %v", r.Type, err)
	}
}

func TestNestingIsBounded(t *testing.T) {
	nested := func(open, close string, depth int) []byte {
		return []byte(`{"type":0,"addr":1,"x":` + strings.Repeat(open, depth) + "0" + strings.Repeat(close, depth) + `}`)
	}
	for _, kind := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
		if _, err := ParseRequest(nested(kind[0], kind[1], 99)); err != nil {
			t.Errorf("100 deep: %v", err)
		}
		for _, depth := range []int{100, 1000, 1 << 20} {
			_, err := ParseRequest(nested(kind[0], kind[1], depth))
			if !errors.Is(err, ErrMessage) || !strings.Contains(err.Error(), "100 deep") {
				t.Errorf("%d deep: %v", depth+1, err)
			}
		}
	}
}

// Room for what a message announces is at most what the message takes itself.
func TestMemoryIsProportionalToTheMessage(t *testing.T) {
	texts := map[string][]byte{
		"commas in strings":  []byte(`{"type":3,"addr":0,"wdata":["` + strings.Repeat(",", 1<<20) + `"]}`),
		"arrays in an array": []byte(`{"type":3,"addr":0,"wdata":[` + strings.Repeat("[],", 1<<18) + `[]]}`),
		"many times":         []byte(`{"type":3,"addr":0` + strings.Repeat(`,"wdata":[1,2,3,4,5,6,7,8]`, 1<<15) + `}`),
		"bytes":              (&Request{Type: MemoryWrite, Data: make([]byte, 1<<19)}).Append(nil),
		"digits":             []byte(`{"type":0,"addr":1` + strings.Repeat("0", 1<<20) + `e-1048576}`),
	}
	for name, text := range texts {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = ParseRequest(text)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 2*uint64(len(text)) {
			t.Errorf("%s: %d bytes for a message of %d", name, got, len(text))
		}
	}
	if r, err := ParseRequest(texts["digits"]); err != nil || r.Addr != 1 {
		t.Errorf("%d, %v", r.Addr, err)
	}
}

func TestMessagesAsTheContractSpellsThem(t *testing.T) {
	word, code := uint32(0xFFFFFFFF), uint32(2048)
	for want, got := range map[string][]byte{
		`{"type":0,"addr":8188}`: (&Request{Type: MMIORead,
			Addr: 8188}).Append(nil),
		`{"type":1,"addr":4,"wdata":4294967295}`: (&Request{Type: MMIOWrite, Addr: 4,
			Word: word}).Append(nil),
		`{"type":2,"addr":0,"len":16,"host":true}`: (&Request{Type: MemoryRead, Len: 16,
			Host: true}).Append(nil),
		`{"type":3,"addr":1,"host":false,"wdata":[0,10,255]}`: (&Request{Type: MemoryWrite, Addr: 1,
			Data: []byte{0, 10, 255}}).Append(nil),
		`{"type":3,"addr":1,"host":false,"wdata":[]}`: (&Request{Type: MemoryWrite,
			Addr: 1}).Append(nil),
		`{"type":4,"addr":0,"len":18446744073709551615,"host":false}`: (&Request{Type: MemoryAllocate,
			Len: math.MaxUint64}).Append(nil),
		`{"type":6,"ctrl_id":2}`: (&Request{Type: CallWait, CtrlID: 2}).Append(nil),
		strings.Replace(callText, ".0", "", 1): (&Request{Type: Call, Controlled: true, CtrlID: 1, Call: callMeant}).Append(
			nil),
		strings.Replace(strings.Replace(callText, ".0", "", 1), `"ctrl_id":1,`, ``,
			1): (&Request{Type: Call, Call: callMeant}).Append(nil),
		`{"status":0}`:                    (&Reply{}).Append(nil),
		`{"status":0,"rdata":4294967295}`: (&Reply{Word: &word}).Append(nil),
		`{"status":0,"rdata":[]}`:         (&Reply{Data: []byte{}}).Append(nil),
		`{"status":0,"rdata":[128,255]}`:  (&Reply{Data: []byte{128, 255}}).Append(nil),
		`{"status":-1,"error":"a \"b\"\n","retcode":2048}`: (&Reply{Status: StatusRefused, Error: "a \"b\"\n",
			Code: &code}).Append(nil),
		`{"data":[1,2]}`: AppendData(nil, []byte{1, 2}),
		`{"data":[]}`:    AppendData(nil, nil),
	} {
		if string(got) != want {
			t.Errorf("%s, expected %s", got, want)
		}
	}
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	data, err := ParseData(AppendData([]byte{}, all))
	if err != nil || !bytes.Equal(data, all) {
		t.Errorf("%v, %v", data, err)
	}
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
		if got, err := ParseReply([]byte(text)); err != nil || !equalReplies(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, name := range map[string]string{
		`{}`: `"status"`, `{"status":true}`: `"status"`, `{"status":2147483648}`: `"status"`,
		`{"status":0,"rdata":"x"}`: `"rdata"`,
		`{"status":0,"rdata":-1}`:  `"rdata"`, `{"status":0,"rdata":[300]}`: `"rdata"`, `{"status":0,"error":5}`: `"error"`,
		`{"status":0,"retcode":-1}`: `"retcode"`, `hello`: "JSON",
	} {
		if _, err := ParseReply([]byte(text)); !errors.Is(err, ErrMessage) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestEndpoints(t *testing.T) {
	e := Endpoints{Ranks: 4}
	for got, want := range map[string]string{
		e.Command(0): "127.0.0.1:5500", e.Command(3): "127.0.0.1:5503", e.EthernetOut(1): "127.0.0.1:5505",
		e.KernelOut(2): "127.0.0.1:5510", e.KernelIn(3): "127.0.0.1:5515",
		Endpoints{Host: "::1", Port: 7000, Ranks: 2}.KernelIn(1): "[::1]:7007",
	} {
		if got != want {
			t.Errorf("%s, expected %s", got, want)
		}
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
		if err := c.e.Check(c.rank); (err == nil) != c.good {
			t.Errorf("%+v, rank %d: %v", c.e, c.rank, err)
		}
	}
}
