// Package model says what the operations compute, in plain Go over plain
// slices: the reference that engines are held against.
//
// Elements are float64, which holds every value that tests use exactly. A
// buffer that an operation does not write to is nil in the answer.
package model

// ranks makes a result for every rank.
func ranks(n int, of func(rank int) []float64) [][]float64 {
	out := make([][]float64, n)
	for r := range out {
		out[r] = of(r)
	}
	return out
}

// block is the elements that belong to a rank in a buffer of all ranks.
func block(buffer []float64, rank, count int) []float64 {
	return buffer[rank*count : (rank+1)*count]
}

// Combine reduces two buffers element by element.
func Combine(a, b []float64, f Function) []float64 {
	out := make([]float64, len(a))
	for i := range out {
		out[i] = f(a[i], b[i])
	}
	return out
}

func reduced(in [][]float64, f Function) []float64 {
	out := append([]float64(nil), in[0]...)
	for _, other := range in[1:] {
		out = Combine(out, other, f)
	}
	return out
}

// Bcast gives everyone the root's buffer.
func Bcast(in [][]float64, root int) [][]float64 {
	return ranks(len(in), func(int) []float64 { return in[root] })
}

// Scatter gives rank i block i of the root's buffer.
func Scatter(in [][]float64, root, count int) [][]float64 {
	return ranks(len(in), func(r int) []float64 { return block(in[root], r, count) })
}

// Gather gives the root everyone's buffers, in the order of the ranks.
func Gather(in [][]float64, root int) [][]float64 {
	out := make([][]float64, len(in))
	for _, b := range in {
		out[root] = append(out[root], b...)
	}
	return out
}

// AllGather gives everyone what Gather gives the root.
func AllGather(in [][]float64) [][]float64 {
	all := Gather(in, 0)[0]
	return ranks(len(in), func(int) []float64 { return all })
}

// Reduce gives the root the reduction of all buffers.
func Reduce(in [][]float64, root int, f Function) [][]float64 {
	out := make([][]float64, len(in))
	out[root] = reduced(in, f)
	return out
}

// AllReduce gives everyone the reduction of all buffers.
func AllReduce(in [][]float64, f Function) [][]float64 {
	all := reduced(in, f)
	return ranks(len(in), func(int) []float64 { return all })
}

// ReduceScatter gives rank i block i of the reduction.
func ReduceScatter(in [][]float64, count int, f Function) [][]float64 {
	all := reduced(in, f)
	return ranks(len(in), func(r int) []float64 { return block(all, r, count) })
}

// Scan gives rank i the reduction of the buffers of ranks 0 to i.
func Scan(in [][]float64, f Function) [][]float64 {
	return ranks(len(in), func(r int) []float64 { return reduced(in[:r+1], f) })
}

// ExScan gives rank i what Scan gives the rank before it; rank 0 has no result.
func ExScan(in [][]float64, f Function) [][]float64 {
	return append([][]float64{nil}, Scan(in[:len(in)-1], f)...)
}

// AllToAll gives rank i block i of everyone, in the order of the ranks.
func AllToAll(in [][]float64, count int) [][]float64 {
	return ranks(len(in), func(r int) []float64 {
		var out []float64
		for _, b := range in {
			out = append(out, block(b, r, count)...)
		}
		return out
	})
}
