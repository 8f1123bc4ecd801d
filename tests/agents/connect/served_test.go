package connect

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"connectrpc.com/connect"
	adhocv1 "github.com/grafana/pyroscope/api/gen/proto/go/adhocprofiles/v1"
	capabilitiesv1 "github.com/grafana/pyroscope/api/gen/proto/go/capabilities/v1"
	debuginfov1 "github.com/grafana/pyroscope/api/gen/proto/go/debuginfo/v1alpha1"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	settingsv1 "github.com/grafana/pyroscope/api/gen/proto/go/settings/v1"
	statusv1 "github.com/grafana/pyroscope/api/gen/proto/go/status/v1"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	vcsv1 "github.com/grafana/pyroscope/api/gen/proto/go/vcs/v1"
	versionv1 "github.com/grafana/pyroscope/api/gen/proto/go/version/v1"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/emptypb"
)

func TestWhatIsStored(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		stats := get(t, api.GetProfileStats, &typesv1.GetProfileStatsRequest{})
		oldest, newest := pushes[0].at, pushes[0].at
		for _, push := range pushes {
			oldest, newest = min(oldest, push.at), max(newest, push.at)
		}
		same(t, "times", []any{stats.DataIngested, stats.OldestProfileTime, stats.NewestProfileTime},
			[]any{true, millis(oldest), millis(newest)})

		analyze := func(query string) *querierv1.AnalyzeQueryResponse {
			return get(t, api.AnalyzeQuery, &querierv1.AnalyzeQueryRequest{Query: query, Start: millis(0), End: millis(time.Hour)})
		}
		of := func(query string) []uint64 {
			answer := analyze(query)
			scope := answer.QueryScopes[0]
			if (scope.BlockCount == 0) != (answer.QueryImpact.TotalQueriedSeries == 0) ||
				scope.ProfileBytes+scope.SymbolBytes != answer.QueryImpact.TotalBytesInTimeRange {
				t.Errorf("%s: %v", query, answer)
			}
			return []uint64{scope.SeriesCount, answer.QueryImpact.TotalQueriedSeries, scope.ProfileCount}
		}
		same(t, "all", of(cpu+"{}"), []uint64{3, 3, 5})
		same(t, "a service", of(cpu+`{service_name="shop"}`), []uint64{2, 2, 4})
		same(t, "memory", of(space+"{}"), []uint64{1, 1, 1})
		same(t, "nobody", of(cpu+`{service_name="nobody"}`), []uint64{0, 0, 0})
	})
}

func TestWhatIsServed(t *testing.T) {
	inEveryForm(t, func(t *testing.T, api clients) {
		flags := map[string]bool{}
		for _, flag := range get(t, api.flags.GetFeatureFlags, &capabilitiesv1.GetFeatureFlagsRequest{}).FeatureFlags {
			flags[flag.Name] = flag.Enabled
		}
		same(t, "flags", flags, map[string]bool{"functionProjections": true, "pyroscopeRuler": true,
			"pyroscopeRulerFunctions": true, "utf8LabelNames": true, "v2StorageLayer": true})
		same(t, "version", get(t, api.version.Version, &versionv1.VersionRequest{}).QuerierAPI, 1)
	})
}

// unserved are the methods that no worker has.
var unserved = []string{
	"/debuginfo.v1alpha1.DebuginfoService/DeleteDebuginfo",
	"/debuginfo.v1alpha1.DebuginfoService/ListDebuginfo",
	"/status.v1.StatusService/GetConfig",
	"/status.v1.StatusService/GetDefaultConfig",
	"/status.v1.StatusService/GetDiffConfig",
	"/vcs.v1.VCSService/GetCommit",
	"/vcs.v1.VCSService/GetCommits",
	"/vcs.v1.VCSService/GetFile",
	"/vcs.v1.VCSService/GithubApp",
	"/vcs.v1.VCSService/GithubLogin",
	"/vcs.v1.VCSService/GithubRefresh",
}

// methods are all of Pyroscope's services.
func methods() []string {
	var methods []string
	for _, file := range []protoreflect.FileDescriptor{
		adhocv1.File_adhocprofiles_v1_adhocprofiles_proto, capabilitiesv1.File_capabilities_v1_feature_flags_proto,
		debuginfov1.File_debuginfo_v1alpha1_debuginfo_proto, pushv1.File_push_v1_push_proto,
		querierv1.File_querier_v1_querier_proto, settingsv1.File_settings_v1_recording_rules_proto,
		settingsv1.File_settings_v1_setting_proto, statusv1.File_status_v1_status_proto, vcsv1.File_vcs_v1_vcs_proto,
		versionv1.File_version_v1_version_proto,
	} {
		for s := range file.Services().Len() {
			service := file.Services().Get(s)
			for m := range service.Methods().Len() {
				methods = append(methods, fmt.Sprintf("/%s/%s", service.FullName(), service.Methods().Get(m).Name()))
			}
		}
	}
	return methods
}

// forgotten are the methods that no test has asked, though they are not said to be unserved.
func forgotten() []string {
	return slices.DeleteFunc(methods(), func(method string) bool {
		_, is := asked.Load(method)
		return is || slices.Contains(unserved, method)
	})
}

func TestUnservedMethods(t *testing.T) {
	for _, method := range unserved {
		if !slices.Contains(methods(), method) {
			t.Errorf("there is no %s", method)
		}
		for _, form := range forms {
			options := append(form.options, connect.WithInterceptors(bearer("")))
			client := connect.NewClient[emptypb.Empty, emptypb.Empty](http.DefaultClient, server+method, options...)
			_, err := client.CallUnary(context.Background(), connect.NewRequest(&emptypb.Empty{}))
			if connect.CodeOf(err) != connect.CodeUnimplemented {
				t.Errorf("%s, %s: %v", method, form.name, err)
			}
		}
	}
}
