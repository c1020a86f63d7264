// Package coyote tests platforms in the Coyote shell: the adapters between the engine's
// streams and the shell's queues against a model of the shell, and all sources as the
// shell compiles them.
package coyote
