package capi

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
)

// Functions are those of the C interface.
var Functions = []Function{
	{"open",
		"Opens the ranks of a world that this process has: all, or under mpirun and srun one. All processes call it.\n" +
			"build is CCLF_BUILD, or 0 to use a library of another build.",
		[]string{"uint64_t build", "const cclf_options *options?", "cclf_world *world"},
		func(s slots) error { return given[int64](s, 2)(open(at[uint64](s, 0), pointer[options](s, 1))) }},
	{"close", "Closes a world. Its communicators, requests and memory are gone; calls in flight end with an error.",
		[]string{"cclf_world world"}, func(s slots) error { return closeWorld(s.number(0)) }},
	{"local", "The number of ranks of a world that this process has.", []string{"cclf_world world", "int *ranks"},
		func(s slots) error {
			w, err := object[*world](s.number(0))
			if err == nil {
				*pointer[int32](s, 1) = int32(len(w.ranks))
			}
			return err
		}},
	{"comm_world", "The communicator of all ranks, as a rank of this process has it: local is 0 if that is its only one.",
		[]string{"cclf_world world", "int local", "cclf_comm *comm"},
		func(s slots) error { return given[int64](s, 2)(worldComm(s.number(0), s.number(1))) }},
	{"comm_create",
		"Makes a communicator of n ranks of another, in this order. All of them call it with the same ranks.\n" +
			"*made is 0 on a rank that is not among them.",
		[]string{"cclf_comm comm", "int n", "const int *ranks", "cclf_comm *made"}, on(func(c *comm, s slots) error {
			return given[int64](s, 3)(c.create(s.number(1), pointer[int32](s, 2)))
		})},
	{"comm_split", "Makes a communicator of the ranks that have the same color, in the order of their keys. All ranks\n" +
		"call it. *made is 0 if the color is negative.",
		[]string{"cclf_comm comm", "int color", "int key", "cclf_comm *made"}, on(func(c *comm, s slots) error {
			return given[int64](s, 3)(c.split(int32(s.number(1)), int32(s.number(2))))
		})},
	{"comm_free", "Gives a handle up. The engine keeps its communicator: one of the same ranks is the same.",
		[]string{"cclf_comm comm"}, on(func(_ *comm, s slots) error {
			leave(s.number(0))
			return nil
		})},
	{"comm_rank", "The rank of the communicator's engine, and the number of ranks.",
		[]string{"cclf_comm comm", "int *rank", "int *size"}, on(func(c *comm, s slots) error {
			*pointer[int32](s, 1), *pointer[int32](s, 2) = int32(c.c.Rank()), int32(c.c.Size())
			return nil
		})},
	{"recover", "Makes a communicator usable again after a collective failed. All its ranks call it.",
		[]string{"cclf_comm comm"}, on(func(c *comm, _ slots) error { return c.c.Recover(c.world.Context) })},
	{"arrive", "Says that this process has come to a point, of so many processes, whose two numbers they have agreed on.\n" +
		"It waits for nobody.",
		[]string{"cclf_world world", "uint64_t id", "uint64_t number", "int ranks"}, func(s slots) error {
			w, err := joined(s.number(0))
			if err != nil {
				return err
			}
			return w.Joined.Arrive(bringup.Point{ID: at[uint64](s, 1), Number: at[uint64](s, 2)}, int(s.number(3)))
		}},
	{"arrived", "Waits for the next point to which all its processes have come. Processes hear of the points that they\n" +
		"share in the same order. After an error, such as a process that is gone, there are no more.",
		[]string{"cclf_world world", "uint64_t *id", "uint64_t *number"}, func(s slots) error {
			w, err := joined(s.number(0))
			if err != nil {
				return err
			}
			p, err := w.Joined.Arrived(w.Context)
			*pointer[uint64](s, 1), *pointer[uint64](s, 2) = p.ID, p.Number
			return err
		}},
	{"alloc", "Allocates memory of the engine, all 0, with a copy at the host: its address. where is of cclf_memory.",
		[]string{"cclf_comm comm", "int where", "size_t bytes", "void **memory"}, on(func(c *comm, s slots) error {
			return given[unsafe.Pointer](s, 3)(c.alloc(s.number(1), s.number(2)))
		})},
	{"register", "Gives memory of the program a place in the engine's memory, until cclf_free. Only calls touch it.",
		[]string{"cclf_comm comm", "void *memory", "size_t bytes"}, on(func(c *comm, s slots) error {
			return c.register(at[unsafe.Pointer](s, 1), s.number(2))
		})},
	{"register_at", "Is cclf_register at an address of the engine, which must be free. Cards do not support it.",
		[]string{"cclf_comm comm", "void *memory", "size_t bytes", "uint64_t address"}, on(func(c *comm, s slots) error {
			return c.register(at[unsafe.Pointer](s, 1), s.number(2), accl.At(at[uint64](s, 3)))
		})},
	{"address", "Where the engine has memory that was allocated or registered.",
		[]string{"cclf_comm comm", "const void *memory", "uint64_t *address"}, on(func(c *comm, s slots) error {
			p := at[unsafe.Pointer](s, 1)
			known := c.holder(uintptr(p))
			if known == nil {
				return fmt.Errorf("%w: nothing was allocated or registered at %p", accl.ErrArgument, p)
			}
			*pointer[uint64](s, 2) = known.buffer.Address() + uint64(uintptr(p)-known.at)
			return nil
		})},
	{"free", "Frees what cclf_alloc or cclf_register returned or got.", []string{"cclf_comm comm", "void *memory"},
		on(func(c *comm, s slots) error { return c.free(at[unsafe.Pointer](s, 1)) })},
	{"to_device", "Copies memory that was allocated or registered to the engine, for CCLF_FROM_DEVICE.",
		[]string{"cclf_comm comm", "const void *memory", "size_t bytes"}, on(func(c *comm, s slots) error {
			return c.sync(s, (*accl.RawBuffer).SyncToDevice)
		})},
	{"from_device", "Copies memory that was allocated or registered from the engine, after CCLF_TO_DEVICE.",
		[]string{"cclf_comm comm", "void *memory", "size_t bytes"}, on(func(c *comm, s slots) error {
			return c.sync(s, (*accl.RawBuffer).SyncFromDevice)
		})},
	{"type", "The number of an element type of the platform, also one that is not in cclf_type, and its size.",
		[]string{"cclf_comm comm", "const char *name", "int *type", "int *bytes"}, on(func(c *comm, s slots) error {
			number, bytes, err := c.typeNamed(text(pointer[byte](s, 1)))
			*pointer[int32](s, 2), *pointer[int32](s, 3) = number, int32(bytes)
			return err
		})},
	{"run", "Makes a call and waits until it is done.", []string{"cclf_comm comm", "const cclf_call *call"},
		on(func(c *comm, s slots) error { return c.run(pointer[call](s, 1)) })},
	{"start", "Makes a call that is done when its request is: the program must not touch its memory before.",
		[]string{"cclf_comm comm", "const cclf_call *call", "cclf_request *request"}, on(func(c *comm, s slots) error {
			return given[int64](s, 2)(c.start(pointer[call](s, 1), false))
		})},
	{"prepare", "Checks a call, which cclf_restart makes as often as the program wants, until cclf_request_free.",
		[]string{"cclf_comm comm", "const cclf_call *call", "cclf_request *request"}, on(func(c *comm, s slots) error {
			return given[int64](s, 2)(c.start(pointer[call](s, 1), true))
		})},
	{"restart", "Makes a prepared call.", []string{"cclf_request request"}, func(s slots) error {
		r, err := object[*request](s.number(0))
		if err != nil {
			return err
		}
		return r.restart()
	}},
	{"wait", "Waits for a request and returns its error. A request that was not prepared is 0 then. One of 0, or of no\n" +
		"call, is done.", []string{"cclf_request *request"}, func(s slots) error { return wait(pointer[int64](s, 0)) }},
	{"test", "Is cclf_wait if a request is done, and else sets done to 0.", []string{"cclf_request *request", "int *done"},
		func(s slots) error {
			*pointer[int32](s, 1) = 0
			isDone, err := test(pointer[int64](s, 0))
			if isDone {
				*pointer[int32](s, 1) = 1
			}
			return err
		}},
	{"wait_any", "Is cclf_wait of one of n requests, whose index it says; -1 if none has a call.",
		[]string{"int n", "cclf_request *requests", "int *index"}, func(s slots) error {
			i, err := waitAny(unsafe.Slice(pointer[int64](s, 1), max(s.number(0), 0)))
			*pointer[int32](s, 2) = int32(i)
			return err
		}},
	{"request_free", "Ends a prepared request that has no call.", []string{"cclf_request *request"},
		func(s slots) error { return freeRequest(pointer[int64](s, 0)) }},
	{"statistics",
		"The calls of an operation and a type that the rank's engine has done, and the bytes of count elements.",
		[]string{"cclf_comm comm", "int operation", "int type", "uint64_t *calls", "uint64_t *bytes"},
		on(func(c *comm, s slots) error {
			d := c.get(int32(s.number(1)), int32(s.number(2)))
			*pointer[uint64](s, 3), *pointer[uint64](s, 4) = d.calls, d.bytes
			return nil
		})},
}

