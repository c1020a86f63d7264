package shm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	controlBytes = 64 << 10 // pages for the control of both rings, before their data
	memoryBytes  = controlBytes + 2*RingBytes
	mappedBytes  = controlBytes + 4*RingBytes // the data twice

	seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW
)

// hello goes with the memory; its last byte is the version of the layout.
var hello = []byte("cclshm\x00\x03")

// abstract is the name of a socket that is no file.
func abstract(name string) *net.UnixAddr {
	return &net.UnixAddr{Name: "@cclforge/" + name, Net: "unix"}
}

// Supported says that this system has what is needed.
const Supported = true

// Listener is where others dial.
type Listener struct{ *net.UnixListener }

// Listen listens at a name. The error matches syscall.EADDRINUSE if another process does.
func Listen(name string) (*Listener, error) {
	l, err := net.ListenUnix("unix", abstract(name))
	if err != nil {
		return nil, fmt.Errorf("listening for shared memory at %s: %w", name, err)
	}
	return &Listener{l}, nil
}

// AcceptConn waits for a stream. Who has made it is looked at in its first Read.
func (l *Listener) AcceptConn() (*Conn, error) {
	bell, err := l.AcceptUnix()
	if err != nil {
		return nil, err
	}
	c := newConn(bell)
	if err := c.prepare(); err != nil {
		return nil, errors.Join(err, bell.Close())
	}
	c.greet = c.receive
	return c, nil
}

// Dial makes a stream to the process that listens at a name. The error matches
// syscall.ECONNREFUSED if none does, and ErrStranger if it is of another user.
func Dial(ctx context.Context, name string) (*Conn, error) {
	var d net.Dialer
	bell, err := d.DialContext(ctx, "unix", abstract(name).Name)
	if err != nil {
		return nil, fmt.Errorf("asking for shared memory at %s: %w", name, err)
	}
	c := newConn(bell.(*net.UnixConn))
	if err := c.offer(); err != nil {
		return nil, errors.Join(fmt.Errorf("sharing memory with %s: %w", name, err), bell.Close())
	}
	return c, nil
}

// prepare asks who is at the other end, and finds out how to ring the bell.
func (c *Conn) prepare() error {
	raw, err := c.bell.SyscallConn()
	if err != nil {
		return err
	}
	var peer *unix.Ucred
	asked := raw.Control(func(fd uintptr) {
		peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err := errors.Join(asked, err); err != nil {
		return err
	}
	c.peer = Addr{PID: int(peer.Pid)}
	c.stranger = int(peer.Uid) != os.Geteuid()
	c.ring = func(what byte) error {
		var err error
		e := raw.Control(func(fd uintptr) {
			err = unix.Send(int(fd), []byte{what}, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		})
		if errors.Is(err, unix.EAGAIN) {
			err = nil // it rings already
		}
		return errors.Join(e, err)
	}
	return nil
}

// offer makes memory, and passes it to the peer.
func (c *Conn) offer() error {
	if err := c.prepare(); err != nil {
		return err
	}
	if c.stranger {
		return ErrStranger
	}
	fd, err := unix.MemfdCreate("cclforge", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return fmt.Errorf("making memory: %w", err)
	}
	defer unix.Close(fd)
	// All of it at once: a page that is missing later would end the process.
	if err := unix.Fallocate(fd, 0, 0, memoryBytes); err != nil {
		return fmt.Errorf("making memory: %w", err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return fmt.Errorf("sealing memory: %w", err)
	}
	memory, err := mapped(fd)
	if err != nil {
		return err
	}
	if _, _, err := c.bell.WriteMsgUnix(hello, unix.UnixRights(fd), nil); err != nil {
		return errors.Join(err, unmap(memory))
	}
	c.start(memory, true)
	return nil
}

// receive takes the memory of the peer.
func (c *Conn) receive() ([]byte, error) {
	if c.stranger {
		return nil, ErrStranger
	}
	said, rights := make([]byte, len(hello)), make([]byte, unix.CmsgSpace(4))
	n, m, _, _, err := c.bell.ReadMsgUnix(said, rights)
	if err != nil {
		return nil, err
	}
	fds, err := passed(rights[:m])
	for _, fd := range fds {
		defer unix.Close(fd)
	}
	switch {
	case err != nil:
		return nil, err
	case !bytes.Equal(said[:n], hello) || len(fds) != 1:
		return nil, fmt.Errorf("%w: it begins with %q and %d files, not with %q and the memory", ErrCorrupt, said[:n],
			len(fds), hello)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fds[0], &stat); err != nil {
		return nil, err
	}
	if has, err := unix.FcntlInt(uintptr(fds[0]), unix.F_GET_SEALS, 0); err != nil || has&seals != seals ||
		stat.Size != memoryBytes {
		return nil, fmt.Errorf("%w: %d bytes with the seals %#x: %d with %#x expected", ErrCorrupt, stat.Size, has,
			memoryBytes, seals)
	}
	return mapped(fds[0])
}

// passed is the files that came with a message.
func passed(rights []byte) (fds []int, err error) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		more, err := unix.ParseUnixRights(&m)
		if err != nil {
			return fds, err
		}
		fds = append(fds, more...)
	}
	return fds, nil
}

// mapped maps the memory, the data of each ring twice in a row.
func mapped(fd int) ([]byte, error) {
	const access, part = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED | unix.MAP_FIXED
	at, err := unix.MmapPtr(-1, 0, nil, mappedBytes, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("reserving addresses for shared memory: %w", err)
	}
	memory := unsafe.Slice((*byte)(at), mappedBytes)
	_, err = unix.MmapPtr(fd, 0, at, controlBytes, access, part)
	for i := int64(0); i < 4 && err == nil; i++ {
		_, err = unix.MmapPtr(fd, controlBytes+i/2*RingBytes, unsafe.Pointer(&memory[controlBytes+i*RingBytes]), RingBytes,
			access, part)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("mapping shared memory: %w", err), unmap(memory))
	}
	return memory, nil
}

// Yield lets other processes have the processor. Go does not give its own to other goroutines meanwhile, which would
// take longer.
func Yield() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

func unmap(memory []byte) error {
	return unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(memory)), uintptr(len(memory)))
}

// rings are control and data from the side that has dialed, and those to it.
func rings(memory []byte) (from *control, sent []byte, to *control, received []byte) {
	controls := (*[2]control)(unsafe.Pointer(unsafe.SliceData(memory)))
	data := memory[controlBytes:]
	return &controls[0], data[:2*RingBytes], &controls[1], data[2*RingBytes:]
}
