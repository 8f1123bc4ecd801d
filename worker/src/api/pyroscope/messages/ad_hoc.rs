//! `adhocprofiles.v1`: profiles that people upload to look at.

messages! {
    request AdHocProfilesUploadRequest {
        name: string = 1,
        /// The bytes of a file in base64.
        profile: string = 2,
        max_nodes: optional int64 = 3 ["maxNodes"],
    }

    request AdHocProfilesGetRequest {
        id: string = 1,
        profile_type: optional string = 2 ["profileType"],
        max_nodes: optional int64 = 3 ["maxNodes"],
    }

    answer AdHocProfilesGetResponse {
        id: string = 1,
        name: string = 2,
        /// Milliseconds since the epoch.
        uploaded_at: int64 = 3,
        profile_type: string = 4,
        profile_types: repeated string = 5,
        /// A document in JSON.
        flamebearer_profile: string = 6,
    }

    request AdHocProfilesListRequest {}

    answer AdHocProfilesListResponse { profiles: repeated AdHocProfilesProfileMetadata = 1 }

    answer AdHocProfilesProfileMetadata {
        id: string = 1,
        name: string = 2,
        uploaded_at: int64 = 3,
    }

    request AdHocProfilesDiffRequest {
        left_id: string = 1 ["leftId"],
        right_id: string = 2 ["rightId"],
        profile_type: optional string = 3 ["profileType"],
        max_nodes: optional int64 = 4 ["maxNodes"],
    }

    answer AdHocProfilesDiffResponse {
        profile_types: repeated string = 1,
        flamebearer_profile: string = 2,
    }
}
