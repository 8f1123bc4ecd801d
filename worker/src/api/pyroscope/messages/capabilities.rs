//! `capabilities.v1` and `version.v1`: what this server is.

messages! {
    request GetFeatureFlagsRequest {}

    answer GetFeatureFlagsResponse { feature_flags: repeated FeatureFlag = 1 }

    answer FeatureFlag {
        name: always string = 1,
        enabled: bool = 2,
    }

    request VersionRequest {}

    answer VersionResponse { querier_api: always uint64 = 1 as "QuerierAPI" }
}
