package abi_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/hcl/v2"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cclforge/cclforge/gen/abi"
)

// merged loads a text that must have no errors and returns the generation "t".
func merged(t *testing.T, texts ...string) *abi.Generation {
	t.Helper()
	var files []txtar.File
	for i, text := range texts {
		files = append(files, txtar.File{Name: string(rune('a'+i)) + ".hcl", Data: []byte(text)})
	}
	generations, message := load(t, files...)
	if message != "" {
		t.Fatal(message)
	}
	g := generations["t"]
	if g == nil || len(generations) != 1 {
		t.Fatalf("the generation t alone expected, not %v", generations)
	}
	return g
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreTypes(hcl.Range{})); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestExtensionAddsAndOverridesFieldByField(t *testing.T) {
	g := merged(t, `
abi "more" {
  abstract = true
  doc      = "Not inherited."
  features = { fast = false, wide = true }
  constant "limit" {
    is  = 1
    doc = "Limit."
  }
  enum "stack" {
    doc = "Stacks."
    value "udp" {
      is  = 3
      doc = "Datagrams."
    }
  }
  registers "hostctrl" {
    base = hex("20000")
    register "addr" {
      at     = 0
      width  = 64
      access = "ro"
    }
    register "answers" {
      at        = hex("100")
      count     = 8
      access    = "ro"
      extension = true
    }
  }
  record "call" { docs = { scenario = "Operation." } }
}`, `
abi "t" {
  extends  = ["base", "more"]
  features = { fast = true }
  constant "limit" { is = 2 }
  enum "stack" {
    value "tcp" { is = 1 }
    value "udp" { doc = "Packets." }
  }
  registers "hostctrl" {
    register "addr" { access = "wo" }
    register "answers" { count = 4 }
  }
  record "call" {
    words = ["count", "tag", "scenario"]
    docs  = { tag = "Tag." }
  }
}`)
	same(t, "doc", g.Doc, "")
	same(t, "features", g.Features, map[string]bool{"fast": true, "wide": true})
	same(t, "constants", ownConstants(g), []abi.Constant{{Name: "limit", Doc: "Limit.", Value: 2}})
	same(t, "stack", *g.Enum("stack"), abi.Enum{Name: "stack", Doc: "Stacks.", Values: []abi.EnumValue{
		{Name: "tcp", Value: 1}, {Name: "udp", Doc: "Packets.", Value: 3}}})
	same(t, "hostctrl", *g.RegisterMap("hostctrl"), abi.RegisterMap{Name: "hostctrl", Base: 0x20000,
		Registers: []abi.Register{
			{Name: "addr", At: 0, Width: 64, Count: 1, Access: "wo"},
			{Name: "scenario", At: 16, Width: 32, Count: 1, Access: "rw"},
			{Name: "answers", At: 0x100, Width: 32, Count: 4, Access: "ro", Extension: true}}})
	same(t, "call", g.Record("call").Words, []abi.RecordWord{{Name: "count"}, {Name: "tag", Doc: "Tag."},
		{Name: "scenario", Doc: "Operation."}})
}

func TestTablesMoveAndAreSortedAsTheyLie(t *testing.T) {
	g := merged(t, `
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
}`)
	m := g.Memory("exchange")
	var order []string
	for _, table := range m.Tables {
		order = append(order, table.Name+" "+table.After)
	}
	same(t, "order", order, []string{"mailboxes ", "rx_buffers mailboxes", "communicators rx_buffers",
		"arithmetic_configurations communicators"})
	same(t, "record", m.Table("mailboxes").Record, []abi.RecordWord{{Name: "address"}, {Name: "port", Doc: "Port."}})
	same(t, "bytes", []uint32{m.Table("mailboxes").HeaderBytes(), m.Table("mailboxes").RecordBytes()}, []uint32{0, 8})
	same(t, "limit", m.TableLimit(), uint32(0x800))
	same(t, "words", m.Words, []abi.Word{
		{Name: "scratch", At: 0x800, Width: 64, Count: 2, Group: "spare"}, {Name: "return_code", At: 0xFFC,
			Width: 32, Count: 1}})
	same(t, "group", len(m.WordGroup("spare")), 1)
}

// ownConstants are those that do not come from base.hcl, which has three.
func ownConstants(g *abi.Generation) []abi.Constant { return g.Constants[3:] }
