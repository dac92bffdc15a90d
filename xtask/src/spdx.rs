//! Licence expressions: `MIT OR Apache-2.0`, `(MIT OR ISC) AND Unicode-3.0`, `Apache-2.0 WITH LLVM-exception`.
//!
//! | grammar | |
//! |---|---|
//! | expression | term { `OR` term } |
//! | term | factor { `AND` factor } |
//! | factor | `(` expression `)`, or a licence [ `WITH` exception ] |
//!
//! Old manifests write `MIT/Apache-2.0`; the slash means OR.

/// Whether one can comply with the expression by complying only with `allowed` licences.
pub(crate) fn satisfied(expression: &str, allowed: &[String]) -> Result<bool, String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut reader = Reader { words: spaced.split_whitespace().collect(), next: 0, allowed };
    let verdict = reader.expression().and_then(|verdict| match reader.take() {
        None => Ok(verdict),
        Some(word) => Err(format!("'{word}' is one word too many")),
    });
    verdict.map_err(|error| format!("licence '{expression}': {error}"))
}

struct Reader<'a> {
    words: Vec<&'a str>,
    next: usize,
    allowed: &'a [String],
}

impl<'a> Reader<'a> {
    fn expression(&mut self) -> Result<bool, String> {
        let mut verdict = self.term()?;
        while self.take_if("OR") {
            verdict |= self.term()?;
        }
        Ok(verdict)
    }

    fn term(&mut self) -> Result<bool, String> {
        let mut verdict = self.factor()?;
        while self.take_if("AND") {
            verdict &= self.factor()?;
        }
        Ok(verdict)
    }

    fn factor(&mut self) -> Result<bool, String> {
        match self.take() {
            None => Err("it ends where a licence should stand".to_owned()),
            Some("(") => {
                let verdict = self.expression()?;
                if self.take_if(")") { Ok(verdict) } else { Err("a ')' is missing".to_owned()) }
            }
            Some(word @ (")" | "OR" | "AND" | "WITH")) => {
                Err(format!("'{word}' where a licence should stand"))
            }
            Some(license) => Ok(self.license(license)?),
        }
    }

    /// An exception makes another licence of it, which has to be allowed as such.
    fn license(&mut self, license: &str) -> Result<bool, String> {
        if !self.take_if("WITH") {
            return Ok(self.allowed.iter().any(|allowed| allowed == license));
        }
        let exception = self.take().ok_or("WITH without an exception")?;
        Ok(self.allowed.contains(&format!("{license} WITH {exception}")))
    }

    fn take(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.next).copied()?;
        self.next += 1;
        Some(word)
    }

    fn take_if(&mut self, wanted: &str) -> bool {
        let is_next = self.words.get(self.next) == Some(&wanted);
        self.next += usize::from(is_next);
        is_next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With MIT, ISC and Apache-2.0 WITH LLVM-exception allowed.
    fn verdict(expression: &str) -> Result<bool, String> {
        satisfied(expression, &["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned))
    }

    #[test]
    fn one_allowed_alternative_is_enough() {
        assert_eq!(verdict("GPL-3.0 OR MIT"), Ok(true));
        assert_eq!(verdict("MIT/GPL-3.0"), Ok(true));
        assert_eq!(verdict("GPL-3.0 OR AGPL-3.0"), Ok(false));
    }

    #[test]
    fn every_part_of_a_conjunction_is_needed() {
        assert_eq!(verdict("MIT AND ISC"), Ok(true));
        assert_eq!(verdict("MIT AND GPL-3.0"), Ok(false));
    }

    #[test]
    fn and_binds_tighter_than_or_and_parentheses_bind_tighter_than_both() {
        assert_eq!(verdict("MIT OR ISC AND GPL-3.0"), Ok(true));
        assert_eq!(verdict("(MIT OR ISC) AND GPL-3.0"), Ok(false));
        assert_eq!(verdict("(GPL-3.0 OR MIT) AND (ISC)"), Ok(true));
    }

    #[test]
    fn a_licence_with_an_exception_is_not_the_licence_without() {
        assert_eq!(verdict("Apache-2.0 WITH LLVM-exception"), Ok(true));
        assert_eq!(verdict("Apache-2.0"), Ok(false));
        assert_eq!(verdict("MIT WITH LLVM-exception"), Ok(false));
    }

    #[test]
    fn what_is_no_expression_is_refused_and_not_guessed() {
        for broken in ["", "MIT OR", "AND MIT", "(MIT", "MIT)", "MIT ISC", "MIT WITH", "()", "MIT or GPL-3.0"]
        {
            assert!(verdict(broken).is_err(), "{broken}");
        }
    }
}
