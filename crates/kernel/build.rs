//! Compiles the BPF programs, if they are wanted.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAMS: [&str; 7] = ["poseidon", "swift", "theta_powertcp", "powertcp", "telemetry", "stamp", "rpm"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=bpf");
    println!("cargo::rerun-if-env-changed=CLANG");
    if env::var_os("CARGO_FEATURE_BPF").is_none() {
        return;
    }
    if let Err(reason) = compile_all() {
        println!("cargo::error={reason}");
    }
}

fn compile_all() -> Result<(), String> {
    let variable = |name: &str| env::var(name).map_err(|error| format!("{name}: {error}"));
    let out = PathBuf::from(variable("OUT_DIR")?);
    // Where libbpf-sys has put the headers of libbpf.
    let libbpf = variable("DEP_BPF_INCLUDE")?;
    let machine = variable("CARGO_CFG_TARGET_ARCH")?;
    for name in PROGRAMS {
        let source = format!("bpf/{name}.bpf.c");
        compile(&source, &out.join(format!("{name}.bpf.o")), &libbpf, &machine)?;
    }
    Ok(())
}

fn compile(source: &str, object: &Path, libbpf: &str, machine: &str) -> Result<(), String> {
    let clang = env::var("CLANG").unwrap_or_else(|_| "clang".to_owned());
    let mut command = Command::new(&clang);
    command.args(["-target", "bpf", "-g", "-O2", "-std=gnu11", "-mcpu=v3", "-Wall", "-Werror", "-c"]);
    command.arg(format!("-D__TARGET_ARCH_{}", short(machine)));
    command.args(["-I", libbpf, "-I", &format!("/usr/include/{machine}-linux-gnu")]);
    command.arg(source).arg("-o").arg(object);
    let output = command.output().map_err(|error| {
        format!("`{clang}` compiles the kernel's programs and cannot be run ({error}): install it (on Debian: apt install clang), or name it in CLANG")
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).replace('\n', " | ");
    Err(format!("`{clang}` refuses {source}: {said}"))
}

/// What libbpf's headers call a machine.
fn short(machine: &str) -> &str {
    match machine {
        "x86_64" => "x86",
        "aarch64" => "arm64",
        other => other,
    }
}
