package examples_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/world"
)

// An arithmetic configuration, with its seven arguments. With this one float32
// that is compressed to float16 on its way is reduced as float32; with the
// platform's own it is reduced as float16, which ends at 65504.
func Example_arithConfig() {
	config := accl.ArithConfig{
		Uncompressed: accl.TypeFloat32, UncompressedBytes: 4, // uncompressed_elem_bytes
		Compressed: accl.TypeFloat16, CompressedBytes: 2, // compressed_elem_bytes
		RatioLog:               0,           // elem_ratio_log: one element makes one
		CompressorTDEST:        0,           // compressor_tdest
		DecompressorTDEST:      1,           // decompressor_tdest
		ArithmeticIsCompressed: false,       // arith_is_compressed
		FunctionTDEST:          []int{0, 5}, // arith_tdest: sum and max of float32
	}
	reduce := func(ctx context.Context, e *accl.Engine) (string, error) {
		sbuf, err := numbers(ctx, e, 40000, 0.5)
		if err != nil {
			return "", err
		}
		rbuf, err := accl.Alloc[float32](ctx, e, 2)
		if err != nil {
			return "", err
		}
		_, err = e.Reduce(ctx, sbuf, rbuf, 2, 0, accl.Sum, accl.Compress(accl.TypeFloat16))
		if e.Rank() != 0 {
			return "", err
		}
		return fmt.Sprint(rbuf.Host()), err
	}
	run("u55c_tcp", 2, reduce, accl.WithArithmetic(config))
	run("u55c_tcp", 2, reduce)
	// Output:
	// rank 0: [80000 1]
	// rank 0: [+Inf 1]
}

// The configurations that a platform has unless a program brings its own.
func Example_arithConfigs() {
	p, err := world.Platform("u280_2022", "")
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range p.Configs {
		fmt.Printf("(%s, %s): %d and %d bytes, ratio 2^%d, TDEST %d and %d, reduces compressed: %v, by TDEST %v\n",
			c.Uncompressed, c.Compressed, c.UncompressedBytes, c.CompressedBytes, c.RatioLog,
			c.CompressorTDEST, c.DecompressorTDEST, c.ArithmeticIsCompressed, c.FunctionTDEST)
	}
	// Output:
	// (float16, float16): 2 and 2 bytes, ratio 2^0, TDEST 0 and 0, reduces compressed: false, by TDEST [4 9]
	// (float32, float16): 4 and 2 bytes, ratio 2^0, TDEST 0 and 1, reduces compressed: true, by TDEST [4 9]
	// (float32, float32): 4 and 4 bytes, ratio 2^0, TDEST 0 and 0, reduces compressed: false, by TDEST [0 5]
	// (float64, float64): 8 and 8 bytes, ratio 2^0, TDEST 0 and 0, reduces compressed: false, by TDEST [1 6]
	// (int32, int32): 4 and 4 bytes, ratio 2^0, TDEST 0 and 0, reduces compressed: false, by TDEST [2 7]
	// (int64, int64): 8 and 8 bytes, ratio 2^0, TDEST 0 and 0, reduces compressed: false, by TDEST [3 8]
}

// The flags of a call. Programs do not set them: they follow from the operands
// and options.
func Example_flags() {
	p, err := world.Platform("u280_2022", "")
	if err != nil {
		log.Fatal(err)
	}
	c, s := p.CompressionFlags, p.StreamFlags
	fmt.Println("OP0_COMPRESSED", c.Op0, "OP1_COMPRESSED", c.Op1, "RES_COMPRESSED", c.Result, "ETH_COMPRESSED", c.Ethernet)
	fmt.Println("OP0_STREAM", s.Op0, "RES_STREAM", s.Result)
	for _, f := range p.ReduceFunctions[:2] { // the others are ours
		fmt.Println("function", f.Name, f.Value)
	}
	// Output:
	// OP0_COMPRESSED 1 OP1_COMPRESSED 2 RES_COMPRESSED 4 ETH_COMPRESSED 8
	// OP0_STREAM 1 RES_STREAM 2
	// function sum 0
	// function max 1
}

