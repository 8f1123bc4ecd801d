//! An attempt to send a message, and why it failed.

/// Statuses of a message that won't be accepted later either.
const REFUSED: [u16; 3] = [400, 413, 422];

/// Why a message wasn't accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SendError {
    /// The status and the beginning of the body.
    Status(u16, String),
    /// Why there was no response.
    NoResponse(String),
}

/// An attempt to send a message to a receiver.
pub(super) struct Attempt {
    pub(super) receiver: String,
    /// The URL at the time: another one may have taken the receiver's place meanwhile.
    pub(super) url: String,
    pub(super) message: String,
    pub(super) outcome: Result<(), SendError>,
}

impl SendError {
    /// Whether the message itself is at fault.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self, Self::Status(status, _) if REFUSED.contains(status))
    }

    /// For everyone who may see alerts: responses and errors of requests can repeat a secret URL.
    pub(super) fn summary(&self) -> String {
        match self {
            Self::Status(status, _) => format!("the receiver returned {status}"),
            Self::NoResponse(_) => "the receiver didn't respond".to_owned(),
        }
    }

    /// For administrators.
    pub(super) fn details(&self) -> String {
        let summary = self.summary();
        let (Self::Status(_, text) | Self::NoResponse(text)) = self;
        match text.is_empty() {
            true => summary,
            false => format!("{summary}: {text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors() {
        let status = |status| SendError::Status(status, "no".to_owned());
        assert_eq!(status(503).summary(), "the receiver returned 503");
        assert_eq!(status(503).details(), "the receiver returned 503: no");
        assert!(status(413).is_refusal() && !status(503).is_refusal());
        let lost = SendError::NoResponse("no response within 10 s".to_owned());
        assert_eq!(lost.summary(), "the receiver didn't respond");
        assert!(!lost.is_refusal());
        assert_eq!(
            SendError::Status(500, String::new()).details(),
            "the receiver returned 500"
        );
    }
}
