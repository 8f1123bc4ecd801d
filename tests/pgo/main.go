// A program with two hot calls that Go's compiler treats otherwise when it has a profile: one through
// an interface and one of a generic function, both of functions that are too large to be inlined.
package main

import "os"

// How many rounds: enough for some hundred samples.
const rounds = 1_500

type adder interface {
	add(sum, number uint64) uint64
}

type plain struct{}

type rotating struct{}

func main() {
	var sum uint64
	for round := uint64(0); round < rounds; round++ {
		sum = hot(sum, pick(round))
		sum = fold(sum, numbers(round))
	}
	println("sum", sum)
	os.Exit(finish())
}

func pick(round uint64) adder {
	if round%100 == 99 {
		return rotating{}
	}
	return plain{}
}

//go:noinline
func hot(sum uint64, how adder) uint64 {
	for number := uint64(0); number < 50_000; number++ {
		sum = how.add(sum, number)
	}
	return sum
}

// Beyond the usual budget of inlining.
func (plain) add(sum, number uint64) uint64 {
	sum ^= number * 0x9e3779b97f4a7c15
	sum ^= sum >> 33
	sum *= 0xff51afd7ed558ccd
	sum ^= sum >> 33
	sum *= 0xc4ceb9fe1a85ec53
	sum ^= sum >> 33
	if sum&7 == 0 {
		sum += number<<1 | 1
		sum ^= sum >> 29
	} else if sum&7 == 1 {
		sum -= number<<2 | 3
		sum ^= sum >> 31
	}
	sum *= 0xbf58476d1ce4e5b9
	sum ^= sum >> 27
	sum *= 0x94d049bb133111eb
	sum ^= sum >> 31
	sum += number
	sum ^= sum >> 30
	return sum
}

func (rotating) add(sum, number uint64) uint64 {
	return sum<<3 ^ sum>>61 ^ number
}

func numbers(round uint64) []uint64 {
	list := make([]uint64, 1000)
	for i := range list {
		list[i] = round + uint64(i)
	}
	return list
}

//go:noinline
func fold[N uint32 | uint64](sum N, list []N) N {
	for again := 0; again < 30; again++ {
		for _, number := range list {
			sum = mix(sum, number)
		}
	}
	return sum
}

// Generic, and beyond the budget as well.
func mix[N uint32 | uint64](sum, number N) N {
	sum ^= number * 0x9e3779b1
	sum ^= sum >> 15
	sum *= 0x85ebca77
	sum ^= sum >> 13
	sum *= 0xc2b2ae3d
	sum ^= sum >> 16
	if sum&7 == 0 {
		sum += number<<1 | 1
		sum ^= sum >> 11
	} else if sum&7 == 1 {
		sum -= number<<2 | 3
		sum ^= sum >> 9
	}
	sum *= 0x27d4eb2f
	sum ^= sum >> 15
	sum *= 0x165667b1
	sum ^= sum >> 14
	sum += number
	sum ^= sum >> 12
	return sum
}
