package connect

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	debuginfov1 "github.com/grafana/pyroscope/api/gen/proto/go/debuginfo/v1alpha1"
	"github.com/grafana/pyroscope/api/gen/proto/go/debuginfo/v1alpha1/debuginfov1alpha1connect"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	"google.golang.org/protobuf/types/known/emptypb"
)

// wants a refusal with a code, whose message has a text.
func wants(t *testing.T, refusal *connect.Error, code connect.Code, text string) {
	t.Helper()
	if refusal.Code() != code || !strings.Contains(refusal.Message(), text) {
		t.Errorf("%v, not %v with %q", refusal, code, text)
	}
}

func TestInvalidArguments(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		wrong := func(says string, change func(*querierv1.SelectMergeStacktracesRequest)) {
			t.Helper()
			request := stacktraces(cpu, shop)
			change(request)
			wants(t, refused(t, api.SelectMergeStacktraces, request), connect.CodeInvalidArgument, says)
			diff := &querierv1.DiffRequest{Left: stacktraces(cpu, shop), Right: request}
			wants(t, refused(t, api.Diff, diff), connect.CodeInvalidArgument, says)
		}
		nodes := func(count int64) func(*querierv1.SelectMergeStacktracesRequest) {
			return func(r *querierv1.SelectMergeStacktracesRequest) { r.MaxNodes = &count }
		}
		wrong("max flamegraph nodes limit 1048577 is greater than allowed 1048576", nodes(1<<20+1))
		wrong("max flamegraph nodes limit must be set", nodes(-1))
		wrong("missing time range in the query", func(r *querierv1.SelectMergeStacktracesRequest) { r.Start = 0 })
		wrong("the range begins", func(r *querierv1.SelectMergeStacktracesRequest) { r.Start, r.End = r.End, r.Start })
		wrong("selector, column 9: expected a quoted value", func(r *querierv1.SelectMergeStacktracesRequest) { r.LabelSelector = "{region=" })
		wrong("cpu", func(r *querierv1.SelectMergeStacktracesRequest) { r.ProfileTypeID = "cpu" })
		wrong("xyz", func(r *querierv1.SelectMergeStacktracesRequest) { r.SpanSelector = []string{"xyz"} })
		wrong(span, func(r *querierv1.SelectMergeStacktracesRequest) { r.TraceIdSelector = []string{span} })
		wrong("can't be combined with", func(r *querierv1.SelectMergeStacktracesRequest) {
			r.SpanSelector, r.TraceIdSelector = []string{span}, []string{trace}
		})

		diff := &querierv1.DiffRequest{Left: stacktraces(cpu, shop)}
		wants(t, refused(t, api.Diff, diff), connect.CodeInvalidArgument, "the right side of the comparison is missing")
		diff.Right = stacktraces(space, shop)
		wants(t, refused(t, api.Diff, diff), connect.CodeInvalidArgument, "both sides need the same profile type")
		series := &querierv1.SelectSeriesRequest{ProfileTypeID: cpu, LabelSelector: "{}", Start: millis(0), End: millis(time.Hour)}
		wants(t, refused(t, api.SelectSeries, series), connect.CodeInvalidArgument, "step must be >= 1ms")
		series.Step = 0.1
		wants(t, refused(t, api.SelectSeries, series), connect.CodeInvalidArgument, "points")
		names := &typesv1.LabelNamesRequest{}
		wants(t, refused(t, api.LabelNames, names), connect.CodeInvalidArgument, "missing time range in the query")
		names = &typesv1.LabelNamesRequest{Matchers: []string{`{a=~"("}`}, Start: 1, End: 2}
		wants(t, refused(t, api.LabelNames, names), connect.CodeInvalidArgument, "selector, column 5: invalid regular expression")
		values := &typesv1.LabelValuesRequest{Start: 2, End: 1}
		wants(t, refused(t, api.LabelValues, values), connect.CodeInvalidArgument, "the range begins (2) after its end (1)")
		wants(t, refused(t, api.Series, &querierv1.SeriesRequest{}), connect.CodeInvalidArgument, "missing time range in the query")
		query := &querierv1.AnalyzeQueryRequest{Query: "{}", Start: 1, End: 2}
		wants(t, refused(t, api.AnalyzeQuery, query), connect.CodeInvalidArgument, "")
		profile := &querierv1.SelectMergeProfileRequest{ProfileTypeID: cpu, LabelSelector: "{", Start: 1, End: 2}
		wants(t, refused(t, api.SelectMergeProfile, profile), connect.CodeInvalidArgument, "selector, column 2")
		spans := &querierv1.SelectMergeSpanProfileRequest{ProfileTypeID: cpu, SpanSelector: []string{"0"}, Start: 1, End: 2}
		wants(t, refused(t, api.SelectMergeSpanProfile, spans), connect.CodeInvalidArgument, "0")
	})
}

