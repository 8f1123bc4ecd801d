/** Descriptions of Pyroscope's messages and services, from their public field tables, for a client of Connect. */
import { create, createFileRegistry } from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";

/** `name number type`, with `*` for repeated; a type that is no number or text is a message, or `=` an enum. */
const TYPES = {
  LabelPair: "name 1 string, value 2 string",
  ProfileType:
    "ID 1 string, name 2 string, sample_type 4 string, sample_unit 5 string, period_type 6 string, period_unit 7 string",
  Labels: "labels 1 *LabelPair",
  Point: "value 1 double, timestamp 2 int64, exemplars 4 *Exemplar",
  Exemplar:
    "timestamp 1 int64, profile_id 2 string, span_id 3 string, value 4 int64, labels 5 *LabelPair, trace_id 6 string",
  HeatmapSeries: "labels 1 *LabelPair, slots 2 *HeatmapSlot",
  HeatmapSlot: "timestamp 1 int64, y_min 2 *double, counts 3 *int32, exemplars 4 *Exemplar",
  Series: "labels 1 *LabelPair, points 2 *Point",
  LabelValuesRequest: "name 1 string, matchers 2 *string, start 3 int64, end 4 int64",
  LabelValuesResponse: "names 1 *string",
  LabelNamesRequest: "matchers 1 *string, start 2 int64, end 3 int64",
  LabelNamesResponse: "names 1 *string",
  Location: "name 1 string",
  GoPGO: "keep_locations 1 uint32, aggregate_callees 2 bool",
  FrameFilter:
    "include_function_names 1 *string, exclude_function_names 2 *string, include_function_name_regexes 3 *string, exclude_function_name_regexes 4 *string",
  StackTraceSelector: "call_site 1 *Location, go_pgo 2 GoPGO, frame_filter 3 FrameFilter",
  GetProfileStatsRequest: "",
  GetProfileStatsResponse: "data_ingested 1 bool, oldest_profile_time 2 int64, newest_profile_time 3 int64",
};
const QUERIER = {
  ProfileTypesRequest: "start 1 int64, end 2 int64",
  ProfileTypesResponse: "profile_types 1 *types.v1.ProfileType",
  SeriesRequest: "matchers 1 *string, label_names 2 *string, start 3 int64, end 4 int64",
  SeriesResponse: "labels_set 2 *types.v1.Labels",
  SelectMergeStacktracesRequest:
    "profile_typeID 1 string, label_selector 2 string, start 3 int64, end 4 int64, max_nodes 5 int64, format 6 =ProfileFormat, stack_trace_selector 7 types.v1.StackTraceSelector, profile_id_selector 8 *string, trace_id_selector 10 *string, span_selector 11 *string",
  SelectMergeStacktracesResponse: "flamegraph 1 FlameGraph, tree 2 bytes, dot 3 string, pprof 5 PprofProfile",
  PprofProfile: "profile 1 google.v1.Profile",
  SelectMergeSpanProfileRequest:
    "profile_typeID 1 string, label_selector 2 string, span_selector 3 *string, start 4 int64, end 5 int64, max_nodes 6 int64, format 7 =ProfileFormat",
  SelectMergeSpanProfileResponse: "flamegraph 1 FlameGraph, tree 2 bytes",
  SelectMergeProfileRequest:
    "profile_typeID 1 string, label_selector 2 string, start 3 int64, end 4 int64, max_nodes 5 int64, stack_trace_selector 6 types.v1.StackTraceSelector, profile_id_selector 7 *string",
  DiffRequest: "left 1 SelectMergeStacktracesRequest, right 2 SelectMergeStacktracesRequest",
  DiffResponse: "flamegraph 1 FlameGraphDiff",
  FlameGraph: "names 1 *string, levels 2 *Level, total 3 int64, max_self 4 int64",
  FlameGraphDiff:
    "names 1 *string, levels 2 *Level, total 3 int64, max_self 4 int64, leftTicks 5 int64, rightTicks 6 int64",
  Level: "values 1 *int64",
  SelectSeriesRequest:
    "profile_typeID 1 string, label_selector 2 string, start 3 int64, end 4 int64, group_by 5 *string, step 6 double, aggregation 7 int32, stack_trace_selector 8 types.v1.StackTraceSelector, limit 9 int64, exemplar_type 10 int32",
  SelectSeriesResponse: "series 1 *types.v1.Series",
  SelectHeatmapRequest:
    "profile_typeID 1 string, label_selector 2 string, start 3 int64, end 4 int64, step 5 double, group_by 6 *string, query_type 7 int32, exemplar_type 8 int32, limit 9 int64",
  SelectHeatmapResponse: "series 1 *types.v1.HeatmapSeries",
  AnalyzeQueryRequest: "start 2 int64, end 3 int64, query 4 string",
  AnalyzeQueryResponse: "query_scopes 1 *QueryScope, query_impact 2 QueryImpact",
  QueryScope:
    "component_type 1 string, block_count 3 uint64, series_count 4 uint64, profile_count 5 uint64, profile_bytes 8 uint64, symbol_bytes 9 uint64",
  QueryImpact: "total_bytes_in_time_range 2 uint64, total_queried_series 3 uint64",
};
const PPROF = {
  Profile:
    "sample_type 1 *ValueType, sample 2 *Sample, location 4 *Location, function 5 *Function, string_table 6 *string, time_nanos 9 int64, duration_nanos 10 int64",
  ValueType: "type 1 int64, unit 2 int64",
  Sample: "location_id 1 *uint64, value 2 *int64",
  Location: "id 1 uint64, line 4 *Line",
  Line: "function_id 1 uint64, line 2 int64",
  Function: "id 1 uint64, name 2 int64",
};
const FORMATS = ["UNSPECIFIED", "FLAMEGRAPH", "TREE", "DOT", "PPROF"];

