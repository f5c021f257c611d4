//! Stages of a table on its way: the model and the tape of a scenario, as `situ emit` prints them.

use std::process::Command;

use crate::tables::root;

fn emit(stage: &str) -> String {
    let said = Command::new(env!("CARGO_BIN_EXE_situ-for-tests"))
        .args(["emit", stage, "scenarios/hoop_drag/zero_in_contact.ron"])
        .env("LC_ALL", "C")
        .current_dir(root())
        .output()
        .unwrap();
    assert!(said.status.success());
    String::from_utf8(said.stdout).unwrap()
}

#[test]
fn model() {
    insta::assert_snapshot!(emit("model"));
}

#[test]
fn tape() {
    insta::assert_snapshot!(emit("tape"));
}
