//! Requests recorded from published agents, read without the core's own readers.

/// A request as it came over the wire.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Where it stands in the corpus.
    pub name: String,
    /// Request line and headers, with the blank line that ends them.
    pub head: Vec<u8>,
    /// The body.
    pub body: Vec<u8>,
}

impl Recorded {
    /// Takes a stored head, which may end its lines with `\n` alone, and its body.
    pub fn parse(name: String, head: &[u8], body: Vec<u8>) -> Self {
        let text = std::str::from_utf8(head).expect("a head is ASCII");
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        Self {
            name,
            head: format!("{}\r\n\r\n", lines.join("\r\n")).into_bytes(),
            body,
        }
    }

    /// The head as another tenant would send it.
    pub fn head_of_tenant(&self, tenant: &str) -> Vec<u8> {
        const TENANT: &str = "x-scope-orgid:";
        let head = String::from_utf8_lossy(&self.head);
        let others = head
            .lines()
            .filter(|line| !line.to_ascii_lowercase().starts_with(TENANT) && !line.is_empty());
        let lines: Vec<&str> = others.collect();
        format!("{}\r\n{TENANT} {tenant}\r\n\r\n", lines.join("\r\n")).into_bytes()
    }

    /// The query parameter of that name, decoded.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let head = String::from_utf8_lossy(&self.head);
        let target = head.split(' ').nth(1)?;
        let query = target.split_once('?')?.1;
        form_urlencoded::parse(query.as_bytes())
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.into_owned())
    }

    /// The application that the request names, which is its service.
    pub fn service(&self) -> String {
        let name = self.parameter("name").expect("every push has a name");
        name.split('{').next().unwrap_or("").to_owned()
    }

    /// The profile: the part `profile` of a form, else the body.
    pub fn profile(&self) -> &[u8] {
        if self.boundary().is_none() {
            &self.body
        } else {
            self.part("profile").expect("a form has a profile")
        }
    }

    /// A part of a multipart body.
    pub fn part(&self, name: &str) -> Option<&[u8]> {
        let delimiter = format!("--{}", self.boundary()?);
        let header = format!("name=\"{name}\"");
        let mut starts = positions(&self.body, delimiter.as_bytes());
        starts.push(self.body.len());
        starts.windows(2).find_map(|ends| {
            let part = &self.body[ends[0] + delimiter.len()..ends[1]];
            let blank = positions(part, b"\r\n\r\n").first().copied()?;
            let named = String::from_utf8_lossy(&part[..blank]).contains(&header);
            named.then(|| &part[blank + 4..part.len() - 2])
        })
    }

    fn boundary(&self) -> Option<String> {
        let head = String::from_utf8_lossy(&self.head).into_owned();
        let line = head.lines().find(|line| {
            line.to_ascii_lowercase()
                .starts_with("content-type: multipart/form-data")
        })?;
        line.split_once("boundary=")
            .map(|(_, boundary)| boundary.trim().to_owned())
    }
}

fn positions(haystack: &[u8], needle: &[u8]) -> Vec<usize> {
    haystack
        .windows(needle.len())
        .enumerate()
        .filter(|(_, window)| *window == needle)
        .map(|(at, _)| at)
        .collect()
}
