//! `status.v1`: which server this is.

messages! {
    request GetBuildInfoRequest {}

    answer GetBuildInfoResponse {
        status: always string = 1,
        data: always optional GetBuildInfoData = 2,
    }

    /// Clients look for all of the fields, so JSON has those that are empty, too.
    answer GetBuildInfoData {
        version: always string = 1,
        revision: always string = 2,
        branch: always string = 3,
        build_user: always string = 4,
        build_date: always string = 5,
        go_version: always string = 6,
    }
}