// joined is a world of several processes.
func joined(h int64) (*world, error) {
	w, err := object[*world](h)
	if err == nil && w.Joined == nil {
		err = fmt.Errorf("%w: this process has all ranks", accl.ErrUnsupported)
	}
	return w, err
}

// on is a function whose first argument is a communicator.
func on(do func(c *comm, s slots) error) func(slots) error {
	return func(s slots) error {
		c, err := object[*comm](s.number(0))
		if err != nil {
			return err
		}
		return do(c, s)
	}
}

// given writes a result to where an argument points, 0 with an error.
func given[T any](s slots, i int) func(T, error) error {
	return func(value T, err error) error {
		*pointer[T](s, i) = value
		return err
	}
}

// sync copies memory that was allocated or registered.
func (r *rank) sync(s slots, copy func(*accl.RawBuffer, context.Context) error) error {
	p, size := at[unsafe.Pointer](s, 1), s.number(2)
	known := r.holder(uintptr(p))
	if known == nil {
		return fmt.Errorf("%w: nothing was allocated or registered at %p", accl.ErrArgument, p)
	}
	if size < 0 || size > int64(known.bytes) {
		return fmt.Errorf("%w: %d bytes, and the buffer has %d", accl.ErrCount, size, known.bytes)
	}
	b, _, err := r.view(p, int(size), known.buffer.DType())
	if err != nil {
		return err
	}
	return copy(b, r.world.Context)
}
