/** Descriptions of Pyroscope's services for settings, uploads and builds, from their public field tables. */
import { createFileRegistry } from "@bufbuild/protobuf";
import { file, method } from "./querierproto.mjs";

const SETTINGS = {
  Setting: "name 1 string, value 2 string, modifiedAt 3 int64",
  GetSettingsRequest: "",
  GetSettingsResponse: "settings 1 *Setting",
  SetSettingsRequest: "setting 1 Setting",
  SetSettingsResponse: "setting 1 Setting",
  DeleteSettingsRequest: "name 1 string",
  DeleteSettingsResponse: "",
};
const RULES = {
  LabelPair: "name 1 string, value 2 string",
  StacktraceFilterFunctionName: "function_name 1 string, metric_type 2 int32",
  StacktraceFilter: "function_name 1 StacktraceFilterFunctionName",
  RecordingRule:
    "id 1 string, metric_name 2 string, profile_type 3 string, matchers 4 *string, group_by 5 *string, external_labels 6 *LabelPair, generation 7 int64, stacktrace_filter 8 StacktraceFilter, provisioned 9 bool",
  GetRecordingRuleRequest: "id 1 string",
  GetRecordingRuleResponse: "rule 1 RecordingRule",
  ListRecordingRulesRequest: "",
  ListRecordingRulesResponse: "rules 1 *RecordingRule",
  UpsertRecordingRuleRequest:
    "id 1 string, metric_name 2 string, matchers 3 *string, group_by 4 *string, external_labels 5 *LabelPair, generation 6 int64, stacktrace_filter 7 StacktraceFilter",
  UpsertRecordingRuleResponse: "rule 1 RecordingRule",
  DeleteRecordingRuleRequest: "id 1 string",
  DeleteRecordingRuleResponse: "",
};
const AD_HOC = {
  AdHocProfilesUploadRequest: "name 1 string, profile 2 string, max_nodes 3 int64",
  AdHocProfilesGetRequest: "id 1 string, profile_type 2 string, max_nodes 3 int64",
  AdHocProfilesGetResponse:
    "id 1 string, name 2 string, uploaded_at 3 int64, profile_type 4 string, profile_types 5 *string, flamebearer_profile 6 string",
  AdHocProfilesListRequest: "",
  AdHocProfilesListResponse: "profiles 1 *AdHocProfilesProfileMetadata",
  AdHocProfilesProfileMetadata: "id 1 string, name 2 string, uploaded_at 3 int64",
  AdHocProfilesDiffRequest: "left_id 1 string, right_id 2 string, profile_type 3 string, max_nodes 4 int64",
  AdHocProfilesDiffResponse: "profile_types 1 *string, flamebearer_profile 2 string",
};
const STATUS = {
  GetBuildInfoRequest: "",
  GetBuildInfoResponse: "status 1 string, data 2 GetBuildInfoData",
  GetBuildInfoData:
    "version 1 string, revision 2 string, branch 3 string, build_user 4 string, build_date 5 string, go_version 6 string",
};

/** A service of a package whose messages of a call begin with the same name. */
function service(name, messages, calls) {
  const at = name.lastIndexOf(".");
  const of = name.slice(0, at);
  const methods = Object.entries(calls).map(([call, [input, output]]) =>
    method(call, `${of}.${input}`, `${of}.${output}`),
  );
  const described = file(of, messages, [], { service: [{ name: name.slice(at + 1), method: methods }] });
  return createFileRegistry(described, () => undefined).getService(name);
}

const pair = (name) => [`${name}Request`, `${name}Response`];

export const Settings = service("settings.v1.SettingsService", SETTINGS, {
  Get: pair("GetSettings"),
  Set: pair("SetSettings"),
  Delete: pair("DeleteSettings"),
});
export const RecordingRules = service("settings.v1.RecordingRulesService", RULES, {
  GetRecordingRule: pair("GetRecordingRule"),
  ListRecordingRules: pair("ListRecordingRules"),
  UpsertRecordingRule: pair("UpsertRecordingRule"),
  DeleteRecordingRule: pair("DeleteRecordingRule"),
});
export const AdHocProfiles = service("adhocprofiles.v1.AdHocProfileService", AD_HOC, {
  Upload: ["AdHocProfilesUploadRequest", "AdHocProfilesGetResponse"],
  Get: pair("AdHocProfilesGet"),
  List: pair("AdHocProfilesList"),
  Diff: pair("AdHocProfilesDiff"),
});
export const Status = service("status.v1.StatusService", STATUS, { GetBuildInfo: pair("GetBuildInfo") });