export function file(name, messages, dependency, more = {}) {
  const field = (text) => {
    const [field, number, kind] = text.split(" ");
    const bare = kind.replace(/^[*=]+/, "");
    const scalar = Type[bare.toUpperCase()];
    const type = kind.includes("=") ? Type.ENUM : (scalar ?? Type.MESSAGE);
    const typeName =
      type === Type.ENUM || scalar === undefined ? `.${bare.includes(".") ? bare : `${name}.${bare}`}` : "";
    const label = kind.startsWith("*") ? Label.REPEATED : Label.OPTIONAL;
    const jsonName = field.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
    return { name: field, jsonName, number: Number(number), type, typeName, label };
  };
  const messageType = Object.entries(messages).map(([name, fields]) => ({
    name,
    field: fields === "" ? [] : fields.split(", ").map(field),
  }));
  return create(FileDescriptorProtoSchema, {
    name: `${name}.proto`,
    package: name,
    syntax: "proto3",
    dependency: dependency.map((name) => `${name}.proto`),
    messageType,
    ...more,
  });
}

export const method = (name, input, output) => ({ name, inputType: `.${input}`, outputType: `.${output}` });
const own = (name, input = `${name}Request`, output = `${name}Response`) =>
  method(name, `querier.v1.${input}`, `querier.v1.${output}`);
const ofTypes = (name) => method(name, `types.v1.${name}Request`, `types.v1.${name}Response`);
const querier = {
  name: "QuerierService",
  method: [
    own("ProfileTypes"),
    ofTypes("LabelValues"),
    ofTypes("LabelNames"),
    own("Series"),
    own("SelectMergeStacktraces"),
    own("SelectMergeSpanProfile"),
    method("SelectMergeProfile", "querier.v1.SelectMergeProfileRequest", "google.v1.Profile"),
    own("SelectSeries"),
    own("SelectHeatmap"),
    own("Diff"),
    ofTypes("GetProfileStats"),
    own("AnalyzeQuery"),
  ],
};
const formats = {
  name: "ProfileFormat",
  value: FORMATS.map((name, number) => ({ name: `PROFILE_FORMAT_${name}`, number })),
};
const flags = {
  GetFeatureFlagsRequest: "",
  GetFeatureFlagsResponse: "feature_flags 1 *FeatureFlag",
  FeatureFlag: "name 1 string, enabled 2 bool",
};
const flagService = {
  name: "FeatureFlagsService",
  method: [
    method("GetFeatureFlags", "capabilities.v1.GetFeatureFlagsRequest", "capabilities.v1.GetFeatureFlagsResponse"),
  ],
};
const files = [
  file("types.v1", TYPES, []),
  file("google.v1", PPROF, []),
  file("querier.v1", QUERIER, ["types.v1", "google.v1"], { enumType: [formats], service: [querier] }),
  file("capabilities.v1", flags, [], { service: [flagService] }),
];
const registry = createFileRegistry(files.at(-1), () => undefined);
const known = new Map(files.map((file) => [file.name, file]));
const queries = createFileRegistry(known.get("querier.v1.proto"), (name) => known.get(name));

export const Querier = queries.getService("querier.v1.QuerierService");
export const FeatureFlags = registry.getService("capabilities.v1.FeatureFlagsService");
