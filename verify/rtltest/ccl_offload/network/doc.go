// Package network tests both sides of the engine's network with the models of
// the network engines.
package network
