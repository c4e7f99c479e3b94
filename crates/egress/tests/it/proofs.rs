//! What a package manager fetched once comes again, byte for byte, without a network.
