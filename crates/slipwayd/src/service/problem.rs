//! Answers that are no payload. The client shows the body as it is, so it is one short line.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};

/// The longest text that an answer quotes of what was wrong, in characters.
const LONGEST: usize = 400;
/// When a refused caller should come back, in seconds.
const COME_BACK: &str = "1";

/// Why a request gets no payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Problem {
    #[error("there is nothing at this path")]
    NoSuchPath,
    #[error("this path takes GET only")]
    WrongMethod,
    #[error("show a bearer token or a client certificate that this service knows")]
    Unauthenticated,
    #[error("{0}")]
    Malformed(String),
    #[error("the body has more than {0} bytes")]
    TooLarge(usize),
    #[error("the header did not arrive in time")]
    SlowHeader,
    #[error("the body did not arrive in time")]
    SlowBody,
    #[error("this service does not know the cluster {0}")]
    UnknownCluster(String),
    #[error("{0}")]
    Refused(String),
    #[error("as many requests as this service takes are being answered; try again")]
    TooManyRequests,
    #[error("as many connections as this service takes are open; try again")]
    TooManyConnections,
    #[error("this service is about to stop; try again")]
    Stopping,
}

impl Problem {
    /// The status code, and the word for programs.
    pub(crate) fn code(&self) -> (StatusCode, &'static str) {
        match self {
            Self::NoSuchPath => (StatusCode::NOT_FOUND, "NotFound"),
            Self::WrongMethod => (StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed"),
            Self::Unauthenticated => (StatusCode::UNAUTHORIZED, "Unauthenticated"),
            Self::Malformed(_) => (StatusCode::BAD_REQUEST, "BadRequest"),
            Self::TooLarge(_) => (StatusCode::PAYLOAD_TOO_LARGE, "RequestTooLarge"),
            Self::SlowHeader | Self::SlowBody => (StatusCode::REQUEST_TIMEOUT, "RequestTimeout"),
            Self::UnknownCluster(_) => (StatusCode::NOT_FOUND, "ClusterNotFound"),
            Self::Refused(_) => (StatusCode::UNPROCESSABLE_ENTITY, "Unprocessable"),
            Self::TooManyRequests | Self::TooManyConnections => {
                (StatusCode::SERVICE_UNAVAILABLE, "Overloaded")
            }
            Self::Stopping => (StatusCode::SERVICE_UNAVAILABLE, "Stopping"),
        }
    }

    /// Whether the rest of what the caller sends is of no use.
    fn ends_connection(&self) -> bool {
        matches!(self, Self::TooLarge(_) | Self::SlowHeader | Self::SlowBody | Self::TooManyConnections)
    }

    /// The answer.
    pub(crate) fn answer(&self) -> Response<Full<Bytes>> {
        let (status, _) = self.code();
        let mut answer = Response::new(Full::new(self.body().into()));
        *answer.status_mut() = status;
        let fields = answer.headers_mut();
        fields.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if status == StatusCode::SERVICE_UNAVAILABLE {
            fields.insert(RETRY_AFTER, HeaderValue::from_static(COME_BACK));
        }
        if status == StatusCode::METHOD_NOT_ALLOWED {
            fields.insert(ALLOW, HeaderValue::from_static("GET"));
        }
        if status == StatusCode::UNAUTHORIZED {
            fields.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if self.ends_connection() {
            fields.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        answer
    }

    /// The answer as bytes, for connections on which no request was read.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let (status, _) = self.code();
        let body = self.body();
        let retry = if status == StatusCode::SERVICE_UNAVAILABLE {
            format!("retry-after: {COME_BACK}\r\n")
        } else {
            String::new()
        };
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{retry}\
             connection: close\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
    }

    fn body(&self) -> String {
        let mut message: String = self.to_string().replace(char::is_control, " ");
        if let Some((end, _)) = message.char_indices().nth(LONGEST) {
            message.truncate(end);
            message.push('…');
        }
        format!(r#"{{"code":"{}","message":{}}}"#, self.code().1, serde_json::Value::from(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_one_short_line_of_json_whatever_it_speaks_of() {
        for text in ["a\r\nb", "\"quoted\"", &"é".repeat(5000), "\u{0}"] {
            let body = Problem::Refused(text.to_owned()).body();
            assert!(!body.contains('\n') && body.chars().count() < 500, "{body}");
            let value: serde_json::Value = serde_json::from_str(&body).unwrap();
            assert_eq!(value["code"], "Unprocessable");
        }
    }

    #[test]
    fn whoever_is_refused_for_lack_of_room_is_told_when_to_come_back() {
        let bytes = String::from_utf8(Problem::TooManyConnections.bytes()).unwrap();
        assert!(bytes.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{bytes}");
        assert!(bytes.contains("retry-after: 1\r\n"), "{bytes}");
        assert_eq!(Problem::TooManyRequests.answer().headers()[RETRY_AFTER], "1");
    }
}
