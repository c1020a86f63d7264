package bringup

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

func dial(t *testing.T, at string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", at)
	assert.NilError(t, err)
	t.Cleanup(func() { c.Close() })
	assert.NilError(t, c.SetDeadline(time.Now().Add(patience)))
	return c
}

// Strangers are silent, send rubbish, other versions, and what they have heard; the world
// comes up.
func TestStrangersNeitherBlockNorEndIt(t *testing.T) {
	all := options(t, 3)
	at := all[1].Meet
	var silent []net.Conn
	for range 3 + 2*spareGuests { // more than are heard at once
		silent = append(silent, dial(t, at))
	}
	done := make(chan *World, 2)
	for _, i := range []int{0, 1} {
		go func() {
			w, err := Join(t.Context(), all[i])
			assert.Check(t, err)
			done <- w
		}()
	}
	ended := func(c net.Conn) {
		t.Helper()
		_, err := io.Copy(io.Discard, c)
		assert.Check(t, err == nil || reset(err), "it is still there: %v", err)
	}
	ended(silent[0]) // the oldest has made room
	for _, say := range [][]byte{
		[]byte("GET / HTTP/1.1\r\nHost: everybody\r\n\r\n" + strings.Repeat("x", 1000)),
		append(greeting(helloMagic), make([]byte, proofBytes)...),
		append([]byte(helloMagic+"\x00\x09"), make([]byte, nonceBytes)...),
		greeting(challengeMagic),
	} {
		c := dial(t, at)
		_, err := c.Write(say)
		assert.Check(t, err)
		ended(c)
	}
	// What rank 0 says cannot be sent back as an own proof.
	c := dial(t, at)
	hello := greeting(helloMagic)
	challenge := make([]byte, greetingBytes)
	_, err := c.Write(hello)
	assert.Check(t, err)
	_, err = io.ReadFull(c, challenge)
	assert.NilError(t, err)
	claim := []byte{0, 0, 0, 2, 0, 0, 0, 3}
	reflected := sum(jobKey(testSecret, "7"), "I am rank 0", append(append(hello, challenge...), claim...))
	_, err = c.Write(append(claim, reflected...))
	assert.Check(t, err)
	answer, err := io.ReadAll(c)
	assert.Check(t, err == nil && len(answer) == answerBytes && answer[0] == 0, "%x, %v", answer, err)
	w, err := Join(t.Context(), all[2])
	assert.NilError(t, err)
	worlds := []*World{w, <-done, <-done}
	assert.NilError(t, errors.Join(ready(t.Context(), worlds, nil)...))
	leave(worlds)
}

func TestWrongSecretsAndJobs(t *testing.T) {
	for name, edit := range map[string]func(o *Options){
		"secret": func(o *Options) { o.Secret = []byte("0123456789abcdeF") },
		"job":    func(o *Options) { o.Job = "8" },
	} {
		t.Run(name, func(t *testing.T) {
			all := options(t, 2)
			edit(&all[1])
			_, errs := join(t.Context(), t, all) // rank 0 is told not to wait once rank 1 has ended
			alike(t, errs[1:], ErrSecret, StepProve, 0, "the secret and job of rank 1", all[1].Meet)
			alike(t, errs[:1], ErrMissing, StepMeet, 1, "127.0.0.1:", "has another secret or job")
		})
	}
}

// Somebody else is where rank 0 should be.
func TestWhoIsNotRank0(t *testing.T) {
	for _, test := range []struct {
		name string
		play func(c net.Conn)
		kind error
		text string
	}{
		{"another version", func(c net.Conn) {
			g := greeting(challengeMagic)
			binary.BigEndian.PutUint16(g[8:], 4)
			c.Write(g)
		}, ErrVersion, "speaks version 4 of the protocol, rank 1 speaks 3"},
		{"no proof", func(c net.Conn) {
			c.Write(greeting(challengeMagic))
			io.ReadFull(c, make([]byte, greetingBytes+proofBytes))
			c.Write(append([]byte{1}, make([]byte, macBytes)...))
		}, ErrSecret, "does not have the secret"},
		{"echo", func(c net.Conn) {
			hello := make([]byte, greetingBytes)
			io.ReadFull(c, hello)
			c.Write(hello)
		}, ErrListen, errRubbish.Error()},
		{"a banner", func(c net.Conn) { c.Write([]byte("SSH")) }, ErrListen, `"SSH"; end that program`},
		{"a server of lines", func(c net.Conn) {
			bufio.NewReader(c).ReadString('\n')
			c.Write([]byte("400\r\n"))
		}, ErrListen, `"400\r\n"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := options(t, 2)
			l := all[0].Listener
			go func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					test.play(c)
					io.Copy(io.Discard, c)
					c.Close()
				}
			}()
			_, err := Join(t.Context(), all[1])
			assert.Check(t, errors.Is(err, test.kind) && strings.Contains(err.Error(), test.text), "%v", err)
		})
	}
}

// Connections that are closed do not say who listens: rank 0 may come later, behind something that forwards to it.
func TestClosedConnections(t *testing.T) {
	all := options(t, 2)
	var w1 *World // stays until rank 0 has joined, to whom leaving earlier would be an error
	joins := func(ctx context.Context) <-chan error {
		joined := make(chan error)
		go func() {
			w, err := Join(ctx, all[1])
			w1 = w
			joined <- err
		}()
		for range 2 { // by the second one the first has ended
			c, err := all[0].Listener.Accept()
			assert.NilError(t, err)
			c.Close()
		}
		return joined
	}
	ctx, cancel := context.WithCancel(t.Context())
	joined := joins(ctx)
	cancel()
	alike(t, []error{<-joined}, ErrMissing, StepMeet, 0, all[1].Meet, "what listens there does not answer as rank 0")
	joined = joins(t.Context())
	w, err := Join(t.Context(), all[0])
	assert.Check(t, errors.Join(err, <-joined))
	leave([]*World{w, w1})
}
