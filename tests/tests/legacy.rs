//! Profiles in the formats from before `profile.proto`: real ones, and small ones drawn here for what those lack.
