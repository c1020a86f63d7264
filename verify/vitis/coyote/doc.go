// Package coyote checks what platforms with RDMA become in the Coyote shell: the
// adapters between the engine's streams and the shell's queues against a model of
// the shell, and all sources as the shell compiles them.
package coyote
