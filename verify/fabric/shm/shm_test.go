//go:build linux

package shm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"gotest.tools/v3/assert"
)

// pair is a stream, from the side that has dialed.
func pair(t *testing.T) (dialed, accepted *Conn) {
	t.Helper()
	l, err := Listen(t.Name())
	assert.NilError(t, err)
	defer l.Close()
	dialed, err = Dial(t.Context(), t.Name())
	assert.NilError(t, err)
	accepted, err = l.AcceptConn()
	assert.NilError(t, err)
	t.Cleanup(func() { dialed.Close(); accepted.Close() })
	_, err = accepted.Read(nil) // takes the memory
	assert.NilError(t, err)
	return dialed, accepted
}

// TestStream has both sides write random pieces, more than the rings hold, at once.
func TestStream(t *testing.T) {
	a, b := pair(t)
	const total = 5*RingBytes + 123
	ended := make(chan error, 2)
	for seed, c := range []*Conn{a, b} {
		go func() {
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			for sent := 0; sent < total; {
				n := min(1+r.IntN(RingBytes+RingBytes/2), total-sent)
				if _, err := c.Write(stream(seed, sent, n)); err != nil {
					ended <- err
					return
				}
				sent += n
			}
			ended <- c.CloseWrite()
		}()
	}
	for seed, c := range []*Conn{b, a} { // the second one has to wait until the first is done
		got, err := io.ReadAll(c)
		assert.NilError(t, err)
		assert.Check(t, bytes.Equal(got, stream(seed, 0, total)), "stream %d differs", seed)
	}
	assert.NilError(t, errors.Join(<-ended, <-ended))
}

// stream is n bytes of what a side writes, from a place on.
func stream(seed, at, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		k := at + i
		b[i] = byte(k*7 + k>>8 + k>>16 + seed)
	}
	return b
}

// TestLoans: what was lent takes room of the peer until it and all before it have been returned, and stays when both
// sides have closed.
func TestLoans(t *testing.T) {
	a, b := pair(t)
	const piece = RingBytes / 4
	fits := func() (n int) {
		for ; a.TryWrite(make([]byte, piece), nil); n++ {
		}
		return n
	}
	lend := func() (*Loan, []byte) {
		for n, err := b.Unread(); n < piece; n, err = b.Unread() {
			assert.NilError(t, err)
		}
		l := &Loan{}
		return l, b.Lend(l, piece)
	}
	begin := make([]byte, piece/2) // so that a piece ends in the ring's second half
	assert.Assert(t, a.TryWrite(begin, nil))
	_, err := io.ReadFull(b, begin)
	assert.NilError(t, err)
	var loans [5]*Loan
	var lent [5][]byte
	for i := range 4 {
		assert.Assert(t, a.TryWrite(stream(i, 0, piece), nil))
		loans[i], lent[i] = lend()
	}
	assert.Check(t, fits() == 0, "all is lent")
	loans[1].Return()
	loans[2].Return()
	assert.Check(t, fits() == 0, "the first piece is lent")
	loans[0].Return()
	assert.Check(t, a.TryWrite(stream(4, 0, piece), nil))
	loans[4], lent[4] = lend()
	_, err = b.Unread()
	assert.NilError(t, err)
	assert.Check(t, fits() == 2, "three pieces were returned, and one has come")
	assert.NilError(t, errors.Join(a.Close(), b.Close()))
	for _, i := range []int{3, 4} {
		assert.Check(t, bytes.Equal(lent[i], stream(i, 0, piece)), "piece %d differs", i)
		loans[i].Return()
	}
	assert.Check(t, b.gone == nil && b.Lend(&Loan{}, 0) == nil)
}

// TestCorrupt: an index that cannot be is an error of who meets it.
func TestCorrupt(t *testing.T) {
	for _, wrong := range []uint64{1 << 63, RingBytes + 1, ^uint64(RingBytes)} {
		t.Run(fmt.Sprint(wrong), func(t *testing.T) {
			a, b := pair(t)
			b.out.tail.Store(wrong)
			_, err := a.Read(make([]byte, 10))
			assert.ErrorIs(t, err, ErrCorrupt)
			_, err = a.Unread()
			assert.ErrorIs(t, err, ErrCorrupt)
			b.in.head.Store(wrong)
			assert.Check(t, !a.TryWrite([]byte("x"), nil))
			_, err = a.Write([]byte("x"))
			assert.ErrorIs(t, err, ErrCorrupt)
		})
	}
}

