//! Boxes of an ordinary user.