func TestWhatIsNotServed(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		request := stacktraces(cpu, shop)
		request.Async = &querierv1.AsyncQueryRequest{Type: querierv1.AsyncQueryType_ASYNC_QUERY_TYPE_FORCE}
		wants(t, refused(t, api.SelectMergeStacktraces, request), connect.CodeUnimplemented, "async")
		request = stacktraces(cpu, shop)
		request.Format = 99
		wants(t, refused(t, api.SelectMergeStacktraces, request), connect.CodeUnimplemented, "format")
	})
}

func TestWhoMayAsk(t *testing.T) {
	for _, form := range forms {
		for token, code := range map[string]connect.Code{
			"":                      connect.CodeUnauthenticated,
			"plt_nobody":            connect.CodeUnauthenticated,
			os.Getenv("TOKEN_PUSH"): connect.CodePermissionDenied,
		} {
			api := form.clients(token)
			wants(t, refused(t, api.SelectMergeStacktraces, stacktraces(cpu, shop)), code, "")
			wants(t, refused(t, api.ProfileTypes, &querierv1.ProfileTypesRequest{}), code, "")
		}
		reader := form.clients(os.Getenv("TOKEN_READ"))
		wants(t, refused(t, reader.push.Push, &pushv1.PushRequest{}), connect.CodePermissionDenied, "")
	}
}

func TestPushesAreRefused(t *testing.T) {
	for n, form := range forms {
		// The rate of this tenant is a hundred bytes a second.
		limited := pushes[0]
		limited.at += time.Duration(n) * time.Second
		api := form.clients(os.Getenv("TOKEN_LIMITED"))
		var err error
		for range 2 {
			limited.at += 100 * time.Second
			err = limited.send(api)
		}
		if connect.CodeOf(err) != connect.CodeResourceExhausted || !strings.Contains(err.Error(), "push rate limit") {
			t.Errorf("%s: %v", form.name, err)
		}

		sender := form.clients(os.Getenv("TOKEN_PUSH"))
		labels := []*typesv1.LabelPair{{Name: "service_name", Value: "shop"}}
		raw := []*pushv1.RawSample{{RawProfile: []byte("no profile")}}
		request := &pushv1.PushRequest{Series: []*pushv1.RawProfileSeries{{Labels: labels, Samples: raw}}}
		wants(t, refused(t, sender.push.Push, request), connect.CodeInvalidArgument, "pprof")
	}
}

func TestDebugInfo(t *testing.T) {
	for _, form := range forms {
		options := append(form.options, connect.WithInterceptors(bearer(os.Getenv("TOKEN_PUSH"))))
		api := debuginfov1alpha1connect.NewDebuginfoServiceClient(http.DefaultClient, server, options...)
		answer := get(t, api.ShouldInitiateUpload, &debuginfov1.ShouldInitiateUploadRequest{})
		same(t, form.name, []any{answer.ShouldInitiateUpload, answer.Reason}, []any{false, "this server does not store debug info"})
		wants(t, refused(t, api.UploadFinished, &debuginfov1.UploadFinishedRequest{}), connect.CodeFailedPrecondition, "not initiated")
	}
}

func TestWhatIsNotThere(t *testing.T) {
	for _, form := range forms {
		options := append(form.options, connect.WithInterceptors(bearer("")))
		call := func(path string) *connect.Error {
			client := connect.NewClient[emptypb.Empty, emptypb.Empty](http.DefaultClient, server+path, options...)
			return refused(t, client.CallUnary, &emptypb.Empty{})
		}
		wants(t, call("/nothing/there"), connect.CodeNotFound, "/nothing/there")
		// Of a service that is not known, clients want to hear that it is not implemented.
		wants(t, call("/nobody.v1.Nothing/Call"), connect.CodeUnimplemented, "nobody.v1.Nothing/Call")
	}
}

// gRPC needs trailers of HTTP/2, which a Worker cannot send. A refusal does without.
func TestGRPC(t *testing.T) {
	grpc := form{"gRPC", []connect.ClientOption{connect.WithGRPC()}}
	_, err := grpc.clients(os.Getenv("TOKEN_READ")).ProfileTypes(context.Background(), connect.NewRequest(&querierv1.ProfileTypesRequest{}))
	if connect.CodeOf(err) != connect.CodeUnimplemented || !strings.Contains(err.Error(), "send application/proto, application/json or application/grpc-web+proto") {
		t.Errorf("%v", err)
	}
	wants(t, refused(t, grpc.clients("").ProfileTypes, &querierv1.ProfileTypesRequest{}), connect.CodeUnauthenticated, "token")
}
