package connect

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
)

var reserved = []string{"__name__", "__period_type__", "__period_unit__", "__profile_type__", "__service_name__", "__type__", "__unit__"}

func TestProfileTypes(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		find := func(start, end int64) []*typesv1.ProfileType {
			return get(t, api.ProfileTypes, &querierv1.ProfileTypesRequest{Start: start, End: end}).ProfileTypes
		}
		all := []*typesv1.ProfileType{typeOf(objects), typeOf(space), typeOf(cpu)}
		same(t, "of the range", find(millis(0), millis(time.Hour)), all)
		same(t, "of the last day", find(0, 0), all)
		same(t, "of the first second", find(millis(0), millis(time.Second)), all[2:])
		// The button of Grafana's data source asks so whether it is connected.
		same(t, "of 1970", find(1000, 4000), all[:0])
	})
}

func TestLabels(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		start, end := millis(0), millis(time.Hour)
		names := func(header string, matchers ...string) []string {
			request := connect.NewRequest(&typesv1.LabelNamesRequest{Matchers: matchers, Start: start, End: end})
			request.Header().Set("Accept", header)
			answer, err := api.LabelNames(context.Background(), request)
			if err != nil {
				t.Fatal(err)
			}
			return answer.Msg.Names
		}
		plain := append(slices.Clone(reserved), "region", "service_name")
		every := slices.Concat(reserved, []string{"host.name", "region", "service_name"})
		same(t, "names that PromQL can write", names("*/*"), plain)
		same(t, "all names", names("*/*; allow-utf8-labelnames=true"), every)
		same(t, "names of nobody", names("*/*", `{service_name="nobody"}`), []string{})

		values := func(name string, matchers ...string) []string {
			request := &typesv1.LabelValuesRequest{Name: name, Matchers: matchers, Start: start, End: end}
			return get(t, api.LabelValues, request).Names
		}
		same(t, "services", values("service_name"), []string{"mail", "shop"})
		same(t, "services with memory", values("service_name", `{__profile_type__="`+space+`"}`), []string{"shop"})
		same(t, "either", values("service_name", `{region="us"}`, `{service_name=~"ma.*"}`), []string{"mail", "shop"})
		same(t, "regions", values("region", `{service_name="shop",region!="eu"}`), []string{"us"})
		same(t, "hosts", values("host.name"), []string{"mail-1", "shop-1"})
		same(t, "types", values("__profile_type__"), []string{objects, space, cpu})
		same(t, "of no label", values("nothing"), []string{})
	})
}

func TestSeries(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		find := func(names []string, matchers ...string) []string {
			request := &querierv1.SeriesRequest{LabelNames: names, Matchers: matchers, Start: millis(0), End: millis(time.Hour)}
			var sets []string
			for _, set := range get(t, api.Series, request).LabelsSet {
				sets = append(sets, pairs(set.Labels))
			}
			slices.Sort(sets)
			return sets
		}
		same(t, "what the list of services asks", find([]string{"service_name", "__profile_type__"}), []string{
			"__profile_type__=" + objects + " service_name=shop",
			"__profile_type__=" + space + " service_name=shop",
			"__profile_type__=" + cpu + " service_name=mail",
			"__profile_type__=" + cpu + " service_name=shop",
		})
		same(t, "regions of a service", find([]string{"region"}, `{service_name="shop"}`), []string{"region=eu", "region=us"})
		whole := find(nil, `{service_name="mail"}`)
		same(t, "all labels", whole, []string{"__name__=process_cpu __period_type__=cpu __period_unit__=nanoseconds __profile_type__=" +
			cpu + " __service_name__=mail __type__=cpu __unit__=nanoseconds host.name=mail-1 region=eu service_name=mail"})
	})
}

// pairs are labels as text, in order of their names.
func pairs(labels []*typesv1.LabelPair) string {
	var texts []string
	for _, label := range labels {
		texts = append(texts, label.Name+"="+label.Value)
	}
	slices.Sort(texts)
	return strings.Join(texts, " ")
}
