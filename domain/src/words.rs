//! Enumerations that are spelled the same way in JSON, in SQL and in a URL.

/// A word that is none of those expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord {
    /// What was found.
    pub found: String,
    /// The words that would have been understood.
    pub allowed: &'static [&'static str],
}

impl std::fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "'{}' is not one of {}", self.found, self.allowed.join(", "))
    }
}

impl std::error::Error for UnknownWord {}

/// Declares a plain enumeration with one spelling per variant, used by serde, `FromStr`, `Display` and `as_str`,
/// and one label per variant for people to read. The words are token trees, since the schema's derive does not look into a
/// `literal`.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:tt, $label:tt;)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every variant, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// Every spelling, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The spelling in JSON, SQL and URLs.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The spelling for people.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::UnknownWord { found: text.to_owned(), allowed: Self::WORDS }),
                }
            }
        }
    };
}
pub(crate) use words;
