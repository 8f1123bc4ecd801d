// A program with a known hot function, profiled by pyroscope-go.
package main

import (
	"context"
	"log"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/grafana/pyroscope-go"
)

var (
	sink uint64
	kept [64][]byte
)

func main() {
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	seconds, err := strconv.Atoi(os.Getenv("AGENT_SECONDS"))
	if err != nil {
		log.Fatal(err)
	}
	profiler, err := pyroscope.Start(pyroscope.Config{
		ApplicationName:   os.Getenv("AGENT_APPLICATION"),
		ServerAddress:     os.Getenv("AGENT_SERVER"),
		BasicAuthUser:     "agent",
		BasicAuthPassword: os.Getenv("AGENT_TOKEN"),
		Tags:              map[string]string{"region": "eu"},
		UploadRate:        5 * time.Second,
		ProfileTypes: append(
			[]pyroscope.ProfileType{pyroscope.ProfileGoroutines, pyroscope.ProfileMutexCount, pyroscope.ProfileMutexDuration, pyroscope.ProfileBlockCount, pyroscope.ProfileBlockDuration},
			pyroscope.DefaultProfileTypes...,
		),
	})
	if err != nil {
		log.Fatal(err)
	}
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	for round := 0; time.Now().Before(end); round++ {
		pyroscope.TagWrapper(context.Background(), pyroscope.Labels("step", "hot"), func(context.Context) { hotWork() })
		mildWork()
		kept[round%len(kept)] = make([]byte, 256<<10)
		contend()
	}
	if err := profiler.Stop(); err != nil {
		log.Fatal(err)
	}
}

//go:noinline
func hotWork() { sum(30_000_000) }

//go:noinline
func mildWork() { sum(10_000_000) }

func sum(steps uint64) {
	for step := uint64(0); step < steps; step++ {
		sink ^= step * 31
	}
}

// Makes something for the profiles of mutexes and blocking.
func contend() {
	var mutex sync.Mutex
	mutex.Lock()
	done := make(chan struct{})
	go func() {
		mutex.Lock()
		close(done)
	}()
	time.Sleep(time.Millisecond)
	mutex.Unlock()
	<-done
}
