//go:build !unix

package store

func readOnly(error) bool { return false }
