package connect

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	profilev1 "github.com/grafana/pyroscope/api/gen/proto/go/google/v1"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
)

// bar is a box of a flame graph.
type bar struct {
	path       string
	start, end int64
}

// unfold reads the levels of a flame graph of so many sides: what each stack has itself, on each side. It holds to what the
// data source of Grafana relies on: boxes lie in their parents, one after the other.
func unfold(t *testing.T, names []string, levels []*querierv1.Level, sides int) []map[string]int64 {
	t.Helper()
	own := make([]map[string]int64, sides)
	for side := range own {
		own[side] = map[string]int64{}
	}
	if len(levels) == 0 || len(levels[0].Values) != 3*sides+1 {
		t.Fatalf("no root: %v", levels)
	}
	var parents []bar
	for depth, level := range levels {
		var boxes []bar
		var at int64
		parent := 0
		if len(level.Values) == 0 || len(level.Values)%(3*sides+1) != 0 {
			t.Fatalf("level %d has %d numbers", depth, len(level.Values))
		}
		for values := level.Values; len(values) > 0; values = values[3*sides+1:] {
			var width int64
			for side := range sides {
				delta, total, self := values[3*side], values[3*side+1], values[3*side+2]
				if delta < 0 || total < 0 || self < 0 || self > total {
					t.Fatalf("level %d has a box of %v", depth, values[:3*sides+1])
				}
				at += delta
				width += total
			}
			name := names[values[3*sides]]
			path := ""
			if depth > 0 {
				for parent < len(parents) && at >= parents[parent].end {
					parent++
				}
				if parent == len(parents) || at < parents[parent].start || at+width > parents[parent].end {
					t.Fatalf("level %d: %s at %d, %d wide, lies in no box of the level above: %v", depth, name, at, width, parents)
				}
				path = strings.TrimPrefix(parents[parent].path+";"+name, ";")
			} else if name != "total" {
				t.Fatalf("the root is called %s", name)
			}
			for side := range sides {
				if self := values[3*side+2]; self > 0 {
					if own[side][path] > 0 {
						t.Fatalf("%s is there twice", path)
					}
					own[side][path] = self
				}
			}
			boxes = append(boxes, bar{path, at, at + width})
			at += width
		}
		parents = boxes
	}
	return own
}

// stacksOf reads a flame graph, whose totals have to be those of its boxes.
func stacksOf(t *testing.T, graph *querierv1.FlameGraph) map[string]int64 {
	t.Helper()
	own := unfold(t, graph.GetNames(), graph.GetLevels(), 1)[0]
	var most int64
	for _, value := range own {
		most = max(most, value)
	}
	if graph.Total != sum(own) || graph.MaxSelf != most {
		t.Fatalf("total %d and largest %d, and the boxes have %d and %d", graph.Total, graph.MaxSelf, sum(own), most)
	}
	return own
}

// stacksOfTree reads a call tree as bytes. Of the children of a node the last comes first.
func stacksOfTree(t *testing.T, tree []byte) map[string]int64 {
	t.Helper()
	number := func() int64 {
		value, length := binary.Uvarint(tree)
		if length <= 0 {
			t.Fatalf("no number at the beginning of %v", tree)
		}
		tree = tree[length:]
		return int64(value)
	}
	own := map[string]int64{}
	for waiting := []string{""}; len(waiting) > 0; {
		path := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		length := number()
		name := string(tree[:length])
		tree = tree[length:]
		path = strings.TrimPrefix(path+";"+name, ";")
		if self := number(); self > 0 {
			own[path] = self
		}
		for range number() {
			waiting = append(waiting, path)
		}
	}
	if len(tree) > 0 {
		t.Fatalf("%d bytes after the tree", len(tree))
	}
	return own
}

// stacksOfPprof reads a profile of one type.
func stacksOfPprof(t *testing.T, profile *profilev1.Profile) map[string]int64 {
	t.Helper()
	functions, locations := map[uint64]string{}, map[uint64]string{}
	for _, function := range profile.GetFunction() {
		functions[function.Id] = profile.StringTable[function.Name]
	}
	for _, location := range profile.GetLocation() {
		for _, line := range location.Line {
			// The innermost comes first.
			locations[location.Id] = functions[line.FunctionId] + ";" + locations[location.Id]
		}
	}
	own := map[string]int64{}
	for _, sample := range profile.GetSample() {
		path := ""
		for _, id := range sample.LocationId {
			path = locations[id] + path
		}
		if len(sample.Value) != 1 {
			t.Fatalf("a sample of %d values", len(sample.Value))
		}
		own[strings.TrimSuffix(path, ";")] += sample.Value[0]
	}
	return own
}

// same wants two values to be written alike.
func same(t *testing.T, what string, found, want any) {
	t.Helper()
	if found, want := fmt.Sprint(found), fmt.Sprint(want); found != want {
		t.Errorf("%s:\nfound  %s\nwanted %s", what, found, want)
	}
}
