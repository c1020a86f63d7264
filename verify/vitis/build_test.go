package vitis

import (
	"testing"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

func TestBuild(t *testing.T) {
	b := newBench(t, standin.Options{})
	o := b.build("u55c_tcp")
	t.Log(o)
	for _, c := range b.worked() {
		t.Log(c.Tool, c.Args, c.Exit, c.Notes)
	}
}
