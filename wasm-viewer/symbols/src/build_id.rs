//! Build ids: what one program is told by, in the forms that profilers write it in.
//!
//! A GNU build id is 20 bytes, mostly; a UUID of Mach-O 16. Breakpad and Firefox write the first 16
//! bytes as a GUID, whose first three numbers are turned round for ELF, and an age, which is 0.

/// Digits of a GUID and its age.
const BREAKPAD: usize = 33;

/// Whether two ids are of one program; no id is of none.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let (a, b) = (plain(a), plain(b));
    !a.is_empty() && (a == b || is_breakpad_of(&a, &b) || is_breakpad_of(&b, &a))
}

fn plain(id: &str) -> String {
    let kept = id.chars().filter(|&c| c != '-');
    kept.map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether an id is what Breakpad makes of another.
fn is_breakpad_of(breakpad: &str, id: &str) -> bool {
    let is_hex = id.bytes().all(|b| b.is_ascii_hexdigit());
    let Some(start) = id
        .get(..32)
        .filter(|_| is_hex && breakpad.len() == BREAKPAD)
    else {
        return false;
    };
    breakpad == format!("{}0", guid(start)) || (id.len() == 32 && breakpad == format!("{start}0"))
}

/// 32 digits, the first three numbers of 4, 2 and 2 bytes in the other order of bytes.
fn guid(digits: &str) -> String {
    const ORDER: [usize; 8] = [3, 2, 1, 0, 5, 4, 7, 6];
    let turned = ORDER.map(|byte| &digits[byte * 2..byte * 2 + 2]);
    turned.concat() + &digits[16..]
}

/// Bytes as digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_program_has_several_forms_of_its_id() {
        let gnu = "0123456789abcdef00112233445566778899aabb";
        assert!(same(gnu, "0123456789ABCDEF00112233445566778899AABB"));
        assert!(same(gnu, "67452301AB89EFCD00112233445566770"));
        let uuid = "01234567-89AB-CDEF-0011-223344556677";
        assert!(same(uuid, "0123456789abcdef0011223344556677"));
        assert!(same(uuid, "0123456789ABCDEF00112233445566770"));
        assert!(!same(gnu, "0123456789abcdef00112233445566778899aabc"));
        assert!(!same("", ""));
        assert!(same("go-id/ä", "go-id/ä"));
        assert_eq!(hex(&[0, 0xab]), "00ab");
    }
}
