package connect

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"connectrpc.com/connect"
	adhocv1 "github.com/grafana/pyroscope/api/gen/proto/go/adhocprofiles/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/adhocprofiles/v1/adhocprofilesv1connect"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	settingsv1 "github.com/grafana/pyroscope/api/gen/proto/go/settings/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/settings/v1/settingsv1connect"
	statusv1 "github.com/grafana/pyroscope/api/gen/proto/go/status/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/status/v1/statusv1connect"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	"google.golang.org/protobuf/proto"
)

func (f form) asReader() connect.ClientOption {
	return connect.WithClientOptions(append(f.options, connect.WithInterceptors(bearer(os.Getenv("TOKEN_READ"))))...)
}

func TestSettings(t *testing.T) {
	for _, form := range forms {
		api := settingsv1connect.NewSettingsServiceClient(http.DefaultClient, server, form.asReader())
		settings := func() []*settingsv1.Setting { return get(t, api.Get, &settingsv1.GetSettingsRequest{}).Settings }
		same(t, form.name, settings(), []*settingsv1.Setting{})
		setting := &settingsv1.Setting{Name: "pluginSettings", Value: `{"maxNodes":16384}`, ModifiedAt: now().UnixMilli()}
		answer := get(t, api.Set, &settingsv1.SetSettingsRequest{Setting: setting}).Setting
		if found := settings(); len(found) != 1 || !proto.Equal(found[0], setting) || !proto.Equal(answer, setting) {
			t.Errorf("%s: %v and %v, not %v", form.name, answer, found, setting)
		}
		older := &settingsv1.Setting{Name: setting.Name, Value: "older", ModifiedAt: setting.ModifiedAt - 1}
		wants(t, refused(t, api.Set, &settingsv1.SetSettingsRequest{Setting: older}), connect.CodeAlreadyExists, "pluginSettings")
		wants(t, refused(t, api.Set, &settingsv1.SetSettingsRequest{}), connect.CodeInvalidArgument, "the setting is missing")
		wants(t, refused(t, api.Delete, &settingsv1.DeleteSettingsRequest{}), connect.CodeInvalidArgument, "name")
		get(t, api.Delete, &settingsv1.DeleteSettingsRequest{Name: setting.Name})
		same(t, form.name, settings(), []*settingsv1.Setting{})
	}
}

func TestRecordingRules(t *testing.T) {
	for _, form := range forms {
		api := settingsv1connect.NewRecordingRulesServiceClient(http.DefaultClient, server, form.asReader())
		list := func() []*settingsv1.RecordingRule {
			return get(t, api.ListRecordingRules, &settingsv1.ListRecordingRulesRequest{}).Rules
		}
		same(t, form.name, len(list()), 0)
		function := &settingsv1.StacktraceFilter{FunctionName: &settingsv1.StacktraceFilterFunctionName{FunctionName: "work"}}
		wanted := &settingsv1.UpsertRecordingRuleRequest{
			MetricName:       "profiles_recorded_shop",
			Matchers:         []string{`{__profile_type__="` + cpu + `"}`, `{service_name="shop"}`},
			GroupBy:          []string{"region"},
			ExternalLabels:   []*typesv1.LabelPair{{Name: "team", Value: "a"}},
			StacktraceFilter: function,
		}
		rule := get(t, api.UpsertRecordingRule, wanted).Rule
		same(t, form.name, []any{rule.MetricName, rule.ProfileType, rule.Matchers, rule.GroupBy, rule.Provisioned},
			[]any{wanted.MetricName, cpu, wanted.Matchers, wanted.GroupBy, false})
		if !proto.Equal(rule.StacktraceFilter, function) || len(rule.ExternalLabels) != 1 {
			t.Errorf("%s: %v", form.name, rule)
		}
		found := get(t, api.GetRecordingRule, &settingsv1.GetRecordingRuleRequest{Id: rule.Id}).Rule
		if listed := list(); len(listed) != 1 || !proto.Equal(listed[0], rule) || !proto.Equal(found, rule) {
			t.Errorf("%s: %v and %v, not %v", form.name, listed, found, rule)
		}
		wanted.Id, wanted.Generation = rule.Id, rule.Generation
		changed := get(t, api.UpsertRecordingRule, wanted).Rule
		if changed.Generation <= rule.Generation {
			t.Errorf("%s: generation %d after %d", form.name, changed.Generation, rule.Generation)
		}
		wants(t, refused(t, api.UpsertRecordingRule, wanted), connect.CodeAlreadyExists, "someone has changed it")
		wants(t, refused(t, api.UpsertRecordingRule, &settingsv1.UpsertRecordingRuleRequest{MetricName: "x"}),
			connect.CodeInvalidArgument, "profile type")
		get(t, api.DeleteRecordingRule, &settingsv1.DeleteRecordingRuleRequest{Id: rule.Id})
		same(t, form.name, len(list()), 0)
		gone := &settingsv1.GetRecordingRuleRequest{Id: rule.Id}
		wants(t, refused(t, api.GetRecordingRule, gone), connect.CodeNotFound, rule.Id)
	}
}

