//! Lists of small things, such as changes of flags and deploys: files that are read whole, and whose things are joined with
//! those known.

mod keep;
mod rows;

pub use keep::{Given, MAX_BYTES, read_list};
pub(super) use keep::{Kept, keep, remaining};
pub(super) use rows::{Column, Element, Found, Rows, Shape, fields, needed, optional, optional_up_to};
