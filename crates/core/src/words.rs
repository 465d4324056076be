//! Enums whose variants have a word each: in files, in messages and in the contract.

/// Defines an enum together with the word of each variant, which serde uses too. The name after the
/// colon is the method that returns the word; `ALL` has all variants in their order.
#[macro_export]
macro_rules! words {
    (
        $(#[$about:meta])*
        $vis:vis enum $Enum:ident: $word:ident {
            $($(#[$of:meta])* $Variant:ident = $text:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize)]
        $vis enum $Enum {
            $($(#[$of])* #[serde(rename = $text)] $Variant,)+
        }

        impl $Enum {
            pub const ALL: [$Enum; [$($text),+].len()] = [$($Enum::$Variant),+];

            pub fn $word(self) -> &'static str {
                match self {
                    $($Enum::$Variant => $text,)+
                }
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.$word())
            }
        }
    };
}