// drawn reads a flame graph that comes as a text.
func drawn(t *testing.T, text string, sides int) []map[string]int64 {
	t.Helper()
	var profile struct {
		Flamebearer struct {
			Names  []string
			Levels [][]int64
		}
	}
	if err := json.Unmarshal([]byte(text), &profile); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var levels []*querierv1.Level
	for _, values := range profile.Flamebearer.Levels {
		levels = append(levels, &querierv1.Level{Values: values})
	}
	return unfold(t, profile.Flamebearer.Names, levels, sides)
}

func TestUploads(t *testing.T) {
	for _, form := range forms {
		api := adhocprofilesv1connect.NewAdHocProfileServiceClient(http.DefaultClient, server, form.asReader())
		upload := func(push push) *adhocv1.AdHocProfilesGetResponse {
			file, err := proto.Marshal(push.profile())
			if err != nil {
				t.Fatal(err)
			}
			profile := base64.StdEncoding.EncodeToString(file)
			return get(t, api.Upload, &adhocv1.AdHocProfilesUploadRequest{Name: form.name + ".pb", Profile: profile})
		}
		own := func(push push) map[string]int64 {
			stacks := map[string]int64{}
			for _, stack := range push.stacks {
				stacks[stack.frames] += stack.values[0]
			}
			return stacks
		}
		left, right := upload(pushes[0]), upload(pushes[1])
		same(t, form.name, []any{left.ProfileType, left.ProfileTypes}, []any{"cpu", []string{"cpu"}})
		same(t, form.name, drawn(t, left.FlamebearerProfile, 1)[0], own(pushes[0]))
		found := get(t, api.Get, &adhocv1.AdHocProfilesGetRequest{Id: left.Id})
		// The clock of the bucket is another one.
		if apart := found.UploadedAt - left.UploadedAt; apart < -60_000 || apart > 60_000 {
			t.Errorf("%s: %d and %d", form.name, found.UploadedAt, left.UploadedAt)
		}
		found.UploadedAt = left.UploadedAt
		if !proto.Equal(found, left) {
			t.Errorf("%s: %v, not %v", form.name, found, left)
		}
		names := map[string]string{}
		for _, profile := range get(t, api.List, &adhocv1.AdHocProfilesListRequest{}).Profiles {
			names[profile.Id] = profile.Name
		}
		same(t, form.name, []string{names[left.Id], names[right.Id]}, []string{form.name + ".pb", form.name + ".pb"})
		both := get(t, api.Diff, &adhocv1.AdHocProfilesDiffRequest{LeftId: left.Id, RightId: right.Id})
		same(t, form.name, drawn(t, both.FlamebearerProfile, 2), []map[string]int64{own(pushes[0]), own(pushes[1])})

		memory := upload(pushes[4])
		same(t, form.name, memory.ProfileTypes, []string{"alloc_objects", "alloc_space"})
		diff := &adhocv1.AdHocProfilesDiffRequest{LeftId: left.Id, RightId: memory.Id}
		wants(t, refused(t, api.Diff, diff), connect.CodeInvalidArgument, "no type in common")
		wants(t, refused(t, api.Get, &adhocv1.AdHocProfilesGetRequest{Id: "nobody"}), connect.CodeInvalidArgument, "id: ")
		other := "0" + left.Id[1:]
		wants(t, refused(t, api.Get, &adhocv1.AdHocProfilesGetRequest{Id: other}), connect.CodeNotFound, "")
		wants(t, refused(t, api.Upload, &adhocv1.AdHocProfilesUploadRequest{Profile: "?"}), connect.CodeInvalidArgument, "base64")
	}
}

func TestBuildInfo(t *testing.T) {
	for _, form := range forms {
		api := statusv1connect.NewStatusServiceClient(http.DefaultClient, server, form.asReader())
		answer := get(t, api.GetBuildInfo, &statusv1.GetBuildInfoRequest{})
		if answer.Status != "success" || answer.Data.GetVersion() == "" {
			t.Errorf("%s: %v", form.name, answer)
		}
	}
}
