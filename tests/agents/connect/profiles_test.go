package connect

import (
	"strings"
	"testing"
	"time"

	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
)

var (
	eu   = map[string]string{"service_name": "shop", "region": "eu"}
	us   = map[string]string{"service_name": "shop", "region": "us"}
	shop = map[string]string{"service_name": "shop"}
)

// stacktraces asks for a type of the processes with these labels.
func stacktraces(id string, labels map[string]string) *querierv1.SelectMergeStacktracesRequest {
	return &querierv1.SelectMergeStacktracesRequest{
		ProfileTypeID: id, LabelSelector: selector(labels), Start: millis(0), End: millis(time.Hour)}
}

func callSite(names ...string) *typesv1.StackTraceSelector {
	selector := &typesv1.StackTraceSelector{}
	for _, name := range names {
		selector.CallSite = append(selector.CallSite, &typesv1.Location{Name: name})
	}
	return selector
}

// below keeps the stacks that begin with a call site.
func below(frames string, keep func(push, stack) bool) func(push, stack) bool {
	return func(push push, stack stack) bool {
		return keep(push, stack) && strings.HasPrefix(stack.frames+";", frames+";")
	}
}

func traced(push push, stack stack) bool { return stack.traced }

func TestFlameGraphs(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		find := func(request *querierv1.SelectMergeStacktracesRequest) map[string]int64 {
			t.Helper()
			return stacksOf(t, get(t, api.SelectMergeStacktraces, request).Flamegraph)
		}
		for _, labels := range []map[string]string{eu, us, shop, {}, {"service_name": "nobody"}} {
			for _, id := range []string{cpu, objects, space} {
				same(t, id+selector(labels), find(stacktraces(id, labels)), fold(id, of(labels)))
			}
		}
		request := stacktraces(cpu, nil)
		request.LabelSelector = `{region!="eu",service_name=~"sh.p|mail",service_name!~"m.*"}`
		same(t, request.LabelSelector, find(request), fold(cpu, of(us)))

		// Both ends of a range are inside.
		request = stacktraces(cpu, shop)
		request.Start, request.End = millis(2*time.Second), millis(31*time.Second)
		inside := func(push push, stack stack) bool {
			return of(shop)(push, stack) && push.at >= 2*time.Second && push.at <= 31*time.Second
		}
		same(t, "a part of the time", find(request), fold(cpu, inside))

		request = stacktraces(cpu, shop)
		request.StackTraceSelector = callSite("main", "b")
		same(t, "a call site", find(request), fold(cpu, below("main;b", of(shop))))
		request = stacktraces(cpu, shop)
		request.SpanSelector = []string{span, "ffffffffffffffff"}
		same(t, "spans", find(request), fold(cpu, traced))
		request = stacktraces(cpu, eu)
		request.TraceIdSelector = []string{trace}
		same(t, "a trace", find(request), map[string]int64{"main;a": 4e7})
	})
}

func TestNodesAreFolded(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		request := stacktraces(cpu, shop)
		two := int64(2)
		request.MaxNodes = &two
		graph := get(t, api.SelectMergeStacktraces, request).Flamegraph
		all := fold(cpu, of(shop))
		// The two largest are main and main;a, of 16.
		rest := all["main;b"] + all["main;b;b"] + all["main;b;c"]
		same(t, "of two nodes", stacksOf(t, graph), map[string]int64{
			"main": all["main"], "main;a": all["main;a"], "main;a;other": all["main;a;\u00e4"], "main;other": rest, "other": 1})
	})
}

