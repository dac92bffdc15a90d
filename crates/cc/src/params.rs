//! Parameters: typed, with units, bounds, documentation and named published sets.
//!
//! Each law declares its parameters once with [`parameters!`](crate::parameters); from that one
//! place come the struct, the reader for configuration text, the bounds check, and the
//! documentation that the command line prints. A value arrives here as a [`Value`], whatever
//! file format it came from: this crate allocates nothing and reads no files.

use core::fmt;
use plimsoll_units::{Bytes, ParseError, Rate, Span};

/// A value as configuration files have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A quoted text, e.g. `"40us"`.
    Text(&'a str),
    /// A number with a decimal point or exponent.
    Float(f64),
    /// A whole number.
    Integer(i64),
    /// `true` or `false`.
    Bool(bool),
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "\"{text}\""),
            Self::Float(number) => write!(f, "{number:?}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Bool(value) => write!(f, "{value}"),
        }
    }
}

/// A parameter's type and bounds, as shown to people and used by checks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// A time with a unit.
    Time(Span, Span),
    /// A rate with a unit.
    Rate(Rate, Rate),
    /// A size with a unit.
    Size(Bytes, Bytes),
    /// A number without unit.
    Number(f64, f64),
    /// A whole number.
    Count(u32, u32),
    /// `true` or `false`.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(low, high) => write!(f, "a time from \"{low}\" to \"{high}\""),
            Self::Rate(low, high) => write!(f, "a rate from \"{low}\" to \"{high}\""),
            Self::Size(low, high) => write!(f, "a size from \"{low}\" to \"{high}\""),
            Self::Number(low, high) => write!(f, "a number from {low:?} to {high:?}"),
            Self::Count(low, high) => write!(f, "a whole number from {low} to {high}"),
            Self::Switch => f.write_str("true or false"),
            Self::Choice(words) => {
                f.write_str("one of")?;
                words.iter().enumerate().try_for_each(|(index, word)| {
                    write!(f, "{} \"{word}\"", if index == 0 { "" } else { "," })
                })
            }
        }
    }
}

/// One parameter, for `explain` and for error messages.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The key in configuration files.
    pub key: &'static str,
    /// What it means, from the doc comment; lines begin with a space.
    pub doc: &'static [&'static str],
    /// What it may be.
    pub domain: fn() -> Domain,
    /// Whether `"auto"` derives it from the host's link.
    pub auto: bool,
}

/// A published parameter set.
#[derive(Clone, Copy, Debug)]
pub struct Preset<P> {
    /// Its name in configuration files.
    pub name: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// Makes it.
    pub make: fn() -> P,
}

/// The parameters of a law.
pub trait Parameters: Copy + fmt::Debug + PartialEq + 'static {
    /// All parameters, in the order of their declaration.
    const FIELDS: &'static [Field];
    /// The published sets; the first is the default.
    const PRESETS: &'static [Preset<Self>];

    /// Sets one parameter.
    ///
    /// # Errors
    /// If the key is unknown, the value has the wrong type or unit, or is out of bounds.
    fn set<'a>(&mut self, key: &'a str, value: Value<'a>) -> Result<(), ParamError<'a>>;

    /// Calls `visit` with each parameter and its present value, printed as a configuration value.
    fn each(&self, visit: &mut dyn FnMut(&'static Field, &dyn fmt::Display));

    /// Refuses values outside their bounds; for parameters that were set in code.
    ///
    /// # Errors
    /// Names the first such parameter, its value and its bounds.
    fn check(&self) -> Result<(), ParamError<'static>>;
}

/// Why parameters were refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamError<'a> {
    /// No such parameter.
    UnknownKey {
        /// The key as given.
        key: &'a str,
        /// The most similar known key, if one is similar.
        nearest: Option<&'static str>,
    },
    /// The value is not of the parameter's type.
    WrongType {
        /// The parameter.
        key: &'static str,
        /// The value as given.
        value: Value<'a>,
        /// What it may be.
        domain: Domain,
    },
    /// The value's text is not a quantity of the parameter's unit.
    WrongUnit {
        /// The parameter.
        key: &'static str,
        /// The value as given.
        value: Value<'a>,
        /// What is wrong with it.
        error: ParseError,
    },
    /// The value lies outside its bounds.
    OutOfBounds {
        /// The parameter.
        key: &'static str,
        /// The value, in the parameter's own unit.
        value: Scalar,
        /// What it may be.
        domain: Domain,
    },
    /// Two parameters contradict each other.
    Contradiction {
        /// The first parameter.
        key: &'static str,
        /// Its value.
        value: Scalar,
        /// How the two must relate, e.g. "must not exceed".
        relation: &'static str,
        /// The second parameter.
        other_key: &'static str,
        /// Its value.
        other_value: Scalar,
    },
}

