//! `messages!` declares messages as a `.proto` file does. Each becomes a struct for protobuf and
//! protobuf's JSON.
//!
//! ```text
//! messages! {
//!     request SelectSeriesRequest {
//!         profile_type_id: string = 1 as "profile_typeID" ["profileTypeID"],
//!         aggregation: int32("json::enumeration::<_, Aggregation>") = 7,
//!         limit: optional int64 = 9,
//!     }
//!     answer SelectSeriesResponse { series: repeated Series = 1 }
//! }
//! ```
//!
//! - A `request` is read, an `answer` is written, `both` is read and written. Names in the JSON of
//!   the last two are in camel case.
//! - A field is `name: kind = tag`. `as` gives it another name in JSON; the names in `[]` are read
//!   as well.
//! - `kind!` lists the kinds and the functions for JSON. A path in `()` is the function of a field.
//! - An answer leaves out a field that is not set, unless the field is `always` there.
//! - Docs and attributes of messages and fields go to the struct.

macro_rules! messages {
    ($($(#[$meta:meta])* $role:ident $name:ident { $($fields:tt)* })*) => {
        $(message! { [$(#[$meta])* $role $name] [] $($fields)* })*
    };
}

/// Reads the fields one by one, then declares the struct.
macro_rules! message {
    ([$(#[$meta:meta])* request $name:ident] [$($fields:tt)*]) => {
        #[derive(Clone, PartialEq, ::prost::Message, ::serde::Deserialize)]
        #[serde(default)]
        $(#[$meta])*
        pub(crate) struct $name { $($fields)* }
    };
    ([$(#[$meta:meta])* answer $name:ident] [$($fields:tt)*]) => {
        #[derive(Clone, PartialEq, ::prost::Message, ::serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        $(#[$meta])*
        pub(crate) struct $name { $($fields)* }
    };
    ([$(#[$meta:meta])* both $name:ident] [$($fields:tt)*]) => {
        #[derive(Clone, PartialEq, ::prost::Message, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(default, rename_all = "camelCase")]
        $(#[$meta])*
        pub(crate) struct $name { $($fields)* }
    };
    (
        $head:tt $done:tt
        $(#[$meta:meta])* $field:ident: $($kind:ident)+ $(($path:literal))? = $tag:tt
        $(as $name:tt)? $([$($alias:tt),+])?
        $(, $($rest:tt)*)?
    ) => {
        kind! {
            [$($kind)+ $($path)?] {skip_serializing_if = "super::json::is_unset",}
            $head $done {$(#[$meta])*} $field $tag
            {$(rename = $name,)? $($(alias = $alias,)+)?} {$($($rest)*)?}
        }
    };
}

/// The kinds of fields: prost's name, the type, the functions for JSON. Only requests have
/// `optional int64`; only answers have `uint64`, `bytes` and repeated numbers.
#[rustfmt::skip]
macro_rules! kind {
    ([always $($kind:tt)+] $skip:tt $($field:tt)*) => { kind! { [$($kind)+] {} $($field)* } };

    // Otherwise prost would take `bool` for the message `google.protobuf.BoolValue`.
    ([$label:ident bool] $($field:tt)*) => { compile_error! { "expected bool without a label" } };
    ([bool] $($field:tt)*) => { field! { [bool] [bool]
        {deserialize_with = "super::json::unset",} $($field)* } };
    ([string] $($field:tt)*) => { field! { [string] [String]
        {deserialize_with = "super::json::unset",} $($field)* } };
    ([bytes] $($field:tt)*) => { field! { [bytes = "vec"] [Vec<u8>]
        {serialize_with = "super::json::base64",} $($field)* } };
    ([bytes $path:literal] $($field:tt)*) => { field! { [bytes = "vec"] [Vec<u8>]
        {serialize_with = $path,} $($field)* } };
    ([int32 $path:literal] $($field:tt)*) => { field! { [int32] [i32]
        {deserialize_with = $path,} $($field)* } };
    ([uint32] $($field:tt)*) => { field! { [uint32] [u32]
        {deserialize_with = "super::json::uint32",} $($field)* } };
    ([uint64] $($field:tt)*) => { field! { [uint64] [u64]
        {serialize_with = "super::json::uint64_text",} $($field)* } };
    ([int64] $($field:tt)*) => { field! { [int64] [i64]
        {deserialize_with = "super::json::int64", serialize_with = "super::json::int64_text",}
        $($field)* } };
    ([double] $($field:tt)*) => { field! { [double] [f64]
        {deserialize_with = "super::json::double",} $($field)* } };
    ([optional string] $($field:tt)*) => { field! { [string, optional] [Option<String>]
        {} $($field)* } };
    ([optional int64] $($field:tt)*) => { field! { [int64, optional] [Option<i64>]
        {deserialize_with = "super::json::optional_int64",} $($field)* } };
    ([optional $message:ident] $($field:tt)*) => { field! { [message, optional] [Option<$message>]
        {} $($field)* } };
    ([repeated string] $($field:tt)*) => { field! { [string, repeated] [Vec<String>]
        {deserialize_with = "super::json::unset",} $($field)* } };
    ([repeated int32] $($field:tt)*) => { field! { [int32, repeated] [Vec<i32>]
        {} $($field)* } };
    ([repeated uint64] $($field:tt)*) => { field! { [uint64, repeated] [Vec<u64>]
        {serialize_with = "super::json::uint64_texts",} $($field)* } };
    ([repeated int64] $($field:tt)*) => { field! { [int64, repeated] [Vec<i64>]
        {serialize_with = "super::json::int64_texts",} $($field)* } };
    ([repeated double] $($field:tt)*) => { field! { [double, repeated] [Vec<f64>]
        {} $($field)* } };
    ([repeated $message:ident] $($field:tt)*) => { field! { [message, repeated] [Vec<$message>]
        {deserialize_with = "super::json::unset",} $($field)* } };
    ([$($kind:tt)+] $($field:tt)*) => { compile_error! { stringify!($($kind)+ is not a kind) } };
}

/// Adds a field to the struct. Serde's derives ignore each other's attributes.
macro_rules! field {
    (
        [$($proto:tt)+] [$($type:tt)+] {$($json:tt)*} {$($skip:tt)*}
        $head:tt [$($done:tt)*] {$($meta:tt)*} $field:ident $tag:tt {$($names:tt)*} {$($rest:tt)*}
    ) => {
        message! {
            $head
            [
                $($done)*
                $($meta)*
                #[prost($($proto)+, tag = $tag)]
                #[serde($($names)* $($json)* $($skip)*)]
                pub(crate) $field: $($type)+,
            ]
            $($rest)*
        }
    };
}
