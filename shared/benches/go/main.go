// What google/pprof takes for the work that the benches of the core measure. Prints the median of each in nanoseconds.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"time"

	"github.com/google/pprof/profile"
)

const runs = 11

func main() {
	raw, err := os.ReadFile(os.Args[1])
	check(err)
	var different []*profile.Profile
	for _, path := range os.Args[2:] {
		raw, err := os.ReadFile(path)
		check(err)
		p, err := profile.ParseUncompressed(raw)
		check(err)
		different = append(different, p)
	}
	packed, err := os.ReadFile(os.Args[1] + ".gz")
	check(err)
	measure("inflate", func() {
		reader, err := gzip.NewReader(bytes.NewReader(packed))
		check(err)
		inflated, err := io.ReadAll(reader)
		check(err)
		if len(inflated) != len(raw) {
			log.Fatal("another profile")
		}
	})
	var p *profile.Profile
	measure("decode", func() {
		p, err = profile.ParseUncompressed(raw)
		check(err)
	})
	measure("merge4", func() {
		_, err := profile.Merge([]*profile.Profile{p, p, p, p})
		check(err)
	})
	measure("different4", func() {
		_, err := profile.Merge(different)
		check(err)
	})
	measure("encode", func() { check(p.WriteUncompressed(io.Discard)) })
}

func measure(name string, work func()) {
	times := make([]time.Duration, runs)
	for i := range times {
		start := time.Now()
		work()
		times[i] = time.Since(start)
	}
	slices.Sort(times)
	fmt.Println(name, times[runs/2].Nanoseconds())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
