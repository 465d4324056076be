//! Files as kumite writes them.

mod private;

pub use private::{make_private_dir, private_mode};
