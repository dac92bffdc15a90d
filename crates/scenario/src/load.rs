//! Files that a scenario names.

/// Gives the text of files. The library itself reads none, so that it works in a browser too.
pub trait Loader {
    /// The text of the file at `path`, as the scenario writes it.
    ///
    /// # Errors
    /// Why it cannot be read, in words.
    fn load(&self, path: &str) -> Result<String, String>;
}

impl<F: Fn(&str) -> Result<String, String>> Loader for F {
    fn load(&self, path: &str) -> Result<String, String> {
        self(path)
    }
}

/// Has no files.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _path: &str) -> Result<String, String> {
        Err("there are no files here".to_owned())
    }
}