func TestFormats(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		want := fold(cpu, of(shop))
		ask := func(format querierv1.ProfileFormat) *querierv1.SelectMergeStacktracesResponse {
			request := stacktraces(cpu, shop)
			request.Format = format
			return get(t, api.SelectMergeStacktraces, request)
		}
		graph := ask(querierv1.ProfileFormat_PROFILE_FORMAT_FLAMEGRAPH)
		same(t, "flame graph", stacksOf(t, graph.Flamegraph), want)
		tree := ask(querierv1.ProfileFormat_PROFILE_FORMAT_TREE)
		same(t, "tree", stacksOfTree(t, tree.Tree), want)
		profile := ask(querierv1.ProfileFormat_PROFILE_FORMAT_PPROF).Pprof.Profile
		same(t, "pprof", stacksOfPprof(t, profile), want)
		same(t, "its time", profile.TimeNanos, millis(0)*1e6)
		same(t, "its unit", profile.StringTable[profile.SampleType[0].Unit], "nanoseconds")
		dot := ask(querierv1.ProfileFormat_PROFILE_FORMAT_DOT).Dot
		if !strings.HasPrefix(dot, "digraph ") || !strings.Contains(dot, "\u00e4") {
			t.Errorf("DOT: %s", dot)
		}
		for _, only := range []*querierv1.SelectMergeStacktracesResponse{graph, tree} {
			if (only.Flamegraph != nil) == (only.Tree != nil) || only.Dot != "" || only.Pprof != nil || only.Async != nil {
				t.Errorf("more than one format: %v", only)
			}
		}
	})
}

func TestSpanProfiles(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		request := &querierv1.SelectMergeSpanProfileRequest{ProfileTypeID: cpu, LabelSelector: selector(us),
			SpanSelector: []string{span}, Start: millis(0), End: millis(time.Hour)}
		want := map[string]int64{"main;a;\u00e4": 9e7}
		same(t, "flame graph", stacksOf(t, get(t, api.SelectMergeSpanProfile, request).Flamegraph), want)
		request.Format = querierv1.ProfileFormat_PROFILE_FORMAT_TREE
		same(t, "tree", stacksOfTree(t, get(t, api.SelectMergeSpanProfile, request).Tree), want)
	})
}

func TestMergedProfiles(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		ask := func(id string, change func(*querierv1.SelectMergeProfileRequest)) map[string]int64 {
			request := &querierv1.SelectMergeProfileRequest{ProfileTypeID: id, LabelSelector: selector(shop),
				Start: millis(0), End: millis(time.Hour)}
			change(request)
			return stacksOfPprof(t, get(t, api.SelectMergeProfile, request))
		}
		one := int64(1)
		same(t, "no limit takes anything", ask(cpu, func(r *querierv1.SelectMergeProfileRequest) { r.MaxNodes = &one }), fold(cpu, of(shop)))
		same(t, "large values", ask(space, func(*querierv1.SelectMergeProfileRequest) {}), fold(space, of(shop)))
		site := ask(cpu, func(r *querierv1.SelectMergeProfileRequest) { r.StackTraceSelector = callSite("main", "a") })
		same(t, "a call site", site, fold(cpu, below("main;a", of(shop))))
		same(t, "a trace", ask(cpu, func(r *querierv1.SelectMergeProfileRequest) { r.TraceIdSelector = []string{trace} }), fold(cpu, traced))
		// For Go's compiler a stack is its last two frames.
		ends := map[string]int64{}
		for frames, value := range fold(cpu, of(shop)) {
			names := strings.Split(frames, ";")
			ends[strings.Join(names[max(0, len(names)-2):], ";")] += value
		}
		same(t, "for the compiler", ask(cpu, func(r *querierv1.SelectMergeProfileRequest) {
			r.StackTraceSelector = &typesv1.StackTraceSelector{GoPgo: &typesv1.GoPGO{KeepLocations: 2}}
		}), ends)
	})
}

func TestComparisons(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		for _, labels := range [][2]map[string]string{{eu, us}, {us, eu}, {shop, shop}, {eu, {"service_name": "nobody"}}} {
			request := &querierv1.DiffRequest{Left: stacktraces(cpu, labels[0]), Right: stacktraces(cpu, labels[1])}
			graph := get(t, api.Diff, request).Flamegraph
			own := unfold(t, graph.Names, graph.Levels, 2)
			want := []map[string]int64{fold(cpu, of(labels[0])), fold(cpu, of(labels[1]))}
			same(t, selector(labels[0])+" and "+selector(labels[1]), own, want)
			same(t, "totals", []int64{graph.LeftTicks, graph.RightTicks, graph.Total},
				[]int64{sum(want[0]), sum(want[1]), sum(want[0]) + sum(want[1])})
		}
	})
}
