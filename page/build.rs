//! Takes in the front end anew when the bundle has changed, also where there was none before.

fn main() {
    println!("cargo::rerun-if-changed=dist");
    println!("cargo::rerun-if-changed=build.rs");
}
