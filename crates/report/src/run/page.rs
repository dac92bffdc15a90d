//! One page about a run: nothing from the network, readable on a phone.

use super::Picture;
use crate::page::STYLE;
use crate::svg::escape;
use std::fmt::Write;

/// A page about a run.
#[derive(Clone, Debug)]
pub struct RunPage<'a> {
    /// At the top and in the window's title.
    pub title: &'a str,
    /// What was run.
    pub introduction: &'a str,
    /// Names and values.
    pub summary: &'a [(String, String)],
    /// The pictures.
    pub pictures: &'a [Picture],
    /// Everything that was set, as text.
    pub settings: &'a str,
}

impl RunPage<'_> {
    /// The page as HTML text. Writing to a `String` cannot fail, so results of `write!` are dropped.
    #[must_use]
    pub fn html(&self) -> String {
        let title = escape(self.title);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}pre{{overflow-x:auto;font-size:.85rem}}</style>\n</head>\n\
             <body>\n<h1>{title}</h1>\n"
        );
        if !self.introduction.is_empty() {
            let _ = writeln!(out, "<p>{}</p>", escape(self.introduction));
        }
        out.push_str("<div class=\"scroll\"><table>\n");
        for (name, value) in self.summary {
            let _ = writeln!(out, "<tr><th>{}</th><td>{}</td></tr>", escape(name), escape(value));
        }
        out.push_str("</table></div>\n<div class=\"charts\">\n");
        for picture in self.pictures {
            out.push_str(&picture.chart.svg());
        }
        out.push_str("</div>\n<details><summary>Settings (run.toml)</summary>\n<pre>");
        // Lines stay lines: only what HTML reads as its own is replaced.
        out.push_str(&self.settings.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"));
        out.push_str("</pre></details>\n</body>\n</html>\n");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Chart, Series};

    #[test]
    fn summary_pictures_and_settings_are_in_the_page_which_loads_nothing() {
        let chart = Chart {
            title: "Queue".into(),
            x: Axis::linear("x"),
            y: Axis::linear("y"),
            series: vec![Series::line("a", [(0.0, 0.0), (1.0, 1.0)])],
            notes: vec![],
        };
        let page = RunPage {
            title: "incast16 & more",
            introduction: "Two <b>",
            summary: &[("flows".into(), "16 of 16".into())],
            pictures: &[Picture { name: "queue", chart }],
            settings: "[cc]\nlaw = \"hpcc\"\n",
        };
        let html = page.html();
        for wanted in ["incast16 &amp; more", "Two &lt;b&gt;", "16 of 16", "<svg", "[cc]\nlaw = \"hpcc\"\n"] {
            assert!(html.contains(wanted), "{wanted}");
        }
        // The SVG namespace is a name, not an address that anybody visits.
        let html = html.replace("http://www.w3.org/2000/svg", "");
        for foreign in ["http:", "https:", "src=", "url(", "<script", "<link"] {
            assert!(!html.contains(foreign), "{foreign}");
        }
    }
}