impl ParamError<'_> {
    /// The key that the error is about.
    #[must_use]
    pub fn key(&self) -> &str {
        match self {
            Self::UnknownKey { key, .. } => key,
            Self::WrongType { key, .. }
            | Self::WrongUnit { key, .. }
            | Self::OutOfBounds { key, .. }
            | Self::Contradiction { key, .. } => key,
        }
    }
}

impl fmt::Display for ParamError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey { key, nearest: Some(nearest) } => {
                write!(f, "unknown key `{key}`; did you mean `{nearest}`?")
            }
            Self::UnknownKey { key, nearest: None } => write!(f, "unknown key `{key}`"),
            Self::WrongType { key, value, domain } => {
                write!(f, "`{key} = {value}` has the wrong type; it must be {domain}")
            }
            Self::WrongUnit { key, value, error } => write!(f, "`{key} = {value}` is {error}"),
            Self::OutOfBounds { key, value, domain } => {
                write!(f, "`{key} = {value}` is out of bounds; it must be {domain}")
            }
            Self::Contradiction { key, value, relation, other_key, other_value } => {
                write!(f, "`{key} = {value}` {relation} `{other_key} = {other_value}`")
            }
        }
    }
}

impl core::error::Error for ParamError<'_> {}

/// A parameter's value, for messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A time.
    Time(Span),
    /// A rate.
    Rate(Rate),
    /// A size.
    Size(Bytes),
    /// A number.
    Number(f64),
    /// A whole number.
    Count(u32),
    /// A switch.
    Switch(bool),
    /// A word.
    Word(&'static str),
    /// Derived from the link.
    Auto,
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(span) => write!(f, "\"{span}\""),
            Self::Rate(rate) => write!(f, "\"{rate}\""),
            Self::Size(bytes) => write!(f, "\"{bytes}\""),
            Self::Number(number) => write!(f, "{number:?}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Switch(on) => write!(f, "{on}"),
            Self::Word(word) => write!(f, "\"{word}\""),
            Self::Auto => f.write_str("\"auto\""),
        }
    }
}

/// A type that a parameter can have.
pub trait ParamType: Copy {
    /// The type that bounds have.
    type Bound: Copy;
    /// Whether `"auto"` is a value.
    const AUTO: bool = false;
    /// The domain between two bounds.
    fn domain(low: Self::Bound, high: Self::Bound) -> Domain;
    /// Reads a value.
    ///
    /// # Errors
    /// If it has the wrong type or unit.
    fn read<'a>(key: &'static str, value: Value<'a>, domain: Domain) -> Result<Self, ParamError<'a>>;
    /// Whether it lies between two bounds; NaN does not.
    fn within(self, low: Self::Bound, high: Self::Bound) -> bool;
    /// For messages.
    fn scalar(self) -> Scalar;
}

/// Refuses a value outside its bounds.
///
/// # Errors
/// Names the key, the value and the bounds.
pub fn bounds<T: ParamType>(
    key: &'static str,
    value: T,
    low: T::Bound,
    high: T::Bound,
) -> Result<(), ParamError<'static>> {
    if value.within(low, high) {
        return Ok(());
    }
    Err(ParamError::OutOfBounds { key, value: value.scalar(), domain: T::domain(low, high) })
}

/// Refuses `low > high`, two parameters that contradict each other.
///
/// # Errors
/// Names both keys and both values.
pub fn not_above<T: ParamType + PartialOrd>(
    key: &'static str,
    low: T,
    other_key: &'static str,
    high: T,
) -> Result<(), ParamError<'static>> {
    if low <= high {
        return Ok(());
    }
    let (value, other_value) = (low.scalar(), high.scalar());
    Err(ParamError::Contradiction { key, value, relation: "must not exceed", other_key, other_value })
}

