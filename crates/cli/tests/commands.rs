//! The commands from outside: what they print, what they write, how they exit.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own for each test, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("plimsoll-cli-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn reproduce(folder: &Folder, arguments: &[&str]) -> Output {
    let path = folder.0.join("results").display().to_string();
    run(&[&["reproduce", "--quick", "--out", &path][..], arguments].concat())
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

mod reproducing {
    use super::*;

    #[test]
    fn no_claim_fails_and_what_differs_is_said() {
        let folder = Folder::new("all");
        for paper in ["vai-sf/fig4", "rpm/lemma1"] {
            let output = reproduce(&folder, &[paper]);
            let text = out(&output);
            assert_eq!(code(&output), 0, "{text}{}", err(&output));
            assert!(text.contains(paper) && text.contains("pass") && !text.contains("FAIL"), "{text}");
            let end = "claims hold, 1 differs from the paper as explained in its README.";
            assert!(text.lines().any(|line| line.ends_with(end)), "{text}");
            let page = folder.0.join("results").join(paper).join("report.html");
            assert!(text.ends_with(&format!("Everything on one page: {}\n", page.display())), "{text}");
            assert!(text.lines().rev().skip(1).all(|line| line.chars().count() <= 100), "{text}");
        }
    }

    #[test]
    fn a_figure_with_packets_is_run_once_and_its_run_is_kept() {
        let folder = Folder::new("packets");
        let first = reproduce(&folder, &["poseidon/fig2", "--json"]);
        let rows: serde_json::Value = serde_json::from_slice(&first.stdout).unwrap();
        let row = &rows[0];
        assert_eq!((&row["id"], &row["pass"]), (&"poseidon/fig2".into(), &true.into()), "{row}");
        // The victim keeps something, and loses more than it would by a fair third instead of a half.
        let drop = row["ours"].as_f64().unwrap();
        assert!((0.0..0.67).contains(&drop), "{drop}");
        let picture = folder.0.join("results/poseidon/fig2/rates.png");
        assert!(fs::read(picture).unwrap().starts_with(b"\x89PNG"));

        let runs = || files(&folder.0.join("results/runs"));
        let written = |path: &PathBuf| fs::metadata(path).unwrap().modified().unwrap();
        let before: Vec<_> = runs().iter().map(written).collect();
        let again = reproduce(&folder, &["poseidon/fig2", "--json"]);
        assert_eq!(first.stdout, again.stdout);
        assert_eq!(runs().iter().map(written).collect::<Vec<_>>(), before, "nothing is run twice");
        reproduce(&folder, &["poseidon/fig2", "--json", "--fresh"]);
        assert_ne!(runs().iter().map(written).collect::<Vec<_>>(), before, "unless asked for");
    }

    #[test]
    fn an_edited_scenario_is_used_and_refused_if_it_cannot_work() {
        let folder = Folder::new("edited");
        let scenario = folder.0.join("papers/poseidon/fig2/scenario.toml");
        fs::create_dir_all(scenario.parent().unwrap()).unwrap();
        let text = include_str!("../../../papers/poseidon/fig2/scenario.toml");
        // There are 200 hosts.
        fs::write(&scenario, text.replace("from = 110", "from = 999")).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
            .args(["reproduce", "poseidon/fig2", "--quick"])
            .current_dir(&folder.0)
            .output()
            .unwrap();
        assert_eq!(code(&output), 2);
        let error = err(&output);
        assert!(error.contains("papers/poseidon/fig2/scenario.toml") && error.contains("999"), "{error}");
    }

