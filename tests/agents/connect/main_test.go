// Package connect asks a running Pilotlight as Go's clients of Pyroscope do: with connect-go and the messages of
// github.com/grafana/pyroscope/api. tests/tests/worker/connect_go.rs starts the worker with an empty bucket and runs this.
package connect

import (
	"context"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/grafana/pyroscope/api/gen/proto/go/capabilities/v1/capabilitiesv1connect"
	"github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
	"github.com/grafana/pyroscope/api/gen/proto/go/querier/v1/querierv1connect"
	"github.com/grafana/pyroscope/api/gen/proto/go/version/v1/versionv1connect"
)

var server = os.Getenv("PILOTLIGHT_URL")

// now is the time by the tests' clock, which PILOTLIGHT_DAYS_AHEAD moves by so many days (tests/local/ahead.mjs).
func now() time.Time {
	days, _ := strconv.ParseFloat(os.Getenv("PILOTLIGHT_DAYS_AHEAD"), 64)
	return time.Now().Add(time.Duration(days * 24 * float64(time.Hour)))
}

// form is a way of writing messages.
type form struct {
	name    string
	options []connect.ClientOption
}

var forms = []form{
	{"protobuf", nil},
	{"JSON", []connect.ClientOption{connect.WithProtoJSON()}},
	{"gRPC-web", []connect.ClientOption{connect.WithGRPCWeb()}},
	{"protobuf, compressed", []connect.ClientOption{connect.WithSendGzip()}},
	{"gRPC-web, compressed", []connect.ClientOption{connect.WithGRPCWeb(), connect.WithSendGzip()}},
}

// asked has the name of every method that a test called.
var asked sync.Map

// clients are the services, asked in one form and with one token.
type clients struct {
	querierv1connect.QuerierServiceClient
	push    pushv1connect.PusherServiceClient
	flags   capabilitiesv1connect.FeatureFlagsServiceClient
	version versionv1connect.VersionClient
}

func (f form) clients(token string) clients {
	options := connect.WithClientOptions(append(f.options, connect.WithInterceptors(bearer(token)))...)
	return clients{
		querierv1connect.NewQuerierServiceClient(http.DefaultClient, server, options),
		pushv1connect.NewPusherServiceClient(http.DefaultClient, server, options),
		capabilitiesv1connect.NewFeatureFlagsServiceClient(http.DefaultClient, server, options),
		versionv1connect.NewVersionClient(http.DefaultClient, server, options),
	}
}

// bearer shows a token, and notes what is called.
func bearer(token string) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
			asked.Store(request.Spec().Procedure, true)
			if token != "" {
				request.Header().Set("Authorization", "Bearer "+token)
			}
			return next(ctx, request)
		}
	}
}

func TestMain(m *testing.M) {
	for n, push := range pushes {
		form := forms[n%len(forms)]
		if err := push.send(form.clients(os.Getenv("TOKEN_PUSH"))); err != nil {
			log.Fatalf("%s: %v", form.name, err)
		}
	}
	code := m.Run()
	if some := flag.Lookup("test.run").Value.String() != ""; !some && len(forgotten()) > 0 {
		log.Fatalf("no test asks %v", forgotten())
	}
	os.Exit(code)
}

// inEveryForm runs a test once for each form of messages, as a reader.
func inEveryForm(t *testing.T, test func(t *testing.T, api clients)) {
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) { test(t, form.clients(os.Getenv("TOKEN_READ"))) })
	}
}

// get is the message of an answer, which has to be one.
func get[Q, A any](t *testing.T, call func(context.Context, *connect.Request[Q]) (*connect.Response[A], error), request *Q) *A {
	t.Helper()
	answer, err := call(context.Background(), connect.NewRequest(request))
	if err != nil {
		t.Fatalf("%v: %v", request, err)
	}
	return answer.Msg
}

// refused is how a request was refused, which it has to be.
func refused[Q, A any](t *testing.T, call func(context.Context, *connect.Request[Q]) (*connect.Response[A], error), request *Q) *connect.Error {
	t.Helper()
	answer, err := call(context.Background(), connect.NewRequest(request))
	if err == nil {
		t.Fatalf("%v is answered: %v", request, answer.Msg)
	}
	var refusal *connect.Error
	if !errors.As(err, &refusal) {
		t.Fatalf("%v: no error of Connect: %v", request, err)
	}
	return refusal
}
