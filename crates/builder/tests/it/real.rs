//! Whole builds in real boxes.
