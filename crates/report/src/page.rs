//! One self-contained HTML page: pictures inside, nothing from the network, readable on a phone.

use crate::claims::{Claim, summary};
use crate::picture::Picture;
use crate::svg::escape;
use std::fmt::Write;

/// A page of figures.
#[derive(Clone, Debug)]
pub struct Page {
    /// At the top and in the window's title.
    pub title: String,
    /// What was run, and by which command.
    pub introduction: String,
    /// The figures in their order.
    pub figures: Vec<Figure>,
    /// Lists at the end, each with a heading: e.g. what is not there yet.
    pub lists: Vec<(String, Vec<String>)>,
}

/// One figure with all that belongs to it.
#[derive(Clone, Debug)]
pub struct Figure {
    /// E.g. `poseidon/fig7a`.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The question that it answers and how.
    pub text: String,
    /// Its pictures.
    pub charts: Vec<Picture>,
    /// Its claims.
    pub claims: Vec<Claim>,
    /// Names and values of what was set.
    pub settings: Vec<(String, String)>,
    /// Names and texts of files, or parts of files, that say the rest.
    pub texts: Vec<(String, String)>,
}

/// A page that leads to others.
#[derive(Clone, Debug)]
pub struct Index {
    /// At the top and in the window's title.
    pub title: String,
    /// What was run, and by which command.
    pub introduction: String,
    /// The pages in their order.
    pub pages: Vec<Entry>,
    /// Lists at the end, each with a heading.
    pub lists: Vec<(String, Vec<String>)>,
}

/// A page that an index leads to.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it is called.
    pub title: String,
    /// Where it is, relative to the index.
    pub address: String,
    /// All claims on it.
    pub claims: Vec<Claim>,
}

pub(crate) const STYLE: &str = "\
:root{color-scheme:light}\
*{box-sizing:border-box}\
body{font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;color:#222;background:#fff;\
max-width:64rem;margin:0 auto;padding:1rem}\
h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.25rem;margin:2.5rem 0 .25rem;border-top:1px solid #ddd;\
padding-top:1rem}\
.id{color:#595959;font-weight:normal;font-size:.9rem}\
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,21rem),1fr));gap:1rem}\
.charts svg{width:100%;height:auto;border:1px solid #eee}\
.scroll{overflow-x:auto}\
table{border-collapse:collapse;width:100%;font-size:.9rem;margin:.75rem 0}\
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #e5e5e5}\
th{color:#595959;font-weight:600}\
.pass{color:#00694c;font-weight:600}.differs{color:#8a4b00;font-weight:600}\
.FAIL{color:#fff;background:#b3261e;font-weight:600;padding:0 .4rem}\
pre{font-size:.8rem;line-height:1.35;background:#f7f7f7;padding:.6rem;overflow-x:auto}\
@media (max-width:40rem){\
.claims tr:first-child{display:none}.claims tr{display:block;border-bottom:1px solid #ccc;padding:.5rem 0}\
.claims td{display:block;border:0;padding:.05rem 0;overflow-wrap:anywhere}\
.claims td[data-label]::before{content:attr(data-label) \": \";color:#595959}}\
details{margin:.5rem 0}summary{cursor:pointer;color:#595959}\
code{font-size:.9em;background:#f4f4f4;padding:0 .2em}\
@media print{h2{break-after:avoid}.charts svg{break-inside:avoid}}";

impl Page {
    /// The page as HTML text. Writing to a `String` cannot fail, so results of `write!` are
    /// dropped.
    #[must_use]
    pub fn html(&self) -> String {
        let mut out = head(&self.title, &self.introduction);
        let claims: Vec<&Claim> = self.figures.iter().flat_map(|figure| &figure.claims).collect();
        let _ = writeln!(out, "<p><strong>{}</strong></p>", summary(claims.iter().copied()));
        write_claims(&mut out, &claims, &Details::At(""));
        for figure in &self.figures {
            figure.write(&mut out);
        }
        foot(&mut out, &self.lists);
        out
    }
}

