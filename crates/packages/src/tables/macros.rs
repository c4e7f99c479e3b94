//! Autoconf macros: which file or program comes with the package that defines them.
//!
//! Packages name their macro files after themselves more often than after the macros, so the commonest macros are here.

use super::Static::{self, Command as B, Package as Q, PkgConfig as P};

/// What defines a macro, by the longest prefix known.
pub(crate) fn macro_keys(name: &str) -> &'static [Static] {
    PREFIXES
        .iter()
        .filter(|(prefix, _)| name.starts_with(prefix))
        .max_by_key(|(prefix, _)| prefix.len())
        .map_or(&[], |(_, keys)| *keys)
}

static PREFIXES: &[(&str, &[Static])] = &[
    ("AC_CONFIG_MACRO_DIR", &[B("autoconf")]),
    ("AC_DISABLE_SHARED", &[B("libtoolize")]),
    ("AC_DISABLE_STATIC", &[B("libtoolize")]),
    ("AC_ENABLE_SHARED", &[B("libtoolize")]),
    ("AC_ENABLE_STATIC", &[B("libtoolize")]),
    ("AC_LIBTOOL_", &[B("libtoolize")]),
    ("AC_LIBLTDL_", &[Q("libltdl-dev"), B("libtoolize")]),
    ("AC_LIB_HAVE_LINKFLAGS", &[B("msgfmt")]),
    ("AC_LIB_LINKFLAGS", &[B("msgfmt")]),
    ("AC_LIB_LTDL", &[Q("libltdl-dev"), B("libtoolize")]),
    ("AC_LTDL_", &[Q("libltdl-dev"), B("libtoolize")]),
    ("AC_PROG_INTLTOOL", &[B("intltoolize")]),
    ("AC_PROG_LIBTOOL", &[B("libtoolize")]),
    ("AC_PROG_SWIG", &[Q("autoconf-archive")]),
    ("AC_PKG_SWIG", &[Q("autoconf-archive")]),
    ("ACX_", &[Q("autoconf-archive")]),
    ("AM_CONDITIONAL", &[B("automake")]),
    ("AM_DISABLE_STATIC", &[B("libtoolize")]),
    ("AM_GCONF_SOURCE", &[P("gconf-2.0")]),
    ("AM_GLIB_", &[P("glib-2.0")]),
    ("AM_GNU_GETTEXT", &[B("autopoint"), B("msgfmt")]),
    ("AM_GST_", &[P("gstreamer-1.0")]),
    ("AM_ICONV", &[B("msgfmt")]),
    ("AM_INIT_AUTOMAKE", &[B("automake")]),
    ("AM_MAINTAINER_MODE", &[B("automake")]),
    ("AM_NLS", &[B("msgfmt")]),
    ("AM_PATH_ALSA", &[P("alsa")]),
    ("AM_PATH_CPPUNIT", &[P("cppunit")]),
    ("AM_PATH_GLIB_2_0", &[P("glib-2.0")]),
    ("AM_PATH_GPGME", &[P("gpgme")]),
    ("AM_PATH_GPG_ERROR", &[P("gpg-error")]),
    ("AM_PATH_GTK_2_0", &[P("gtk+-2.0")]),
    ("AM_PATH_GTK_3_0", &[P("gtk+-3.0")]),
    ("AM_PATH_LIBGCRYPT", &[P("libgcrypt")]),
    ("AM_PATH_PYTHON", &[B("automake")]),
    ("AM_PATH_SDL", &[P("sdl")]),
    ("AM_PATH_SDL2", &[P("sdl2")]),
    ("AM_PATH_XML2", &[P("libxml-2.0")]),
    ("AM_PROG_", &[B("automake")]),
    ("AM_PROG_LIBTOOL", &[B("libtoolize")]),
    ("AM_SILENT_RULES", &[B("automake")]),
    ("AS_VERSION", &[Q("autoconf-archive")]),
    ("AX_", &[Q("autoconf-archive")]),
    ("DK_", &[Q("debhelper")]),
    ("DOLT", &[B("libtoolize")]),
    ("DX_", &[Q("autoconf-archive")]),
    ("GLIB_", &[P("glib-2.0")]),
    ("GNOME_", &[Q("gnome-common")]),
    ("GOBJECT_INTROSPECTION_", &[P("gobject-introspection-1.0")]),
    ("GTK_DOC_CHECK", &[B("gtkdocize")]),
    ("GUILE_", &[P("guile-3.0")]),
    ("IT_PROG_INTLTOOL", &[B("intltoolize")]),
    ("LIBCURL_CHECK_CONFIG", &[P("libcurl")]),
    ("LTDL_", &[Q("libltdl-dev"), B("libtoolize")]),
    ("LT_", &[B("libtoolize")]),
    ("MATE_", &[Q("mate-common")]),
    ("PKG_", &[B("pkg-config")]),
    ("VALA_", &[B("valac")]),
    ("VAPIGEN_", &[B("vapigen")]),
    ("XDT_", &[Q("xfce4-dev-tools")]),
    ("XORG_", &[Q("xutils-dev")]),
    ("XORG_DRIVER_", &[Q("xserver-xorg-dev")]),
    ("YELP_HELP_INIT", &[Q("yelp-tools")]),
    ("gl_", &[Q("gnulib")]),
    ("m4_ax_", &[Q("autoconf-archive")]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_decides() {
        assert_eq!(macro_keys("AM_PATH_SDL2"), [P("sdl2")]);
        assert_eq!(macro_keys("AM_PROG_LIBTOOL"), [B("libtoolize")]);
        assert_eq!(macro_keys("AM_PROG_AR"), [B("automake")]);
        assert_eq!(macro_keys("UNKNOWN"), []);
    }
}
