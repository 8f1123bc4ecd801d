package connect

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
)

const (
	individual = typesv1.ExemplarType_EXEMPLAR_TYPE_INDIVIDUAL
	step       = 15 * time.Second
)

// total is the value of the stacks of a push that are kept.
func (p push) total(id string, keep func(stack) bool) int64 {
	var total int64
	for _, stack := range p.stacks {
		if column := slices.Index(p.types, id); column >= 0 && keep(stack) {
			total += stack.values[column]
		}
	}
	return total
}

func all(stack) bool { return true }

// ofPush finds the push of a profile by its time.
func ofPush(t *testing.T, millis int64) push {
	t.Helper()
	at := slices.IndexFunc(pushes, func(push push) bool { return begin.Add(push.at).UnixMilli() == millis })
	if at < 0 {
		t.Fatalf("no push at %d", millis)
	}
	return pushes[at]
}

// lead wants the id of an exemplar to lead to its profile.
func lead(t *testing.T, api clients, exemplar *typesv1.Exemplar) {
	t.Helper()
	push := ofPush(t, exemplar.Timestamp)
	request := stacktraces(cpu, nil)
	request.ProfileIdSelector = []string{exemplar.ProfileId}
	want := map[string]int64{}
	for _, stack := range push.stacks {
		want[stack.frames] = stack.values[0]
	}
	same(t, exemplar.ProfileId, stacksOf(t, get(t, api.SelectMergeStacktraces, request).Flamegraph), want)
	profile := &querierv1.SelectMergeProfileRequest{ProfileTypeID: cpu, LabelSelector: "{}", Start: request.Start, End: request.End,
		ProfileIdSelector: request.ProfileIdSelector}
	same(t, exemplar.ProfileId, stacksOfPprof(t, get(t, api.SelectMergeProfile, profile)), want)
}

func TestExemplars(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		request := &querierv1.SelectSeriesRequest{ProfileTypeID: cpu, LabelSelector: selector(shop), Start: millis(0), End: millis(time.Hour),
			Step: step.Seconds(), GroupBy: []string{"region"}, ExemplarType: individual}
		found := map[string]int64{}
		for _, series := range get(t, api.SelectSeries, request).Series {
			for _, point := range series.Points {
				// Each bucket of a region has one profile.
				if len(point.Exemplars) != 1 || float64(point.Exemplars[0].Value) != point.Value {
					t.Fatalf("%v", point)
				}
				exemplar := point.Exemplars[0]
				same(t, "labels", pairs(exemplar.Labels), "host.name=shop-1 service_name=shop")
				found[fmt.Sprint(series.Labels[0].Value, exemplar.Timestamp-millis(0))] = exemplar.Value
				lead(t, api, exemplar)
			}
		}
		want := map[string]int64{}
		for _, push := range pushes {
			if push.types[0] == cpu && push.labels["service_name"] == "shop" {
				want[fmt.Sprint(push.labels["region"], push.at.Milliseconds())] = push.total(cpu, all)
			}
		}
		same(t, "exemplars", found, want)

		nobody := stacktraces(cpu, nil)
		nobody.ProfileIdSelector = []string{"7c9e6679-7425-40de-944b-e07fc1f90ae7"}
		same(t, "of no profile", stacksOf(t, get(t, api.SelectMergeStacktraces, nobody).Flamegraph), map[string]int64{})
		nobody.ProfileIdSelector[0] = "7c9e6679"
		wants(t, refused(t, api.SelectMergeStacktraces, nobody), connect.CodeInvalidArgument, "7c9e6679")
	})
}

func TestTimelinesOfCallSites(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		for _, site := range []string{"main;b", "main;a", "init", "nothing"} {
			request := &querierv1.SelectSeriesRequest{ProfileTypeID: cpu, LabelSelector: "{}", Start: millis(0), End: millis(time.Hour),
				Step: step.Seconds(), StackTraceSelector: callSite(strings.Split(site, ";")...)}
			var found []string
			for _, series := range get(t, api.SelectSeries, request).Series {
				for _, at := range series.Points {
					found = append(found, point((at.Timestamp-millis(0))/step.Milliseconds(), at.Value))
				}
			}
			same(t, site, found, points(cpu, step, false, below(site, of(nil))))
		}
	})
}

func TestHeatmaps(t *testing.T) {
	spans := func(stack stack) bool { return stack.traced }
	inEveryForm(t, func(t *testing.T, api clients) {
		for kind, keep := range map[querierv1.HeatmapQueryType]func(stack) bool{
			querierv1.HeatmapQueryType_HEATMAP_QUERY_TYPE_INDIVIDUAL: all,
			querierv1.HeatmapQueryType_HEATMAP_QUERY_TYPE_SPAN:       spans,
		} {
			request := &querierv1.SelectHeatmapRequest{ProfileTypeID: cpu, LabelSelector: "{}", Start: millis(0), End: millis(time.Hour),
				Step: step.Seconds(), QueryType: kind, ExemplarType: individual}
			if kind == querierv1.HeatmapQueryType_HEATMAP_QUERY_TYPE_SPAN {
				request.ExemplarType = typesv1.ExemplarType_EXEMPLAR_TYPE_SPAN
			}
			var values []int64
			for _, push := range pushes {
				if value := push.total(cpu, keep); value > 0 {
					values = append(values, value)
				}
			}
			least, most := slices.Min(values), slices.Max(values)
			want := map[int64][]int32{}
			for _, push := range pushes {
				if value := push.total(cpu, keep); value > 0 {
					at := millis(0) + bucket(push.at, step)*step.Milliseconds()
					if want[at] == nil {
						want[at] = make([]int32, 20)
					}
					want[at][min(19, (value-least)*20/(most-least))]++
				}
			}
			found := map[int64][]int32{}
			series := get(t, api.SelectHeatmap, request).Series
			if len(series) != 1 || len(series[0].Labels) != 0 {
				t.Fatalf("%v", series)
			}
			for _, slot := range series[0].Slots {
				found[slot.Timestamp] = slot.Counts
				same(t, "edges", []any{len(slot.YMin), slot.YMin[0]}, []any{20, float64(least)})
				for _, exemplar := range slot.Exemplars {
					push := ofPush(t, exemplar.Timestamp)
					same(t, "value", exemplar.Value, push.total(cpu, keep))
					if kind == querierv1.HeatmapQueryType_HEATMAP_QUERY_TYPE_SPAN {
						same(t, "span", exemplar.SpanId, span)
					} else {
						lead(t, api, exemplar)
					}
				}
			}
			same(t, kind.String(), found, want)
		}
	})
}
