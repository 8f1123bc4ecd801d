package connect

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"
	profilev1 "github.com/grafana/pyroscope/api/gen/proto/go/google/v1"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	"google.golang.org/protobuf/proto"
)

const (
	cpu     = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
	objects = "memory:alloc_objects:count:space:bytes"
	space   = "memory:alloc_space:bytes:space:bytes"
	span    = "00f067aa0ba902b7"
	trace   = "0af7651916cd43dd8448eb211c80319c"
)

// begin is before the first push, at the beginning of a minute.
var begin = now().Add(-20 * time.Minute).Truncate(time.Minute)

// push is one profile of one process.
type push struct {
	labels map[string]string
	// The ids of its values.
	types []string
	// When it was taken, after begin.
	at     time.Duration
	stacks []stack
}

type stack struct {
	// From the root, with ";" between.
	frames string
	values []int64
	// Whether it belongs to the span and the trace.
	traced bool
}

// No profile lies on an edge of a bucket of 15 s.
var pushes = []push{
	{process("shop", "eu"), []string{cpu}, 1 * time.Second, []stack{
		{"main;a", []int64{3e7}, false}, {"main;b", []int64{5e7}, false}}},
	{process("shop", "us"), []string{cpu}, 2 * time.Second, []stack{
		{"main;b;c", []int64{7e7}, false}, {"main;b;b", []int64{1e7}, false}}},
	{process("shop", "eu"), []string{cpu}, 31 * time.Second, []stack{
		{"main", []int64{2e7}, false}, {"main;a", []int64{4e7}, true}, {"init", []int64{1}, false}}},
	{process("shop", "us"), []string{cpu}, 62 * time.Second, []stack{
		{"main;a;\u00e4", []int64{9e7}, true}}},
	{process("shop", "eu"), []string{objects, space}, 3 * time.Second, []stack{
		{"main;a", []int64{2, 4096}, false}, {"main;d", []int64{0, 1 << 62}, false}}},
	{process("mail", "eu"), []string{cpu}, 63 * time.Second, []stack{
		{"main", []int64{6e7}, false}}},
}

func process(service, region string) map[string]string {
	return map[string]string{"service_name": service, "region": region, "host.name": service + "-1"}
}

// typeOf is what the five parts of an id say.
func typeOf(id string) *typesv1.ProfileType {
	parts := strings.Split(id, ":")
	return &typesv1.ProfileType{ID: id, Name: parts[0], SampleType: parts[1], SampleUnit: parts[2],
		PeriodType: parts[3], PeriodUnit: parts[4]}
}

// selector is of the processes with all of these labels.
func selector(labels map[string]string) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		pairs = append(pairs, name+`="`+labels[name]+`"`)
	}
	return "{" + strings.Join(pairs, ",") + "}"
}

// fold sums up the pushed stacks of a type, of the pushes and stacks that are kept.
func fold(id string, keep func(push, stack) bool) map[string]int64 {
	sums := map[string]int64{}
	for _, push := range pushes {
		column := slices.Index(push.types, id)
		for _, stack := range push.stacks {
			if column >= 0 && keep(push, stack) && stack.values[column] > 0 {
				sums[stack.frames] += stack.values[column]
			}
		}
	}
	return sums
}

// of keeps the pushes of processes with these labels.
func of(labels map[string]string) func(push, stack) bool {
	return func(push push, _ stack) bool {
		for name, value := range labels {
			if push.labels[name] != value {
				return false
			}
		}
		return true
	}
}

func sum(stacks map[string]int64) int64 {
	var total int64
	for _, value := range stacks {
		total += value
	}
	return total
}

// millis is a time after begin, as queries have it.
func millis(after time.Duration) int64 { return begin.Add(after).UnixMilli() }

// send pushes it as an agent does.
func (p push) send(api clients) error {
	raw, err := proto.Marshal(p.profile())
	if err != nil {
		return err
	}
	labels := []*typesv1.LabelPair{{Name: "__name__", Value: typeOf(p.types[0]).Name}}
	for name, value := range p.labels {
		labels = append(labels, &typesv1.LabelPair{Name: name, Value: value})
	}
	series := &pushv1.RawProfileSeries{Labels: labels, Samples: []*pushv1.RawSample{{RawProfile: raw}}}
	request := &pushv1.PushRequest{Series: []*pushv1.RawProfileSeries{series}}
	_, err = api.push.Push(context.Background(), connect.NewRequest(request))
	return err
}

// profile is it as pprof has it.
func (p push) profile() *profilev1.Profile {
	profile := &profilev1.Profile{
		StringTable:   []string{""},
		TimeNanos:     begin.Add(p.at).UnixNano(),
		DurationNanos: int64(10 * time.Second),
	}
	text := func(text string) int64 {
		if at := slices.Index(profile.StringTable, text); at >= 0 {
			return int64(at)
		}
		profile.StringTable = append(profile.StringTable, text)
		return int64(len(profile.StringTable) - 1)
	}
	for _, id := range p.types {
		of := typeOf(id)
		profile.SampleType = append(profile.SampleType, &profilev1.ValueType{Type: text(of.SampleType), Unit: text(of.SampleUnit)})
		profile.PeriodType = &profilev1.ValueType{Type: text(of.PeriodType), Unit: text(of.PeriodUnit)}
	}
	locations := map[string]uint64{}
	for _, stack := range p.stacks {
		sample := &profilev1.Sample{Value: stack.values}
		for frame := range strings.SplitSeq(stack.frames, ";") {
			id, known := locations[frame]
			if !known {
				id = uint64(len(locations) + 1)
				locations[frame] = id
				profile.Function = append(profile.Function, &profilev1.Function{Id: id, Name: text(frame)})
				profile.Location = append(profile.Location, &profilev1.Location{Id: id, Line: []*profilev1.Line{{FunctionId: id}}})
			}
			sample.LocationId = slices.Insert(sample.LocationId, 0, id)
		}
		if stack.traced {
			sample.Label = []*profilev1.Label{{Key: text("span_id"), Str: text(span)}, {Key: text("trace_id"), Str: text(trace)}}
		}
		profile.Sample = append(profile.Sample, sample)
	}
	return profile
}
