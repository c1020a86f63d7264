package abi_test

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/hcl/v2"
	"github.com/rogpeppe/go-internal/txtar"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/abi"
)

func TestTablesMoveAndAreSortedAsTheyLie(t *testing.T) {
	generations, message := load(t, txtar.File{Name: "t.hcl", Data: []byte(`
abi "t" {
  extends = ["base"]
  memory "exchange" {
    table "rx_buffers" { after = "mailboxes" }
    table "mailboxes" {
      at     = 8
      header = []
      record = ["address", "port"]
      docs   = { port = "Port." }
    }
    word "scratch" {
      at    = hex("800")
      width = 64
      count = 2
      group = "spare"
    }
  }
}`)})
	assert.Assert(t, message == "" && len(generations) == 1, "%d generations: %s", len(generations), message)
	same := func(what string, got, want any) {
		t.Helper()
		assert.Check(t, is.DeepEqual(want, got, cmpopts.IgnoreTypes(hcl.Range{})), "%s (-want +got)", what)
	}
	m := generations["t"].Memory("exchange")
	var order []string
	for _, table := range m.Tables {
		order = append(order, table.Name+" "+table.After)
	}
	same("order", order, []string{"mailboxes ", "rx_buffers mailboxes", "communicators rx_buffers",
		"arithmetic_configurations communicators"})
	same("record", m.Table("mailboxes").Record, []abi.RecordWord{{Name: "address"}, {Name: "port", Doc: "Port."}})
	same("bytes", []uint32{m.Table("mailboxes").HeaderBytes(), m.Table("mailboxes").RecordBytes()}, []uint32{0, 8})
	same("limit", m.TableLimit(), uint32(0x800))
	same("words", m.Words, []abi.Word{
		{Name: "scratch", At: 0x800, Width: 64, Count: 2, Group: "spare"}, {Name: "return_code", At: 0xFFC,
			Width: 32, Count: 1}})
	same("group", len(m.WordGroup("spare")), 1)
}
