//! Java's keystore, as a file that every Java reads: the older of its two formats, which needs no encryption.

use ring::digest;

/// The password that Java's own file has.
const PASSWORD: &str = "changeit";
const MAGIC: u32 = 0xfeed_feed;
const VERSION: u32 = 2;
/// Marks an entry that is a certificate to trust.
const TRUSTED: u32 = 2;
const KIND: &str = "X.509";
/// Goes into the digest at the end.
const SALT: &[u8] = b"Mighty Aphrodite";

/// A keystore with certificates to trust, each with a name that no other has: lower-case letters, digits and hyphens.
pub(crate) fn write(certificates: &[(String, &[u8])]) -> Vec<u8> {
    let mut store = Vec::new();
    store.extend(MAGIC.to_be_bytes());
    store.extend(VERSION.to_be_bytes());
    store.extend((certificates.len() as u32).to_be_bytes());
    for (name, certificate) in certificates {
        store.extend(TRUSTED.to_be_bytes());
        text(&mut store, name);
        // When it was put there. Nobody looks, and the same certificates shall make the same file.
        store.extend(0_u64.to_be_bytes());
        text(&mut store, KIND);
        store.extend((certificate.len() as u32).to_be_bytes());
        store.extend(*certificate);
    }
    let mut context = digest::Context::new(&digest::SHA1_FOR_LEGACY_USE_ONLY);
    for unit in PASSWORD.encode_utf16() {
        context.update(&unit.to_be_bytes());
    }
    context.update(SALT);
    context.update(&store);
    store.extend(context.finish().as_ref());
    store
}

fn text(store: &mut Vec<u8>, text: &str) {
    store.extend((text.len() as u16).to_be_bytes());
    store.extend(text.as_bytes());
}
