package connect

import (
	"context"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
)

// TestDataSource makes the calls of Grafana's data source for Pyroscope in the order in which a person causes them: its
// backend is a client of connect-go that writes protobuf.
func TestDataSource(t *testing.T) {
	api := forms[0].clients(os.Getenv("TOKEN_READ"))

	// Save & test.
	get(t, api.ProfileTypes, &querierv1.ProfileTypesRequest{Start: 1000, End: 4000})

	// The list of types, without a panel: an hour on either side of now.
	now := now()
	var labels []string
	for _, kind := range get(t, api.ProfileTypes, &querierv1.ProfileTypesRequest{
		Start: now.Add(-time.Hour).UnixMilli(), End: now.Add(time.Hour).UnixMilli()}).ProfileTypes {
		labels = append(labels, kind.Name+" - "+kind.SampleType)
	}
	same(t, "types", labels, []string{"memory - alloc_objects", "memory - alloc_space", "process_cpu - cpu"})

	// Completion of labels: one selector, which may be empty text, and names without a "__" before them.
	for _, matcher := range []string{"{}", "", selector(shop)} {
		request := connect.NewRequest(&typesv1.LabelNamesRequest{Matchers: []string{matcher}, Start: millis(0), End: millis(time.Hour)})
		request.Header().Set("Accept", "*/*; allow-utf8-labelnames=true")
		answer, err := api.LabelNames(context.Background(), request)
		if err != nil {
			t.Fatal(err)
		}
		names := slices.DeleteFunc(answer.Msg.Names, func(name string) bool { return strings.HasPrefix(name, "__") })
		same(t, "names of "+matcher, names, []string{"host.name", "region", "service_name"})
	}
	values := &typesv1.LabelValuesRequest{Name: "region", Matchers: []string{selector(shop)}, Start: millis(0), End: millis(time.Hour)}
	same(t, "values", get(t, api.LabelValues, values).Names, []string{"eu", "us"})

	// The panel of metrics, and the span of a trace.
	series := &querierv1.SelectSeriesRequest{ProfileTypeID: cpu, LabelSelector: selector(shop), Start: millis(0), End: millis(time.Hour),
		Step: math.Max(time.Second.Seconds(), 15), GroupBy: []string{"region"}, ExemplarType: typesv1.ExemplarType_EXEMPLAR_TYPE_NONE}
	var lines []string
	for _, line := range get(t, api.SelectSeries, series).Series {
		lines = append(lines, pairs(line.Labels))
		var total float64
		for _, point := range line.Points {
			total += point.Value
		}
		same(t, pairs(line.Labels), int64(total), sum(fold(cpu, of(map[string]string{"region": line.Labels[0].Value, "service_name": "shop"}))))
	}
	same(t, "lines", lines, []string{"region=eu", "region=us"})

	nodes := int64(16384)
	profile := stacktraces(cpu, shop)
	profile.MaxNodes = &nodes
	same(t, "flame graph", stacksOf(t, get(t, api.SelectMergeStacktraces, profile).Flamegraph), fold(cpu, of(shop)))
	// What is asked of a box that a limit has folded.
	profile.StackTraceSelector = callSite("main", "a")
	same(t, "below a box", stacksOf(t, get(t, api.SelectMergeStacktraces, profile).Flamegraph), fold(cpu, below("main;a", of(shop))))
	nobody := stacktraces(cpu, map[string]string{"service_name": "nobody"})
	same(t, "nothing", stacksOf(t, get(t, api.SelectMergeStacktraces, nobody).Flamegraph), map[string]int64{})

	older := &querierv1.SelectMergeSpanProfileRequest{ProfileTypeID: cpu, LabelSelector: "{}", SpanSelector: []string{span},
		Start: millis(0), End: millis(time.Hour), MaxNodes: &nodes}
	newer := stacktraces(cpu, nil)
	newer.SpanSelector, newer.MaxNodes = []string{span}, &nodes
	want := fold(cpu, traced)
	same(t, "a span, as until 2025", stacksOf(t, get(t, api.SelectMergeSpanProfile, older).Flamegraph), want)
	same(t, "a span", stacksOf(t, get(t, api.SelectMergeStacktraces, newer).Flamegraph), want)
}
