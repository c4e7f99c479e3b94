//! Flat folders of RPM packages.