// The error codes of the generation that the Python driver speaks.
func Example_errorCodes() {
	p, err := world.Platform("u280_2022", "")
	if err != nil {
		log.Fatal(err)
	}
	for _, bit := range p.ReturnCodes {
		if !bit.Internal {
			fmt.Println(bit.Name, bit.Mask())
		}
	}
	// Output:
	// DMA_MISMATCH 1
	// DMA_INTERNAL 2
	// DMA_DECODE 4
	// DMA_SLAVE 8
	// DMA_NOT_OKAY 16
	// DMA_NOT_END_OF_PACKET 32
	// DMA_NOT_EXPECTED_BTT 64
	// DMA_TIMEOUT 128
	// CONFIG_SWITCH 256
	// DEQUEUE_BUFFER_TIMEOUT 512
	// DEQUEUE_BUFFER_SPARE_BUFFER_STATUS 1024
	// RECEIVE_TIMEOUT 2048
	// DEQUEUE_BUFFER_SPARE_BUFFER_DMATAG_MISMATCH 4096
	// DEQUEUE_BUFFER_SPARE_BUFFER_INDEX 8192
	// COLLECTIVE_NOT_IMPLEMENTED 16384
	// RECEIVE_OFFCHIP_SPARE_BUFF_ID_NOT_VALID 32768
	// OPEN_PORT_NOT_SUCCEEDED 65536
	// OPEN_CON_NOT_SUCCEEDED 131072
	// DMA_SIZE 262144
	// ARITH 524288
	// PACK_TIMEOUT_STS 1048576
	// PACK_SEQ_NUMBER 2097152
	// COMPRESSION 4194304
	// KRNL_TIMEOUT_STS 8388608
	// KRNL_STS_COUNT 16777216
	// SEGMENTER_EXPECTED_BTT 33554432
	// DMA_TAG_MISMATCH 67108864
	// COLLECTIVE_MISMATCH 134217728
}

// What an engine answers other than success is an error with the names and
// meanings of its bits.
func Example_callError() {
	run("u55c_tcp", 1, func(ctx context.Context, e *accl.Engine) (string, error) {
		err := e.SetMaxEager(ctx, 64) // less than an rx buffer
		var failure *accl.CallError
		if !errors.As(err, &failure) {
			return "", fmt.Errorf("another error: %w", err)
		}
		for _, bit := range failure.Bits {
			fmt.Println(failure.Op, "answers", bit.Name, bit.Mask())
		}
		return fmt.Sprint("is code 65536: ", errors.Is(err, accl.ReturnCode(65536))), nil
	})
	// Output:
	// set_max_eager_msg_size answers EAGER_THRESHOLD_INVALID 65536
	// rank 0: is code 65536: true
}

// Split makes a communicator of some ranks, in the order of the list. Ranks in
// it count from 0.
func Example_splitCommunicator() {
	run("u55c_tcp", 4, func(ctx context.Context, e *accl.Engine) (string, error) {
		odd, err := e.Split(ctx, []int{3, 1})
		if err != nil || odd == nil { // nil where the rank is not a member
			return "", err
		}
		buf, err := numbers(ctx, e, float32(e.Rank()))
		if err != nil {
			return "", err
		}
		res, err := accl.Alloc[float32](ctx, e, odd.Size())
		if err != nil {
			return "", err
		}
		_, err = odd.AllGather(ctx, buf, res, 1)
		return fmt.Sprintf("rank %d of %d, together %v", odd.Rank(), odd.Size(), res.Host()), err
	})
	// Output:
	// rank 1: rank 1 of 2, together [3 1]
	// rank 3: rank 0 of 2, together [3 1]
}

// Buffers have an address in card memory, which can be chosen, and a copy in
// host memory. Slices share both.
func Example_buffers() {
	run("u55c_tcp", 1, func(ctx context.Context, e *accl.Engine) (string, error) {
		const address = 256 << 20
		b, err := accl.Alloc[float32](ctx, e, 8, accl.At(address), accl.NoPrealloc())
		if err != nil {
			return "", err
		}
		for i := range b.Host() {
			b.Host()[i] = float32(i)
		}
		half := b.Slice(4, 8)
		if err := half.SyncToDevice(ctx); err != nil {
			return "", err
		}
		clear(b.Host())
		if err := b.Slice(6, 8).SyncFromDevice(ctx); err != nil {
			return "", err
		}
		return fmt.Sprintf("%d bytes behind the start; %v", half.Address()-address, b.Host()), b.Free()
	})
	// Output:
	// rank 0: 16 bytes behind the start; [0 0 0 0 0 0 6 7]
}
