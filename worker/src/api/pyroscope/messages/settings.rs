//! `settings.v1`: what a tenant keeps for its pages in Grafana.

messages! {
    both Setting {
        name: string = 1,
        value: string = 2,
        /// Milliseconds since the epoch.
        modified_at: int64 = 3,
    }

    request GetSettingsRequest {}

    answer GetSettingsResponse { settings: repeated Setting = 1 }

    request SetSettingsRequest { setting: optional Setting = 1 }

    answer SetSettingsResponse { setting: optional Setting = 1 }

    request DeleteSettingsRequest { name: string = 1 }

    answer DeleteSettingsResponse {}
}
