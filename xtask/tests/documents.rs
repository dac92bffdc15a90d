//! The project's own documents.

use std::fs;
use std::path::Path;
use std::process::Command;

/// What somebody writes who means to come back.
const PLACEHOLDERS: [&str; 5] = ["BENCH_TABLE", "TODO", "TBD", "FIXME", "XXX"];

#[test]
fn no_document_has_a_placeholder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let listed = Command::new("git").args(["ls-files", "-z", "*.md"]).current_dir(&root).output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let names = String::from_utf8(listed.stdout).unwrap();
    let names: Vec<&str> = names.split_terminator('\0').collect();
    assert!(names.contains(&"README.md"), "{names:?}");
    let mut found = Vec::new();
    // A file that was just deleted is listed until the next commit.
    for (name, text) in
        names.iter().filter_map(|name| Some((name, fs::read_to_string(root.join(name)).ok()?)))
    {
        for (line, text) in (1..).zip(text.lines()) {
            let words = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
            let held = words.filter(|word| PLACEHOLDERS.contains(word));
            found.extend(held.map(|word| format!("{name}:{line}: {word}")));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
