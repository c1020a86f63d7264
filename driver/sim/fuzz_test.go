package sim

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"unicode/utf8"
)

// agree compares outcomes with those of the reference.
func agree[T any](t *testing.T, text []byte, got T, err error, want T, refused error, equal func(a, b T) bool) {
	t.Helper()
	switch {
	case err != nil && !errors.Is(err, ErrMessage):
		t.Errorf("%q: the error is no ErrMessage: %v", text, err)
	case refused == errSkip:
	case (err != nil) != (refused != nil):
		t.Errorf("%q: %v; the reference says %v", text, err, refused)
	case err == nil && !equal(got, want):
		t.Errorf("%q: %+v; the reference says %+v", text, got, want)
	}
}

func FuzzParseRequest(f *testing.F) {
	for _, text := range requestTexts {
		f.Add([]byte(text))
	}
	for text := range refusedRequests {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		got, err := ParseRequest(text)
		want, refused := referenceRequest(text)
		agree(t, text, got, err, want, refused, equalRequests)
		if !bytes.Equal(before, text) {
			t.Errorf("%q became %q", before, text)
		}
		if err != nil {
			return
		}
		if again, err := ParseRequest(got.Append(nil)); err != nil || !equalRequests(again, got) {
			t.Errorf("%q: %+v becomes %+v, %v", text, got, again, err)
		}
	})
}

func FuzzParseReply(f *testing.F) {
	for _, text := range []string{
		`{"status":0}`, `{"status":-1,"error":"no \u00e9\ud800 \n memory"}`, `{"rdata":4294967295,"status":0.0}`,
		`{"status":1,"rdata":[]}`,
		`{"status":0,"rdata":null}`, `{"status":0,"rdata":[1, 2,-128, 255,256]}`, `{"status":0,"retcode":2048,"error":null}`,
		`{"status":0,"rdata":true}`, `{"status":2147483648}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := ParseReply(text)
		want, refused := referenceReply(text)
		agree(t, text, got, err, want, refused, equalReplies)
		if err != nil {
			return
		}
		if again, err := ParseReply(got.Append(nil)); err != nil || !equalReplies(again, got) {
			t.Errorf("%q: %+v becomes %+v, %v", text, got, again, err)
		}
	})
}

func FuzzParseData(f *testing.F) {
	for _, text := range []string{`{"data":[]}`, `{"data":null}`, "{ \"data\" :\n[ 1 ,2,03]}",
		`{"data":[1,2e0,-1,25.50e1, 7],"more":{"data":[[{}]]}}`, `{"data":[1,]}`, `{"data":["]",1],"data":[2]}`,
		`{"d\u0061ta":[7]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := ParseData(text)
		var want []byte
		o, refused := referenceObject(text)
		if refused == nil {
			if want, refused = o.bytes("data"); o["data"] == nil {
				refused = errReference
			}
		}
		agree(t, text, got, err, want, refused, slices.Equal[[]byte])
	})
}

// FuzzAppend: what is written is what is read, by the library, too.
func FuzzAppend(f *testing.F) {
	f.Add(3, uint64(1<<63), uint64(7), true, uint32(5), []byte("data"), false, int64(-1), "text", -1)
	f.Add(5, uint64(0), uint64(1<<64-1), false, uint32(1<<32-1), []byte{}, true, int64(2), "\x00<\"\\é", 1)
	f.Fuzz(func(t *testing.T, kind int, addr, n uint64, host bool, word uint32, data []byte, controlled bool, id int64,
		text string, status int) {
		r := Request{Type: Type(kind & 0xFFFF % int(types)), Addr: addr, Len: n, Host: host, Word: word, Data: data,
			Controlled: controlled, CtrlID: id}
		for i, w := range words(&r.Call) {
			*w.value = word<<i ^ uint32(addr)
		}
		for i, a := range addresses(&r.Call) {
			*a.value = addr + n<<i
		}
		written := r.Append([]byte("before"))
		got, err := ParseRequest(written[len("before"):])
		want, refused := referenceRequest(written[len("before"):])
		agree(t, written, got, err, want, refused, equalRequests)
		if err != nil || got.Type != r.Type || got.Type == MemoryWrite && !bytes.Equal(got.Data, data) || got.Type == Call &&
			got.Call != r.Call {
			t.Errorf("%+v becomes %s", r, written)
		}
		reply := Reply{Status: int(int32(status)), Error: text, Data: data}
		if word%2 == 0 {
			reply.Word, reply.Data, reply.Code = &word, nil, &word
		} else if data == nil {
			reply.Data = []byte{}
		}
		back, err := ParseReply(reply.Append(nil))
		if !utf8.ValidString(text) {
			reply.Error = back.Error
		}
		if err != nil || !equalReplies(back, reply) {
			t.Errorf("%+v becomes %+v, %v", reply, back, err)
		}
		if b, err := ParseData(AppendData(nil, data)); err != nil || !bytes.Equal(b, data) {
			t.Errorf("%v becomes %v, %v", data, b, err)
		}
	})
}
