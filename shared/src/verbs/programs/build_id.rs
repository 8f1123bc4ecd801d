//! Build ids: what one program is told by, in the forms that profilers write it in.
//!
//! A GNU build id is 20 bytes, mostly; a UUID of Mach-O 16. Breakpad and Firefox write the first 16
//! bytes as a GUID, whose first three numbers are turned round for ELF, and an age, which is 0.

/// Fewest characters of an id: a hash of 32 bits.
const LEAST: usize = 8;

/// A build id, whatever tool wrote it.
#[derive(Clone, Debug)]
pub struct BuildId {
    plain: String,
    /// As Breakpad writes it.
    of_breakpad: [Option<String>; 2],
}

impl BuildId {
    /// Reads one. `None` for what tells no program: nothing, a few characters, or zeros.
    pub fn of(text: &str) -> Option<Self> {
        let plain: String = text
            .chars()
            .filter(|&c| c != '-')
            .map(|c| c.to_ascii_lowercase())
            .collect();
        if plain.len() < LEAST || plain.bytes().all(|b| b == b'0') {
            return None;
        }
        let is_hex = plain.bytes().all(|b| b.is_ascii_hexdigit());
        let start = plain.get(..32).filter(|_| is_hex);
        let uuid = start.filter(|_| plain.len() == 32);
        Some(Self {
            of_breakpad: [
                start.map(|start| format!("{}0", guid(start))),
                uuid.map(|start| format!("{start}0")),
            ],
            plain,
        })
    }

    /// Whether both are of one program.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_of = |a: &Self, b: &Self| {
            let mut forms = b.of_breakpad.iter().flatten();
            forms.any(|form| *form == a.plain)
        };
        self.plain == other.plain || is_of(self, other) || is_of(other, self)
    }
}

/// 32 digits, the first three numbers of 4, 2 and 2 bytes in the other order of bytes.
fn guid(digits: &str) -> String {
    const ORDER: [usize; 8] = [3, 2, 1, 0, 5, 4, 7, 6];
    let turned = ORDER.map(|byte| &digits[byte * 2..byte * 2 + 2]);
    turned.concat() + &digits[16..]
}

/// A build id as digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same_build(a: &str, b: &str) -> bool {
        let [a, b] = [a, b].map(BuildId::of);
        a.zip(b).is_some_and(|(a, b)| a.is_same(&b))
    }

    #[test]
    fn one_program_has_several_forms_of_its_id() {
        let gnu = "0123456789abcdef00112233445566778899aabb";
        assert!(is_same_build(
            gnu,
            "0123456789ABCDEF00112233445566778899AABB"
        ));
        assert!(is_same_build(gnu, "67452301AB89EFCD00112233445566770"));
        let uuid = "01234567-89AB-CDEF-0011-223344556677";
        assert!(is_same_build(uuid, "0123456789abcdef0011223344556677"));
        assert!(is_same_build(uuid, "0123456789ABCDEF00112233445566770"));
        assert!(!is_same_build(
            gnu,
            "0123456789abcdef00112233445566778899aabc"
        ));
        assert!(!is_same_build("", ""));
        assert!(!is_same_build(&"0".repeat(40), &"0".repeat(40)));
        assert!(!is_same_build("ab", "ab"), "that is no hash");
        assert!(is_same_build("go-build-id/ä", "go-build-id/ä"));
        assert_eq!(hex(&[0, 0xab]), "00ab");
    }
}
