//! The door's promises, kept with real sockets, real boxes and real package managers.

mod proofs;
