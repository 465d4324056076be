//! The judge that needs no model.