/// Reads a value and refuses it outside its bounds.
///
/// # Errors
/// Names the key, the value and what would be right.
pub fn read_bounded<'a, T: ParamType>(
    key: &'static str,
    value: Value<'a>,
    low: T::Bound,
    high: T::Bound,
) -> Result<T, ParamError<'a>> {
    let read = T::read(key, value, T::domain(low, high))?;
    bounds(key, read, low, high)?;
    Ok(read)
}

macro_rules! quantity {
    ($type:ty, $domain:ident) => {
        impl ParamType for $type {
            type Bound = Self;
            fn domain(low: Self, high: Self) -> Domain {
                Domain::$domain(low, high)
            }
            fn read<'a>(key: &'static str, value: Value<'a>, domain: Domain) -> Result<Self, ParamError<'a>> {
                match value {
                    Value::Text(text) => {
                        text.parse().map_err(|error| ParamError::WrongUnit { key, value, error })
                    }
                    _ => Err(ParamError::WrongType { key, value, domain }),
                }
            }
            fn within(self, low: Self, high: Self) -> bool {
                low <= self && self <= high
            }
            fn scalar(self) -> Scalar {
                Scalar::$domain(self)
            }
        }
    };
}

quantity!(Span, Time);
quantity!(Rate, Rate);
quantity!(Bytes, Size);

impl ParamType for f64 {
    type Bound = Self;
    fn domain(low: Self, high: Self) -> Domain {
        Domain::Number(low, high)
    }
    fn read<'a>(key: &'static str, value: Value<'a>, domain: Domain) -> Result<Self, ParamError<'a>> {
        match value {
            Value::Float(number) => Ok(number),
            // Whole numbers beyond 2⁵³ lose bits here, far outside any parameter's bounds.
            Value::Integer(number) => Ok(number as Self),
            _ => Err(ParamError::WrongType { key, value, domain }),
        }
    }
    fn within(self, low: Self, high: Self) -> bool {
        low <= self && self <= high
    }
    fn scalar(self) -> Scalar {
        Scalar::Number(self)
    }
}

impl ParamType for u32 {
    type Bound = Self;
    fn domain(low: Self, high: Self) -> Domain {
        Domain::Count(low, high)
    }
    fn read<'a>(key: &'static str, value: Value<'a>, domain: Domain) -> Result<Self, ParamError<'a>> {
        let wrong = ParamError::WrongType { key, value, domain };
        match value {
            Value::Integer(number) => Self::try_from(number).map_err(|_| wrong),
            _ => Err(wrong),
        }
    }
    fn within(self, low: Self, high: Self) -> bool {
        low <= self && self <= high
    }
    fn scalar(self) -> Scalar {
        Scalar::Count(self)
    }
}

impl ParamType for bool {
    type Bound = ();
    fn domain((): (), (): ()) -> Domain {
        Domain::Switch
    }
    fn read<'a>(key: &'static str, value: Value<'a>, domain: Domain) -> Result<Self, ParamError<'a>> {
        match value {
            Value::Bool(on) => Ok(on),
            _ => Err(ParamError::WrongType { key, value, domain }),
        }
    }
    fn within(self, (): (), (): ()) -> bool {
        true
    }
    fn scalar(self) -> Scalar {
        Scalar::Switch(self)
    }
}

/// A parameter that `"auto"` leaves to be derived from the host's link.
impl<T: ParamType> ParamType for Option<T> {
    type Bound = T::Bound;
    const AUTO: bool = true;
    fn domain(low: T::Bound, high: T::Bound) -> Domain {
        T::domain(low, high)
    }
    fn read<'a>(key: &'static str, value: Value<'a>, domain: Domain) -> Result<Self, ParamError<'a>> {
        match value {
            Value::Text("auto") => Ok(None),
            _ => T::read(key, value, domain).map(Some),
        }
    }
    fn within(self, low: T::Bound, high: T::Bound) -> bool {
        self.is_none_or(|value| value.within(low, high))
    }
    fn scalar(self) -> Scalar {
        self.map_or(Scalar::Auto, ParamType::scalar)
    }
}