    #[test]
    fn every_picture_that_is_named_exists_as_png_and_svg() {
        let folder = Folder::new("pictures");
        let output = reproduce(&folder, &["powertcp/fig3"]);
        let text = out(&output);
        let pictures: Vec<&str> = text.lines().map(str::trim).filter(|line| line.ends_with(".png")).collect();
        assert_eq!(pictures.len(), 3, "{text}");
        for picture in pictures {
            assert!(fs::read(picture).unwrap().starts_with(b"\x89PNG"), "{picture}");
            let svg = Path::new(picture).with_extension("svg");
            assert!(fs::read_to_string(svg).unwrap().starts_with("<svg"), "{picture}");
        }
        let parts = files(&folder.0).into_iter().filter(|path| path.to_string_lossy().ends_with(".part"));
        assert_eq!(parts.count(), 0, "no half file stays");
    }

    #[test]
    fn the_page_stands_alone_and_is_small() {
        let folder = Folder::new("page");
        reproduce(&folder, &["vai-sf/fig4"]);
        let page = fs::read_to_string(folder.0.join("results/vai-sf/fig4/report.html")).unwrap();
        // The SVG namespace is a name, not an address that anybody visits.
        let rest = page.replace("http://www.w3.org/2000/svg", "");
        for foreign in ["http:", "https:", "src=", "url(", "@import", "<script", "<link"] {
            assert!(!rest.contains(foreign), "{foreign}");
        }
        assert!(page.contains("name=\"viewport\""), "readable on a phone");
        assert!(page.len() < 5_000_000, "{}", page.len());
        assert!(!page.contains("poseidon/"), "a paper has a page of its own");
    }

    #[test]
    fn json_is_an_array_of_claims_and_nothing_else() {
        let folder = Folder::new("json");
        let output = reproduce(&folder, &["--json", "poseidon/fig7a"]);
        let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = rows.as_array().unwrap();
        assert_eq!(rows.len(), 4);
        for row in rows {
            let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
            assert_eq!(keys.len(), 12);
            for key in ["id", "claim", "paper_text", "ours_text", "note"] {
                assert!(row[key].is_string(), "{key}");
            }
            assert!(row["paper"].is_number() && row["ours"].is_number());
            assert_eq!((&row["pass"], &row["verdict"]), (&true.into(), &"pass".into()));
        }
        assert_eq!((&rows[0]["paper"], &rows[0]["ours"]), (&15.0.into(), &16.0.into()));
        assert_eq!(rows[0]["ours_text"], "16 RTT");
    }

    #[test]
    fn one_figure_and_all_its_parts_can_be_chosen() {
        let folder = Folder::new("choose");
        let one = out(&reproduce(&folder, &["vai-sf/fig4"]));
        assert!(one.contains("vai-sf/fig4") && !one.contains("poseidon/fig7a "), "{one}");
        let parts = out(&reproduce(&folder, &["poseidon/fig7"]));
        assert!(parts.contains("poseidon/fig7a") && parts.contains("poseidon/fig7b"), "{parts}");
        assert!(!parts.contains("vai-sf/fig4"), "{parts}");
    }

    #[test]
    fn an_unknown_figure_lists_near_ones() {
        let output = run(&["reproduce", "poseidon/fig7c"]);
        assert_eq!(code(&output), 2);
        let text = err(&output);
        assert!(text.contains("no figure `poseidon/fig7c`"), "{text}");
        assert!(
            text.contains("near it: poseidon/fig7a, poseidon/fig7b, ")
                && text.contains("plimsoll list figures"),
            "{text}"
        );
    }

    #[test]
    fn a_figure_that_is_not_there_yet_says_so() {
        let output = run(&["reproduce", "powertcp/sec3.6"]);
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains("powertcp/sec3.6 is not reproduced: needs the authors' hardware"));
    }

    #[test]
    fn other_files_of_the_folder_stay() {
        let folder = Folder::new("stay");
        let mine = folder.0.join("results/mine.txt");
        fs::create_dir_all(mine.parent().unwrap()).unwrap();
        fs::write(&mine, "mine").unwrap();
        reproduce(&folder, &["rpm/alg1"]);
        assert_eq!(fs::read_to_string(mine).unwrap(), "mine");
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let folder = Folder::new("unwritable");
        let file = folder.file("results", "a file, not a folder");
        let output = reproduce(&folder, &["poseidon/fig7a"]);
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains(&file.display().to_string()), "{}", err(&output));
    }
}

