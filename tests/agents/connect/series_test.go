package connect

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
)

// points are the sums of the pushes of a group: a bucket ends at its name.
func points(id string, step time.Duration, average bool, keep func(push, stack) bool) []string {
	sums, counts := map[int64]int64{}, map[int64]int64{}
	for _, push := range pushes {
		before := sums[bucket(push.at, step)]
		for _, stack := range push.stacks {
			if at := slices.Index(push.types, id); at >= 0 && keep(push, stack) {
				sums[bucket(push.at, step)] += stack.values[at]
			}
		}
		if sums[bucket(push.at, step)] > before {
			counts[bucket(push.at, step)]++
		}
	}
	var texts []string
	for at := range int64(time.Hour/step) + 1 {
		if value := float64(sums[at]); value > 0 {
			if average {
				value /= float64(counts[at])
			}
			texts = append(texts, point(at, value))
		}
	}
	return texts
}

func bucket(at, step time.Duration) int64 { return int64((at + step - 1) / step) }

func point(at int64, value float64) string {
	return strconv.FormatInt(at, 10) + ": " + strconv.FormatFloat(value, 'g', -1, 64)
}

func TestTimelines(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		ask := func(id, selector string, step time.Duration, change func(*querierv1.SelectSeriesRequest)) []string {
			t.Helper()
			request := &querierv1.SelectSeriesRequest{ProfileTypeID: id, LabelSelector: selector,
				Start: millis(0), End: millis(time.Hour), Step: step.Seconds()}
			change(request)
			var texts []string
			for _, series := range get(t, api.SelectSeries, request).Series {
				var found []string
				for _, at := range series.Points {
					after := at.Timestamp - millis(0)
					if after%step.Milliseconds() != 0 {
						t.Errorf("a point %d ms after the first", after)
					}
					found = append(found, point(after/step.Milliseconds(), at.Value))
				}
				texts = append(texts, fmt.Sprint(pairs(series.Labels), found))
			}
			return texts
		}
		want := func(name string, points []string) string { return fmt.Sprint(name, points) }
		nothing := func(*querierv1.SelectSeriesRequest) {}
		average := typesv1.TimeSeriesAggregationType_TIME_SERIES_AGGREGATION_TYPE_AVERAGE
		for _, step := range []time.Duration{15 * time.Second, 20 * time.Second, time.Minute, time.Hour} {
			same(t, step.String(), ask(cpu, "{}", step, nothing), []string{want("", points(cpu, step, false, of(nil)))})
			same(t, step.String()+", average", ask(cpu, "{}", step, func(r *querierv1.SelectSeriesRequest) { r.Aggregation = &average }),
				[]string{want("", points(cpu, step, true, of(nil)))})
		}
		by := func(limit int64, names ...string) func(*querierv1.SelectSeriesRequest) {
			return func(r *querierv1.SelectSeriesRequest) { r.GroupBy, r.Limit = names, &limit }
		}
		step := 15 * time.Second
		mail := map[string]string{"service_name": "mail"}
		of := func(labels map[string]string) []string { return points(cpu, step, false, of(labels)) }
		all := []string{
			want("region=eu service_name=mail", of(mail)),
			want("region=eu service_name=shop", of(eu)),
			want("region=us service_name=shop", of(us)),
		}
		same(t, "groups", ask(cpu, "{}", step, by(0, "region", "service_name")), all)
		same(t, "the largest", ask(cpu, "{}", step, by(1, "service_name", "region")), all[2:])
		same(t, "one service", ask(cpu, `{service_name="mail"}`, step, nothing), []string{want("", of(mail))})
		same(t, "a label that nobody has", ask(cpu, `{service_name="mail"}`, step, by(0, "nothing")), []string{want("", of(mail))})
		same(t, "large values", ask(space, "{}", step, nothing), []string{want("", []string{point(1, 1<<62+4096)})})
		same(t, "of nobody", ask(cpu, `{service_name="nobody"}`, step, nothing), []string{})
	})
}