impl Index {
    /// The page as HTML text.
    #[must_use]
    pub fn html(&self) -> String {
        let mut out = head(&self.title, &self.introduction);
        let all = self.pages.iter().flat_map(|page| &page.claims);
        let _ = writeln!(out, "<p><strong>{}</strong></p>", summary(all));
        for Entry { title, address, claims } in &self.pages {
            let (title, link) = (escape(title), escape(address));
            let _ = writeln!(out, "<h2><a href=\"{link}\">{title}</a></h2>\n<p>{}</p>", summary(claims));
            write_claims(&mut out, &claims.iter().collect::<Vec<_>>(), &Details::At(address));
        }
        foot(&mut out, &self.lists);
        out
    }
}

fn head(title: &str, introduction: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{}</p>\n",
        rich(introduction)
    )
}

fn foot(out: &mut String, lists: &[(String, Vec<String>)]) {
    for (heading, items) in lists {
        let _ = writeln!(out, "<h2>{}</h2>\n<ul>", escape(heading));
        for item in items {
            let _ = writeln!(out, "<li>{}</li>", rich(item));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</body>\n</html>\n");
}

impl Figure {
    fn write(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "<section id=\"{}\">\n<h2>{} <span class=\"id\">{}</span></h2>",
            anchor(&self.id),
            escape(&self.title),
            escape(&self.id)
        );
        let _ = writeln!(out, "<p>{}</p>", rich(&self.text));
        if !self.charts.is_empty() {
            out.push_str("<div class=\"charts\">\n");
            for chart in &self.charts {
                out.push_str(&chart.svg());
            }
            out.push_str("</div>\n");
        }
        write_claims(out, &self.claims.iter().collect::<Vec<_>>(), &Details::Here);
        if !self.settings.is_empty() {
            out.push_str("<details><summary>Settings</summary>\n<div class=\"scroll\"><table>\n");
            for (name, value) in &self.settings {
                let _ = writeln!(out, "<tr><th>{}</th><td>{}</td></tr>", escape(name), escape(value));
            }
            out.push_str("</table></div></details>\n");
        }
        for (name, text) in &self.texts {
            let (name, text) = (rich(name), verbatim(text));
            let _ = writeln!(out, "<details><summary>{name}</summary>\n<pre>{text}</pre></details>");
        }
        out.push_str("</section>\n");
    }
}

/// Where the rest about claims stands.
enum Details<'a> {
    /// In the table itself.
    Here,
    /// At their figures on the page with this address; empty for the same.
    At(&'a str),
}

fn write_claims(out: &mut String, claims: &[&Claim], details: &Details<'_>) {
    if claims.is_empty() {
        return;
    }
    let (first, last) = match details {
        Details::Here => ("", "<th>Allowed, and why</th>"),
        Details::At(_) => ("<th>Figure</th>", ""),
    };
    let _ = writeln!(
        out,
        "<div class=\"scroll\"><table class=\"claims\">\n<tr>{first}<th>Claim</th><th>Paper</th><th>Ours</th><th></th>{last}</tr>"
    );
    for claim in claims {
        out.push_str("<tr>");
        if let Details::At(address) = details {
            let (id, address, anchor) = (escape(&claim.id), escape(address), anchor(&claim.id));
            let _ = write!(out, "<td><a href=\"{address}#{anchor}\">{id}</a></td>");
        }
        let _ = write!(out, "<td>{}</td>", escape(&claim.claim));
        // On a phone there are no columns, and so no headings above them.
        for (label, cell) in [("Paper", &claim.paper), ("Ours", &claim.ours_with_range())] {
            let _ = write!(out, "<td data-label=\"{label}\">{}</td>", escape(cell));
        }
        let word = claim.ruling.word();
        let _ = write!(out, "<td><span class=\"{word}\">{word}</span></td>");
        if let Details::Here = details {
            let _ = write!(out, "<td data-label=\"Allowed\">{}</td>", escape(&claim.note));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
}

/// Text whose lines stay.
fn verbatim(text: &str) -> String {
    text.lines().map(escape).collect::<Vec<_>>().join("\n")
}

/// A name that may stand after `#`.
fn anchor(id: &str) -> String {
    id.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect()
}

/// Text whose `code` stands between back quotes.
fn rich(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in escape(text).split('`').enumerate() {
        if index % 2 == 1 {
            let _ = write!(out, "<code>{part}</code>");
        } else {
            out.push_str(part);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Ruling;
    use crate::{Axis, Chart, Series};

    fn page() -> String {
        let claim = Claim {
            id: "poseidon/fig7a".into(),
            claim: "fast <b>".into(),
            paper: "15".into(),
            paper_number: Some(15.0),
            ours: "16".into(),
            ours_number: Some(16.0),
            ours_range: None,
            unit: String::new(),
            ruling: Ruling::Holds,
            note: "because".into(),
        };
        let chart = Chart {
            title: "Ramp".into(),
            x: Axis::linear("x"),
            y: Axis::linear("y"),
            series: vec![Series::line("a", [(0.0, 0.0), (1.0, 1.0)])],
            notes: vec![],
        };
        let figure = Figure {
            id: "poseidon/fig7a".into(),
            title: "Ramp".into(),
            text: "With `m = 0.25`.".into(),
            charts: vec![chart.into()],
            claims: vec![
                claim.clone(),
                Claim { ruling: Ruling::Differs, ..claim.clone() },
                Claim { ruling: Ruling::Fails, ..claim },
            ],
            settings: vec![("m".into(), "0.25".into())],
            texts: vec![("`scenario.toml`".into(), "[cc]\nlaw = \"poseidon\" # <1".into())],
        };
        let lists = vec![("Not there yet".into(), vec!["poseidon/fig8".into()])];
        Page { title: "Results".into(), introduction: "By `plimsoll`.".into(), figures: vec![figure], lists }
            .html()
    }

    #[test]
    fn claims_pictures_settings_and_lists_are_in_the_page() {
        let page = page();
        for wanted in [
            "1 of 3 claims hold, 1 differs",
            "fast &lt;b&gt;",
            "<svg",
            "<code>m = 0.25</code>",
            "<span class=\"FAIL\">FAIL</span>",
            "<span class=\"differs\">differs</span>",
            ".differs{",
            "poseidon/fig8",
            "href=\"#poseidon-fig7a\"",
            "id=\"poseidon-fig7a\"",
        ] {
            assert!(page.contains(wanted), "{wanted}");
        }
    }

    #[test]
    fn lines_of_files_stay_lines() {
        let text = "<summary><code>scenario.toml</code></summary>\n<pre>[cc]\nlaw = &quot;poseidon&quot; # &lt;1</pre>";
        assert!(page().contains(text), "{}", page());
    }

    #[test]
    fn an_index_leads_to_figures_on_other_pages() {
        let claim = Claim {
            id: "poseidon/fig7a".into(),
            claim: "ramp".into(),
            paper: "15".into(),
            paper_number: Some(15.0),
            ours: "16".into(),
            ours_number: Some(16.0),
            ours_range: None,
            unit: String::new(),
            ruling: Ruling::Holds,
            note: "because".into(),
        };
        let entry =
            Entry { title: "Poseidon".into(), address: "poseidon/report.html".into(), claims: vec![claim] };
        let index =
            Index { title: "All".into(), introduction: String::new(), pages: vec![entry], lists: vec![] };
        let html = index.html();
        for wanted in
            ["href=\"poseidon/report.html\"", "href=\"poseidon/report.html#poseidon-fig7a\"", "1 of 1 claims"]
        {
            assert!(html.contains(wanted), "{wanted}");
        }
    }

    #[test]
    fn the_page_loads_nothing() {
        // The SVG namespace is a name, not an address that anybody visits.
        let page = page().replace("http://www.w3.org/2000/svg", "");
        for foreign in ["http:", "https:", "src=", "url(", "@import", "<script", "<link"] {
            assert!(!page.contains(foreign), "{foreign}");
        }
    }
}