/// The known key most like `key`: at most a third of its letters differ.
#[must_use]
pub fn nearest<'k>(key: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    known
        .map(|candidate| (distance(key, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().max(key.len()).div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance between two short words, by bytes; words over 40 bytes are far from all.
fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 40;
    if a.len() > LONGEST || b.len() > LONGEST {
        return usize::MAX;
    }
    let mut row = [0_usize; LONGEST + 1];
    for (index, cell) in row.iter_mut().enumerate() {
        *cell = index;
    }
    for (i, letter) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(letter != other);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Declares an enum whose values are words in configuration files.
#[macro_export]
macro_rules! choice {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $($(#[$variant_meta])* $variant,)+ }

        impl $crate::params::ParamType for $name {
            type Bound = ();
            fn domain((): (), (): ()) -> $crate::params::Domain {
                $crate::params::Domain::Choice(&[$($word),+])
            }
            fn read<'a>(
                key: &'static str,
                value: $crate::params::Value<'a>,
                domain: $crate::params::Domain,
            ) -> Result<Self, $crate::params::ParamError<'a>> {
                match value {
                    $($crate::params::Value::Text($word) => Ok(Self::$variant),)+
                    _ => Err($crate::params::ParamError::WrongType { key, value, domain }),
                }
            }
            fn within(self, (): (), (): ()) -> bool { true }
            fn scalar(self) -> $crate::params::Scalar {
                $crate::params::Scalar::Word(match self { $(Self::$variant => $word,)+ })
            }
        }
    };
}

/// Declares a law's parameters: the struct, its reader, its bounds and its documentation.
///
/// ```
/// use plimsoll_units::Span;
/// plimsoll_cc::parameters! {
///     /// What a toy law can be told.
///     pub struct Params {
///         /// Target delay.
///         target: Span where [Span::from_ns(1), Span::from_s(1)],
///         /// Gain.
///         gain: f64 where [0.001, 1.0],
///         /// Whether to be gentle.
///         gentle: bool,
///     }
///     presets {
///         "default" => default_set, "an example",
///     }
/// }
/// impl Params {
///     /// The only set.
///     pub fn default_set() -> Self {
///         Self { target: Span::from_us(25), gain: 0.5, gentle: false }
///     }
/// }
/// use plimsoll_cc::{Parameters, Value};
/// let mut params = Params::default_set();
/// params.set("target", Value::Text("30us")).unwrap();
/// let error = params.set("gain", Value::Float(3.0)).unwrap_err();
/// assert_eq!(error.to_string(), "`gain = 3.0` is out of bounds; it must be a number from 0.001 to 1.0");
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $($(#[doc = $doc:literal])+ $field:ident: $type:ty $(where [$low:expr, $high:expr])?,)+
        }
        presets { $($preset:literal => $make:ident, $source:literal,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        $vis struct $name { $($(#[doc = $doc])+ pub $field: $type,)+ }

        impl $crate::params::Parameters for $name {
            const PRESETS: &'static [$crate::params::Preset<Self>] = &[
                $($crate::params::Preset { name: $preset, source: $source, make: Self::$make },)+
            ];
            const FIELDS: &'static [$crate::params::Field] = &[
                $($crate::params::Field {
                    key: stringify!($field),
                    doc: &[$($doc),+],
                    domain: || {
                        let (low, high) = $crate::parameters!(@bounds $($low, $high)?);
                        <$type as $crate::params::ParamType>::domain(low, high)
                    },
                    auto: <$type as $crate::params::ParamType>::AUTO,
                },)+
            ];
            fn set<'a>(
                &mut self,
                key: &'a str,
                value: $crate::params::Value<'a>,
            ) -> Result<(), $crate::params::ParamError<'a>> {
                $(if key == stringify!($field) {
                    let (low, high) = $crate::parameters!(@bounds $($low, $high)?);
                    self.$field = $crate::params::read_bounded(stringify!($field), value, low, high)?;
                    return Ok(());
                })+
                let known = [$(stringify!($field)),+];
                Err($crate::params::ParamError::UnknownKey {
                    key,
                    nearest: $crate::params::nearest(key, known.into_iter()),
                })
            }
            fn each(
                &self,
                visit: &mut dyn FnMut(&'static $crate::params::Field, &dyn core::fmt::Display),
            ) {
                let mut fields = Self::FIELDS.iter();
                $(if let Some(field) = fields.next() {
                    visit(field, &$crate::params::ParamType::scalar(self.$field));
                })+
            }
            fn check(&self) -> Result<(), $crate::params::ParamError<'static>> {
                $({
                    let (low, high) = $crate::parameters!(@bounds $($low, $high)?);
                    $crate::params::bounds(stringify!($field), self.$field, low, high)?;
                })+
                Ok(())
            }
        }
    };
    (@bounds $low:expr, $high:expr) => { ($low, $high) };
    (@bounds) => { ((), ()) };
}

/// The fields of two parameter sets in one list; `N` is the sum of their lengths.
#[must_use]
pub const fn join_fields<const N: usize>(first: &[Field], second: &[Field]) -> [Field; N] {
    let mut joined = [first[0]; N];
    let mut index = 0;
    while index < N {
        joined[index] = if index < first.len() { first[index] } else { second[index - first.len()] };
        index += 1;
    }
    joined
}

/// Declares the parameters of a law that is made of two parts, as one table: each key belongs to
/// one of them, and a preset names one constructor of each.
///
/// ```
/// mod part {
///     plimsoll_cc::parameters! {
///         /// One part.
///         pub struct Left {
///             /// Gain.
///             gain: f64 where [0.0, 1.0],
///         }
///         presets { "default" => usual, "an example", }
///     }
///     impl Left {
///         /// The only set.
///         pub fn usual() -> Self { Self { gain: 0.5 } }
///     }
///     plimsoll_cc::parameters! {
///         /// The other part.
///         pub struct Right {
///             /// Number of acks.
///             acks: u32 where [1, 100],
///         }
///         presets { "default" => usual, "an example", }
///     }
///     impl Right {
///         /// The only set.
///         pub fn usual() -> Self { Self { acks: 30 } }
///     }
/// }
/// plimsoll_cc::joined_parameters! {
///     /// Both.
///     pub struct Params {
///         /// One part.
///         left: part::Left,
///         /// The other part.
///         right: part::Right,
///     }
///     presets { "default" => part::Left::usual, part::Right::usual, "an example", }
/// }
/// use plimsoll_cc::{Parameters, Value};
/// let mut params = (Params::PRESETS[0].make)();
/// params.set("gain", Value::Float(0.1)).unwrap();
/// params.set("acks", Value::Integer(7)).unwrap();
/// assert_eq!((params.left.gain, params.right.acks), (0.1, 7));
/// let error = params.set("ack", Value::Integer(7)).unwrap_err();
/// assert_eq!(error.to_string(), "unknown key `ack`; did you mean `acks`?");
/// ```
#[macro_export]
macro_rules! joined_parameters {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $(#[$first_meta:meta])* $first:ident: $first_type:ty,
            $(#[$second_meta:meta])* $second:ident: $second_type:ty,
        }
        presets { $($preset:literal => $make_first:path, $make_second:path, $source:literal,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        $vis struct $name {
            $(#[$first_meta])* pub $first: $first_type,
            $(#[$second_meta])* pub $second: $second_type,
        }

        impl $crate::params::Parameters for $name {
            const PRESETS: &'static [$crate::params::Preset<Self>] = &[
                $($crate::params::Preset {
                    name: $preset,
                    source: $source,
                    make: || Self { $first: $make_first(), $second: $make_second() },
                },)+
            ];
            const FIELDS: &'static [$crate::params::Field] = &$crate::params::join_fields::<
                {
                    <$first_type as $crate::params::Parameters>::FIELDS.len()
                        + <$second_type as $crate::params::Parameters>::FIELDS.len()
                },
            >(
                <$first_type as $crate::params::Parameters>::FIELDS,
                <$second_type as $crate::params::Parameters>::FIELDS,
            );
            fn set<'a>(
                &mut self,
                key: &'a str,
                value: $crate::params::Value<'a>,
            ) -> Result<(), $crate::params::ParamError<'a>> {
                use $crate::params::ParamError::UnknownKey;
                match $crate::params::Parameters::set(&mut self.$first, key, value) {
                    Err(UnknownKey { .. }) => {}
                    known => return known,
                }
                match $crate::params::Parameters::set(&mut self.$second, key, value) {
                    Err(UnknownKey { .. }) => {}
                    known => return known,
                }
                let known = Self::FIELDS.iter().map(|field| field.key);
                Err(UnknownKey { key, nearest: $crate::params::nearest(key, known) })
            }
            fn each(
                &self,
                visit: &mut dyn FnMut(&'static $crate::params::Field, &dyn core::fmt::Display),
            ) {
                $crate::params::Parameters::each(&self.$first, visit);
                $crate::params::Parameters::each(&self.$second, visit);
            }
            fn check(&self) -> Result<(), $crate::params::ParamError<'static>> {
                $crate::params::Parameters::check(&self.$first)?;
                $crate::params::Parameters::check(&self.$second)
            }
        }
    };
}
