//go:build profile

// The program profiles itself into the file that CPU_PROFILE names.
package main

import (
	"os"
	"runtime/pprof"
)

var file = start()

func start() *os.File {
	file, err := os.Create(os.Getenv("CPU_PROFILE"))
	if err == nil {
		err = pprof.StartCPUProfile(file)
	}
	if err != nil {
		panic(err)
	}
	return file
}

func finish() int {
	pprof.StopCPUProfile()
	if file.Close() != nil {
		return 1
	}
	return 0
}
