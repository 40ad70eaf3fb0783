//! `/actions` without an id over HTTP.