// TestWaitsEnd: by the deadline, by Close, and by the end of the peer.
func TestWaitsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		do          func(a, b *Conn)
		read, write error
	}{
		"deadline": {func(a, _ *Conn) { _ = a.SetDeadline(time.Now().Add(time.Millisecond)) }, os.ErrDeadlineExceeded,
			os.ErrDeadlineExceeded},
		"closed":   {func(a, _ *Conn) { a.Close() }, net.ErrClosed, net.ErrClosed},
		"the peer": {func(_, b *Conn) { b.Close() }, io.EOF, io.ErrClosedPipe},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t)
			read, wrote := make(chan error), make(chan error)
			go func() {
				_, err := a.Read(make([]byte, 1))
				read <- err
			}()
			go func() {
				_, err := a.Write(make([]byte, RingBytes+1))
				wrote <- err
			}()
			for a.in.dry.Load() == 0 || a.out.full.Load() == 0 { // until both sleep
				time.Sleep(time.Millisecond)
			}
			c.do(a, b)
			assert.ErrorIs(t, <-read, c.read)
			assert.ErrorIs(t, <-wrote, c.write)
		})
	}
}

// TestStrangeBeginnings: what is passed in place of the memory is refused.
func TestStrangeBeginnings(t *testing.T) {
	file := func(bytes int64, seal int) int {
		fd, err := unix.MemfdCreate("x", unix.MFD_ALLOW_SEALING)
		assert.NilError(t, err)
		assert.NilError(t, unix.Ftruncate(fd, bytes))
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seal)
		assert.NilError(t, err)
		return fd
	}
	for name, c := range map[string]struct {
		text string
		fds  []int
	}{
		"no memory":       {string(hello), nil},
		"another version": {string(hello[:len(hello)-1]) + "\xFF", []int{file(memoryBytes, seals)}},
		"too short":       {string(hello), []int{file(100, seals)}},
		"can shrink":      {string(hello), []int{file(memoryBytes, unix.F_SEAL_GROW)}},
		"two":             {string(hello), []int{file(memoryBytes, seals), file(memoryBytes, seals)}},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := Listen(t.Name())
			assert.NilError(t, err)
			defer l.Close()
			raw, err := net.DialUnix("unix", nil, abstract(t.Name()))
			assert.NilError(t, err)
			defer raw.Close()
			_, _, err = raw.WriteMsgUnix([]byte(c.text), unix.UnixRights(c.fds...), nil)
			assert.NilError(t, err)
			accepted, err := l.AcceptConn()
			assert.NilError(t, err)
			_, err = accepted.Read(make([]byte, 1))
			assert.ErrorIs(t, err, ErrCorrupt)
			assert.NilError(t, accepted.Close())
		})
	}
}

// TestMain plays a peer that waits, in a process of its own.
func TestMain(m *testing.M) {
	if name := os.Getenv("SHM_PEER"); name != "" {
		c, err := Dial(context.Background(), name)
		if err == nil {
			_, err = c.Write([]byte("alive"))
		}
		if err == nil {
			_, err = c.Read(make([]byte, 1))
		}
		fmt.Println(err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// peer is a process that dials, of another user if that is not 0.
func peer(t *testing.T, user uint32) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), "SHM_PEER="+t.Name())
	if user != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	assert.NilError(t, cmd.Start())
	return cmd, &out
}

// TestDeath: a process that is killed has written what it has written, and then its end is seen.
func TestDeath(t *testing.T) {
	l, err := Listen(t.Name())
	assert.NilError(t, err)
	defer l.Close()
	cmd, _ := peer(t, 0)
	c, err := l.AcceptConn()
	assert.NilError(t, err)
	defer c.Close()
	got := make([]byte, 5)
	_, err = io.ReadFull(c, got)
	assert.Check(t, err == nil && string(got) == "alive" && c.RemoteAddr().String() == fmt.Sprintf("process %d", cmd.Process.Pid))
	assert.NilError(t, cmd.Process.Kill())
	_, err = c.Read(got)
	assert.ErrorIs(t, err, io.EOF)
	_ = cmd.Wait()
}

// TestStranger: neither side deals with a process of another user.
func TestStranger(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	l, err := Listen(t.Name())
	assert.NilError(t, err)
	defer l.Close()
	cmd, out := peer(t, 65534)
	c, err := l.AcceptConn()
	assert.NilError(t, err)
	_, err = c.Read(make([]byte, 1))
	assert.ErrorIs(t, err, ErrStranger)
	assert.NilError(t, c.Close())
	_ = cmd.Wait()
	assert.Check(t, strings.Contains(out.String(), ErrStranger.Error()), "%s", out)
}
