// Package examples holds the code samples of the established system's
// documents as Go examples that run on emulated engines. They are in the test
// files: a file for each document.
//
// A program for a card differs in two lines: it gets its devices from the card
// instead of a world, and its platform from a generated package.
//
// Cluster is a program of which mpirun or srun starts a process for each rank.
// Userkernels has worked examples of plugins and kernels in C++.
package examples
