package examples_test

import (
	"context"
	"fmt"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

// Combine puts the reduction of two buffers into a third.
func Example_combine() {
	run("u55c_tcp", 1, func(ctx context.Context, e *accl.Engine) (string, error) {
		val1, err := numbers(ctx, e, 1, 2, 3, 4)
		if err != nil {
			return "", err
		}
		val2, err := numbers(ctx, e, 40, -30, 20, -10)
		if err != nil {
			return "", err
		}
		result, err := accl.Alloc[float32](ctx, e, 4)
		if err != nil {
			return "", err
		}
		if _, err := e.Combine(ctx, val1, val2, result, 4, accl.Sum); err != nil {
			return "", err
		}
		text := fmt.Sprint("sum ", result.Host())
		// Now both operands are in card memory.
		_, err = e.Combine(ctx, val1, val2, result, 4, accl.Max, accl.FromFPGA(), accl.FromFPGA1())
		return fmt.Sprint(text, ", max ", result.Host()), err
	})
	// Output:
	// rank 0: sum [41 -28 23 -6], max [40 2 20 4]
}

// A message travels compressed to half its size.
func Example_compressedSend() {
	run("u55c_tcp", 2, func(ctx context.Context, e *accl.Engine) (string, error) {
		buffer, err := numbers(ctx, e, 0.1, 0.2)
		if err != nil {
			return "", err
		}
		if e.Rank() == 0 {
			_, err := e.Send(ctx, buffer, 2, 1, accl.Compress(accl.TypeFloat16))
			return fmt.Sprint("sent ", buffer.Host()), err
		}
		_, err = e.Recv(ctx, buffer, 2, 0, accl.Compress(accl.TypeFloat16))
		return fmt.Sprint("received ", buffer.Host()), err
	})
	// Output:
	// rank 0: sent [0.1 0.2]
	// rank 1: received [0.099975586 0.19995117]
}

// Data goes to the kernel at the stream of another rank, which this platform
// loops back into the engine there.
func Example_streamPut() {
	run("u55c_tcp", 2, func(ctx context.Context, e *accl.Engine) (string, error) {
		if e.Rank() == 0 {
			buffer, err := numbers(ctx, e, 1, 2, 3)
			if err != nil {
				return "", err
			}
			_, err = e.StreamPut(ctx, buffer, 3, 1, 9)
			return "", err
		}
		buffer, err := accl.Alloc[float32](ctx, e, 3)
		if err != nil {
			return "", err
		}
		_, err = e.Copy(ctx, accl.KernelStream(accl.TypeFloat32), buffer, 3)
		return fmt.Sprint("from the stream ", buffer.Host()), err
	})
	// Output:
	// rank 1: from the stream [1 2 3]
}

// Operands and results of send and recv can be kernel streams.
func Example_streamSend() {
	run("u55c_tcp", 2, func(ctx context.Context, e *accl.Engine) (string, error) {
		stream := accl.KernelStream(accl.TypeFloat32)
		buffer, err := numbers(ctx, e, 5, 6, 7)
		if err != nil {
			return "", err
		}
		if e.Rank() == 0 {
			if _, err := e.Copy(ctx, buffer, stream, 3); err != nil {
				return "", err
			}
			_, err := e.Send(ctx, stream, 3, 1)
			return "", err
		}
		clear(buffer.Host())
		if _, err := e.Recv(ctx, stream, 3, 0); err != nil {
			return "", err
		}
		_, err = e.Copy(ctx, stream, buffer, 3)
		return fmt.Sprint("from the stream ", buffer.Host()), err
	})
	// Output:
	// rank 1: from the stream [5 6 7]
}

// Bcast gives all ranks what the root has.
func Example_bcast() {
	run("u55c_tcp", 3, func(ctx context.Context, e *accl.Engine) (string, error) {
		buf, err := numbers(ctx, e, float32(e.Rank()), float32(e.Rank()))
		if err != nil {
			return "", err
		}
		_, err = e.Bcast(ctx, buf, 2, 1)
		return fmt.Sprint(buf.Host()), err
	})
	// Output:
	// rank 0: [1 1]
	// rank 1: [1 1]
	// rank 2: [1 1]
}

// Scatter gives each rank its block of the root's buffer. Only the root needs
// one.
func Example_scatter() {
	run("u55c_tcp", 3, func(ctx context.Context, e *accl.Engine) (string, error) {
		var sbuf accl.Operand
		if e.Rank() == 0 {
			all, err := numbers(ctx, e, 0, 1, 10, 11, 20, 21)
			if err != nil {
				return "", err
			}
			sbuf = all
		}
		rbuf, err := accl.Alloc[float32](ctx, e, 2)
		if err != nil {
			return "", err
		}
		_, err = e.Scatter(ctx, sbuf, rbuf, 2, 0)
		return fmt.Sprint(rbuf.Host()), err
	})
	// Output:
	// rank 0: [0 1]
	// rank 1: [10 11]
	// rank 2: [20 21]
}

// Gather collects a block of each rank at the root.
func Example_gather() {
	run("u55c_tcp", 3, func(ctx context.Context, e *accl.Engine) (string, error) {
		sbuf, err := numbers(ctx, e, float32(e.Rank()), float32(10*e.Rank()))
		if err != nil {
			return "", err
		}
		if e.Rank() != 2 {
			_, err := e.Gather(ctx, sbuf, nil, 2, 2)
			return "", err
		}
		rbuf, err := accl.Alloc[float32](ctx, e, 2*e.Size())
		if err != nil {
			return "", err
		}
		_, err = e.Gather(ctx, sbuf, rbuf, 2, 2)
		return fmt.Sprint(rbuf.Host()), err
	})
	// Output:
	// rank 2: [0 0 1 10 2 20]
}

// Reduce combines the operands of all ranks at the root.
func Example_reduce() {
	run("u55c_tcp", 3, func(ctx context.Context, e *accl.Engine) (string, error) {
		sbuf, err := numbers(ctx, e, float32(e.Rank()), 1)
		if err != nil {
			return "", err
		}
		if e.Rank() != 0 {
			_, err := e.Reduce(ctx, sbuf, nil, 2, 0, accl.Sum)
			return "", err
		}
		rbuf, err := accl.Alloc[float32](ctx, e, 2)
		if err != nil {
			return "", err
		}
		_, err = e.Reduce(ctx, sbuf, rbuf, 2, 0, accl.Sum)
		return fmt.Sprint(rbuf.Host()), err
	})
	// Output:
	// rank 0: [3 3]
}

// ReduceScatter gives each rank its block of the reduction.
func Example_reduceScatter() {
	run("u55c_tcp", 2, func(ctx context.Context, e *accl.Engine) (string, error) {
		sbuf, err := numbers(ctx, e, 1, 2, 30, 40)
		if err != nil {
			return "", err
		}
		rbuf, err := accl.Alloc[float32](ctx, e, 2)
		if err != nil {
			return "", err
		}
		_, err = e.ReduceScatter(ctx, sbuf, rbuf, 2, accl.Sum)
		return fmt.Sprint(rbuf.Host()), err
	})
	// Output:
	// rank 0: [2 4]
	// rank 1: [60 80]
}

// AllToAll exchanges a block between each two ranks.
func Example_allToAll() {
	run("u55c_tcp", 3, func(ctx context.Context, e *accl.Engine) (string, error) {
		r := float32(10 * e.Rank())
		sbuf, err := numbers(ctx, e, r, r+1, r+2)
		if err != nil {
			return "", err
		}
		rbuf, err := accl.Alloc[float32](ctx, e, 3)
		if err != nil {
			return "", err
		}
		_, err = e.AllToAll(ctx, sbuf, rbuf, 1)
		return fmt.Sprint(rbuf.Host()), err
	})
	// Output:
	// rank 0: [0 10 20]
	// rank 1: [1 11 21]
	// rank 2: [2 12 22]
}

// Nobody leaves a barrier before the last rank has come to it.
func Example_barrier() {
	came := make(chan int, 3)
	run("u55c_tcp", 3, func(ctx context.Context, e *accl.Engine) (string, error) {
		time.Sleep(time.Duration(e.Rank()) * time.Millisecond)
		came <- e.Rank()
		_, err := e.Barrier(ctx)
		return fmt.Sprintf("%d ranks have come", len(came)), err
	})
	// Output:
	// rank 0: 3 ranks have come
	// rank 1: 3 ranks have come
	// rank 2: 3 ranks have come
}

// Nop does nothing: the time it takes is that of a call.
func Example_nop() {
	run("u55c_tcp", 1, func(ctx context.Context, e *accl.Engine) (string, error) {
		r, err := e.Nop(ctx, accl.Async())
		if err != nil {
			return "", err
		}
		if err := r.Wait(ctx); err != nil {
			return "", err
		}
		_, timed := r.Cycles()
		return fmt.Sprintf("%s done, cycles counted: %v", r.Op(), timed), nil
	})
	// Output:
	// rank 0: nop done, cycles counted: true
}
