package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
)

// The reference reads messages with the library and the contract's tables, and
// numbers as fractions.

var errReference = errors.New("refused")

type object map[string]json.RawMessage

// whole is a number of an object if it is an integer between two limits.
func (o object) whole(name string, least, most *big.Int) (*big.Int, error) {
	return wholeOf(o[name], least, most)
}

func wholeOf(raw json.RawMessage, least, most *big.Int) (*big.Int, error) {
	text := strings.TrimSpace(string(raw))
	if text == "" || !strings.ContainsAny(text[:1], "-0123456789") {
		return nil, errReference
	}
	// A fraction with an exponent of a million would take a million digits.
	if i := strings.IndexAny(text, "eE"); i >= 0 && len(text)-i > 5 {
		return nil, errSkip
	}
	v, ok := new(big.Rat).SetString(text)
	if !ok || !v.IsInt() || v.Num().Cmp(least) < 0 || v.Num().Cmp(most) > 0 {
		return nil, errReference
	}
	return v.Num(), nil
}

// errSkip is what the reference does not work out.
var errSkip = errors.New("too large for the reference")

var (
	zero    = big.NewInt(0)
	max32   = big.NewInt(math.MaxUint32)
	max64   = new(big.Int).SetUint64(math.MaxUint64)
	least64 = big.NewInt(math.MinInt64)
	most64  = big.NewInt(math.MaxInt64)
)

func (o object) unsigned(name string, most *big.Int) (uint64, error) {
	v, err := o.whole(name, zero, most)
	if err != nil {
		return 0, err
	}
	return v.Uint64(), nil
}

func (o object) bytes(name string) ([]byte, error) {
	raw := bytes.TrimSpace(o[name])
	if string(raw) == "null" {
		return []byte{}, nil
	}
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return nil, errReference
	}
	data := []byte{}
	for _, element := range elements {
		v, err := wholeOf(element, big.NewInt(-128), big.NewInt(255))
		if err != nil {
			return nil, err
		}
		data = append(data, byte(v.Int64()))
	}
	return data, nil
}

// referenceObject is an object, or why there is none.
func referenceObject(b []byte) (object, error) {
	if !json.Valid(b) {
		return nil, errReference
	}
	if deep(b) {
		return nil, errSkip
	}
	var o object
	if json.Unmarshal(b, &o) != nil || o == nil {
		return nil, errReference
	}
	return o, nil
}

// deep reports whether something may be nested too deep.
func deep(b []byte) bool {
	return bytes.Count(b, []byte("["))+bytes.Count(b, []byte("{")) > maxDepth
}

func referenceRequest(b []byte) (r Request, err error) {
	o, err := referenceObject(b)
	if err != nil {
		return r, err
	}
	t, err := o.unsigned("type", big.NewInt(6))
	if err != nil {
		return r, err
	}
	r.Type = Type(t)
	required := [][]string{
		{"addr"}, {"addr", "wdata"}, {"addr", "len"}, {"addr", "wdata"}, {"addr", "len"},
		{"scenario", "count", "comm", "root_src_dst", "function", "tag", "arithcfg", "compression_flags", "stream_flags",
			"addr_0", "addr_1", "addr_2"},
		{"ctrl_id"},
	}[t]
	values := map[string]uint64{}
	for _, name := range required {
		if _, has := o[name]; !has {
			return r, errReference
		}
		if name == "wdata" && t == 3 || name == "ctrl_id" {
			continue
		}
		most := max32
		if strings.HasPrefix(name, "addr") || name == "len" {
			most = max64
		}
		if values[name], err = o.unsigned(name, most); err != nil {
			return r, err
		}
	}
	r.Addr, r.Len, r.Word = values["addr"], values["len"], uint32(values["wdata"])
	if t == 3 {
		if r.Data, err = o.bytes("wdata"); err != nil {
			return r, err
		}
	}
	if host, has := o["host"]; has && t >= 2 && t <= 4 {
		switch text := strings.TrimSpace(string(host)); text {
		case "true", "false":
			r.Host = text == "true"
		default:
			v, err := o.unsigned("host", big.NewInt(1))
			if err != nil {
				return r, err
			}
			r.Host = v == 1
		}
	}
	if _, has := o["ctrl_id"]; has && t >= 5 {
		v, err := o.whole("ctrl_id", least64, most64)
		if err != nil {
			return r, err
		}
		r.Controlled, r.CtrlID = t == 5, v.Int64()
	}
	w := func(name string) uint32 { return uint32(values[name]) }
	r.Call = accl.Call{Scenario: w("scenario"), Count: w("count"), Comm: w("comm"), RootSrcDst: w("root_src_dst"),
		FunctionCode: w("function"),
		Tag:          w("tag"), ArithCfg: w("arithcfg"), CompressionFlags: w("compression_flags"),
		StreamFlags: w("stream_flags"),
		Addr0:       values["addr_0"], Addr1: values["addr_1"], Addr2: values["addr_2"]}
	return r, nil
}

func referenceReply(b []byte) (r Reply, err error) {
	o, err := referenceObject(b)
	if err != nil {
		return r, err
	}
	status, err := o.whole("status", big.NewInt(math.MinInt32), big.NewInt(math.MaxInt32))
	if err != nil {
		return r, err
	}
	r.Status = int(status.Int64())
	if text, has := o["error"]; has {
		if json.Unmarshal(text, &r.Error) != nil {
			return r, errReference
		}
	}
	if _, has := o["retcode"]; has {
		v, err := o.unsigned("retcode", max32)
		if err != nil {
			return r, err
		}
		code := uint32(v)
		r.Code = &code
	}
	raw := bytes.TrimSpace(o["rdata"])
	switch {
	case len(raw) == 0:
	case raw[0] == '[' || raw[0] == 'n':
		r.Data, err = o.bytes("rdata")
	default:
		v, e := o.unsigned("rdata", max32)
		word := uint32(v)
		r.Word, err = &word, e
	}
	return r, err
}

func equalRequests(a, b Request) bool {
	same := slices.Equal(a.Data, b.Data) && a.Type == b.Type && a.Addr == b.Addr && a.Len == b.Len && a.Host == b.Host &&
		a.Word == b.Word
	return same && a.Controlled == b.Controlled && a.CtrlID == b.CtrlID && a.Call == b.Call
}

func equalReplies(a, b Reply) bool {
	same := func(a, b *uint32) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }
	return a.Status == b.Status && a.Error == b.Error && same(a.Word, b.Word) && same(a.Code, b.Code) &&
		(a.Data == nil) == (b.Data == nil) && slices.Equal(a.Data, b.Data)
}