mod listing_and_explaining {
    use super::*;

    #[test]
    fn every_listed_law_can_be_explained() {
        let laws: serde_json::Value = serde_json::from_slice(&run(&["list", "cc", "--json"]).stdout).unwrap();
        let laws = laws.as_array().unwrap();
        let places = |place: &str| laws.iter().filter(|law| law["place"] == place).count();
        assert!(places("sender") >= 13 && places("beside") == 6, "{laws:?}");
        for law in laws {
            let name = law["name"].as_str().unwrap();
            assert!(out(&run(&["list", "cc"])).contains(name));
            let output = run(&["explain", name]);
            assert_eq!(code(&output), 0, "{name}");
            let text = out(&output);
            for preset in law["presets"].as_array().unwrap() {
                assert!(text.contains(preset.as_str().unwrap()), "{name}: {preset}");
            }
        }
    }

    #[test]
    fn a_parameter_is_explained_with_bounds_and_published_values() {
        let text = out(&run(&["explain", "poseidon.m"]));
        for wanted in
            ["fairness needs less than 2", "a number from 0.001 to 1.999", "nsdi23", "0.25", "NSDI'23"]
        {
            assert!(text.contains(wanted), "{wanted} in {text}");
        }
    }

    #[test]
    fn laws_of_queues_marks_and_paths_and_the_host_are_explained_too() {
        for (name, wanted) in [
            ("codel", "interval"),
            ("red", "preset"),
            ("rpm", "slots"),
            ("host", "nic_rate"),
            ("plb", "round"),
            ("transport", "min_rto"),
        ] {
            assert!(out(&run(&["list", "cc"])).contains(&format!("\n  {name} ")), "{name} is listed");
            let output = run(&["explain", name]);
            assert_eq!(code(&output), 0, "{name}");
            assert!(out(&output).to_lowercase().contains(wanted), "{name}: {}", out(&output));
        }
    }

    #[test]
    fn unknown_names_suggest_near_ones() {
        let law = run(&["explain", "posseidon"]);
        assert_eq!(code(&law), 2);
        assert!(err(&law).contains("poseidon"), "{}", err(&law));
        let parameter = run(&["explain", "poseidon.max_rat"]);
        assert_eq!(code(&parameter), 2);
        assert!(err(&parameter).contains("poseidon.max_rate"), "{}", err(&parameter));
    }

    #[test]
    fn json_of_explain_and_of_figures_parses() {
        let law: serde_json::Value =
            serde_json::from_slice(&run(&["explain", "poseidon", "--json"]).stdout).unwrap();
        assert_eq!(law["name"], "poseidon");
        assert_eq!(law["parameters"][0]["key"], "p");
        let figures: serde_json::Value =
            serde_json::from_slice(&run(&["list", "figures", "--json"]).stdout).unwrap();
        let is_here = |figure: &&serde_json::Value| figure["reproduced"] == true;
        assert!(figures.as_array().unwrap().iter().filter(is_here).count() >= 96, "none was lost");
    }
}

mod checking {
    use super::*;

    #[test]
    fn a_good_file_is_printed_resolved_and_checks_again() {
        let folder = Folder::new("good");
        let file = folder.file("a.toml", "[cc]\nlaw = \"poseidon\"\nm = 0.5\n");
        let output = run(&["check", &file.display().to_string()]);
        assert_eq!(code(&output), 0, "{}", err(&output));
        let resolved = out(&output);
        assert!(resolved.contains("m = 0.5\n") && resolved.contains("p = \"40us\"\n"), "{resolved}");
        let again = folder.file("b.toml", &resolved);
        assert_eq!(out(&run(&["check", &again.display().to_string()])), resolved);
    }

