//go:build unix

package service

import (
	"syscall"
)

// openFiles returns how many files the process may open; 0 if the limit is unknown. Go has raised the soft
// limit to the hard one by now.
func openFiles() uint64 {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		return 0
	}
	return uint64(files.Cur)
}
