package server_test

import (
	"testing"

	"github.com/go-zeromq/zmq4"
)

// What a client reaches that waits for each reply. The client is go-zeromq's, and
// takes its share of the time.

func BenchmarkMMIORead(b *testing.B) {
	s := start(b, "u55c_tcp", nil, options{ranks: 1})
	p := dial(b, s.command(0), zmq4.NewReq)
	for b.Loop() {
		if a, err := p.ask([]byte(`{"type": 0, "addr": 0}`)); err != nil || *a.Status != 0 {
			b.Fatal(a, err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "reads/s")
}

// A nop of 2024 takes two requests or more, one of 2022 takes one.
func BenchmarkNop2024(b *testing.B) {
	s := start(b, "u55c_tcp", nil, options{ranks: 1})
	p := dial(b, s.command(0), zmq4.NewReq)
	request := []byte(nop(0))
	for b.Loop() {
		if a, err := p.ask(request); err != nil || *a.Status != 0 {
			b.Fatal(a, err)
		}
		for {
			a, err := p.ask([]byte(`{"type": 6, "ctrl_id": 0}`))
			if err != nil || *a.Status < 0 {
				b.Fatal(a, err)
			}
			if *a.Status == 0 {
				break
			}
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

func BenchmarkNop2022(b *testing.B) {
	s := start(b, "u280_2022", nil, options{ranks: 1})
	p := dial(b, s.command(0), zmq4.NewReq)
	request := []byte(text(call{scenario: opNop}.message()))
	for b.Loop() {
		if a, err := p.ask(request); err != nil || *a.Status != 0 {
			b.Fatal(a, err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}