    #[test]
    fn a_bad_value_names_file_line_column_key_and_bound() {
        let folder = Folder::new("bad");
        let file = folder.file("scenario.toml", "[cc]\nlaw = \"poseidon\"\nm = 3.0\n");
        let output = run(&["check", &file.display().to_string()]);
        assert_eq!(code(&output), 2);
        let text = err(&output);
        let wanted = format!("{}:3:5: `m = 3.0` is out of bounds", file.display());
        assert!(
            text.starts_with(&wanted) && text.contains("0.001 to 1.999") && text.contains("^^^"),
            "{text}"
        );
        assert_eq!(out(&output), "");
    }

    #[test]
    fn a_file_that_is_not_there_or_not_text_is_named() {
        let folder = Folder::new("absent");
        let output = run(&["check", "/no/such/file.toml"]);
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains("/no/such/file.toml"));
        let binary = folder.0.join("x.toml");
        fs::write(&binary, [0xff, 0xfe, 0x00]).unwrap();
        let output = run(&["check", &binary.display().to_string()]);
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains("x.toml"), "{}", err(&output));
    }

    #[test]
    fn standard_input_is_read_and_json_parses() {
        let mut child =
            command(&["check", "-", "--json"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"[cc]\nlaw = \"poseidon\"\n").unwrap();
        let output = child.wait_with_output().unwrap();
        let scenario: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(scenario["cc"]["law"], "poseidon");
    }
}

mod manners {
    use super::*;

    #[test]
    fn a_reader_that_leaves_early_is_no_error() {
        for arguments in [&["explain", "poseidon"][..], &["list", "figures"], &["completions", "bash"]] {
            let mut child = command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            // The pipe closes before anything is read.
            drop(child.stdout.take());
            let output = child.wait_with_output().unwrap();
            assert_eq!(code(&output), 0, "{arguments:?}");
            assert_eq!(err(&output), "", "{arguments:?}");
        }
    }

    #[test]
    fn wrong_usage_exits_with_2() {
        for arguments in [&["nonsense"][..], &["reproduce", "--nonsense"], &["list", "nonsense"], &[]] {
            assert_eq!(code(&run(arguments)), 2, "{arguments:?}");
        }
    }

    #[test]
    fn list_alone_says_what_can_be_listed() {
        let output = run(&["list"]);
        assert_eq!(code(&output), 0, "{}", err(&output));
        for what in ["cc", "scenarios", "topologies", "traffic", "figures"] {
            assert!(out(&output).lines().any(|line| line.starts_with(what)), "{what}");
        }
    }

    #[test]
    fn plot_says_what_is_no_folder_of_results_and_how_to_make_one() {
        let folder = Folder::new("no-results");
        let file = folder.file("file.txt", "");
        let nope = folder.0.join("nope");
        for (path, why) in [(&nope, "is not there"), (&file, "is a file"), (&folder.0, "no summary.json")] {
            let output = run(&["plot", path.to_str().unwrap()]);
            assert_eq!(code(&output), 2);
            let said = err(&output);
            assert!(said.contains("is no folder of results") && said.contains(why), "{said}");
            assert!(said.contains("plimsoll run SCENARIO --out DIR"), "{said}");
        }
    }

    #[test]
    fn completions_exist_for_the_usual_shells() {
        for shell in ["bash", "zsh", "fish"] {
            let output = run(&["completions", shell]);
            assert_eq!(code(&output), 0);
            assert!(out(&output).contains("reproduce"), "{shell}");
        }
    }

    #[test]
    fn manual_pages_are_written_for_every_command() {
        let folder = Folder::new("man");
        let path = folder.0.join("man1");
        assert_eq!(code(&run(&["man", &path.display().to_string()])), 0);
        for name in ["plimsoll", "plimsoll-reproduce", "plimsoll-check", "plimsoll-explain"] {
            let page = fs::read_to_string(path.join(format!("{name}.1"))).unwrap();
            assert!(page.contains(".TH"), "{name}");
        }
    }
}
