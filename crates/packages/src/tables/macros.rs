//! Autoconf macros: which file or program comes with the package that defines them.
//!
//! Packages name their macro files after themselves more often than after the macros, so the commonest macros are here.

use super::Static::{self, Command as B, Package as Q, PkgConfig as P};

/// What defines a macro, by the longest prefix known.
pub(crate) fn macro_keys(name: &str) -> &'static [Static] {
    if WHOLE.contains(&name) {
        return &[B("autoconf")];
    }
    PREFIXES
        .iter()
        .filter(|(prefix, _)| name.starts_with(prefix))
        .max_by_key(|(prefix, _)| prefix.len())
        .map_or(&[], |(_, keys)| *keys)
}

/// Macros of Autoconf itself whose names begin no others'.
const WHOLE: [&str; 21] = [
    "AC_COPYRIGHT",
    "AC_DEFINE",
    "AC_DEFINE_UNQUOTED",
    "AC_DEFUN",
    "AC_DEFUN_ONCE",
    "AC_EGREP_CPP",
    "AC_EGREP_HEADER",
    "AC_EXEEXT",
    "AC_INIT",
    "AC_LIBOBJ",
    "AC_LIBSOURCES",
    "AC_OBJEXT",
    "AC_OUTPUT",
    "AC_PREREQ",
    "AC_REPLACE_FUNCS",
    "AC_REQUIRE",
    "AC_REQUIRE_AUX_FILE",
    "AC_REVISION",
    "AC_SUBST",
    "AC_SUBST_FILE",
    "AC_USE_SYSTEM_EXTENSIONS",
];

static PREFIXES: &[(&str, &[Static])] = &[
    ("ACX_", &[Q("autoconf-archive")]),
    ("AC_ARG_", &[B("autoconf")]),
    ("AC_CACHE_", &[B("autoconf")]),
    ("AC_CANONICAL_", &[B("autoconf")]),
    ("AC_CHECK_DECL", &[B("autoconf")]),
    ("AC_CHECK_FUNC", &[B("autoconf")]),
    ("AC_CHECK_HEADER", &[B("autoconf")]),
    ("AC_CHECK_LIB", &[B("autoconf")]),
    ("AC_CHECK_MEMBER", &[B("autoconf")]),
    ("AC_CHECK_PROG", &[B("autoconf")]),
    ("AC_CHECK_SIZEOF", &[B("autoconf")]),
    ("AC_CHECK_TOOL", &[B("autoconf")]),
    ("AC_CHECK_TYPE", &[B("autoconf")]),
    ("AC_COMPILE_IFELSE", &[B("autoconf")]),
    ("AC_CONFIG_", &[B("autoconf")]),
    ("AC_CONFIG_MACRO_DIR", &[B("autoconf")]),
    ("AC_C_", &[B("autoconf")]),
    ("AC_DISABLE_SHARED", &[B("libtoolize")]),
    ("AC_DISABLE_STATIC", &[B("libtoolize")]),
    ("AC_ENABLE_SHARED", &[B("libtoolize")]),
    ("AC_ENABLE_STATIC", &[B("libtoolize")]),
    ("AC_FUNC_", &[B("autoconf")]),
    ("AC_HEADER_", &[B("autoconf")]),
    ("AC_LANG_", &[B("autoconf")]),
    ("AC_LIBLTDL_", &[Q("libltdl-dev"), B("libtoolize")]),
    ("AC_LIBTOOL_", &[B("libtoolize")]),
    ("AC_LIB_HAVE_LINKFLAGS", &[B("msgfmt")]),
    ("AC_LIB_LINKFLAGS", &[B("msgfmt")]),
    ("AC_LIB_LTDL", &[Q("libltdl-dev"), B("libtoolize")]),
    ("AC_LINK_IFELSE", &[B("autoconf")]),
    ("AC_LTDL_", &[Q("libltdl-dev"), B("libtoolize")]),
    ("AC_MSG_", &[B("autoconf")]),
    ("AC_PATH_PROG", &[B("autoconf")]),
    ("AC_PATH_TOOL", &[B("autoconf")]),
    ("AC_PATH_X", &[B("autoconf")]),
    ("AC_PKG_SWIG", &[Q("autoconf-archive")]),
    ("AC_PROG_AWK", &[B("autoconf")]),
    ("AC_PROG_CC", &[B("autoconf")]),
    ("AC_PROG_CPP", &[B("autoconf")]),
    ("AC_PROG_CXX", &[B("autoconf")]),
    ("AC_PROG_EGREP", &[B("autoconf")]),
    ("AC_PROG_F77", &[B("autoconf")]),
    ("AC_PROG_FC", &[B("autoconf")]),
    ("AC_PROG_GREP", &[B("autoconf")]),
    ("AC_PROG_INSTALL", &[B("autoconf")]),
    ("AC_PROG_INTLTOOL", &[B("intltoolize")]),
    ("AC_PROG_LEX", &[B("autoconf")]),
    ("AC_PROG_LIBTOOL", &[B("libtoolize")]),
    ("AC_PROG_LN_S", &[B("autoconf")]),
    ("AC_PROG_MAKE_SET", &[B("autoconf")]),
    ("AC_PROG_MKDIR_P", &[B("autoconf")]),
    ("AC_PROG_OBJC", &[B("autoconf")]),
    ("AC_PROG_RANLIB", &[B("autoconf")]),
    ("AC_PROG_SED", &[B("autoconf")]),
    ("AC_PROG_SWIG", &[Q("autoconf-archive")]),
    ("AC_PROG_YACC", &[B("autoconf")]),
    ("AC_RUN_IFELSE", &[B("autoconf")]),
    ("AC_SEARCH_LIBS", &[B("autoconf")]),
    ("AC_STRUCT_", &[B("autoconf")]),
    ("AC_SYS_", &[B("autoconf")]),
    ("AC_TRY_", &[B("autoconf")]),
    ("AC_TYPE_", &[B("autoconf")]),
    ("AM_CONDITIONAL", &[B("automake")]),
    ("AM_COND_IF", &[B("automake")]),
    ("AM_DISABLE_STATIC", &[B("libtoolize")]),
    ("AM_EXTRA_RECURSIVE_TARGETS", &[B("automake")]),
    ("AM_GCONF_SOURCE", &[P("gconf-2.0")]),
    ("AM_GLIB_", &[P("glib-2.0")]),
    ("AM_GNU_GETTEXT", &[B("autopoint"), B("msgfmt")]),
    ("AM_GST_", &[P("gstreamer-1.0")]),
    ("AM_ICONV", &[B("msgfmt")]),
    ("AM_INIT_AUTOMAKE", &[B("automake")]),
    ("AM_MAINTAINER_MODE", &[B("automake")]),
    ("AM_MISSING_PROG", &[B("automake")]),
    ("AM_NLS", &[B("msgfmt")]),
    ("AM_PATH_ALSA", &[P("alsa")]),
    ("AM_PATH_CPPUNIT", &[P("cppunit")]),
    ("AM_PATH_GLIB_2_0", &[P("glib-2.0")]),
    ("AM_PATH_GPGME", &[P("gpgme")]),
    ("AM_PATH_GPG_ERROR", &[P("gpg-error")]),
    ("AM_PATH_GTK_2_0", &[P("gtk+-2.0")]),
    ("AM_PATH_GTK_3_0", &[P("gtk+-3.0")]),
    ("AM_PATH_LIBGCRYPT", &[P("libgcrypt")]),
    ("AM_PATH_LISPDIR", &[B("automake")]),
    ("AM_PATH_PYTHON", &[B("automake")]),
    ("AM_PATH_SDL", &[P("sdl")]),
    ("AM_PATH_SDL2", &[P("sdl2")]),
    ("AM_PATH_XML2", &[P("libxml-2.0")]),
    ("AM_PO_SUBDIRS", &[B("autopoint"), B("msgfmt")]),
    ("AM_PROG_", &[B("automake")]),
    ("AM_PROG_LIBTOOL", &[B("libtoolize")]),
    ("AM_RUN_LOG", &[B("automake")]),
    ("AM_SANITY_CHECK", &[B("automake")]),
    ("AM_SILENT_RULES", &[B("automake")]),
    ("AM_SUBST_NOTMAKE", &[B("automake")]),
    ("AM_WITH_DMALLOC", &[B("automake")]),
    ("AM_XGETTEXT_OPTION", &[B("autopoint"), B("msgfmt")]),
    ("AS_CASE", &[B("autoconf")]),
    ("AS_ECHO", &[B("autoconf")]),
    ("AS_HELP_STRING", &[B("autoconf")]),
    ("AS_IF", &[B("autoconf")]),
    ("AS_VAR_", &[B("autoconf")]),
    ("AS_VERSION", &[Q("autoconf-archive")]),
    ("AT_INIT", &[B("autoconf")]),
    ("AT_SETUP", &[B("autoconf")]),
    ("AU_ALIAS", &[B("autoconf")]),
    ("AX_", &[Q("autoconf-archive")]),
    ("BISON_I18N", &[B("bison")]),
    ("DK_", &[Q("debhelper")]),
    ("DOLT", &[B("libtoolize")]),
    ("DX_", &[Q("autoconf-archive")]),
    ("GCONF_", &[P("gconf-2.0")]),
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
    ("m4_define", &[B("autoconf")]),
    ("m4_esyscmd", &[B("autoconf")]),
    ("m4_include", &[B("autoconf")]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_decides() {
        assert_eq!(macro_keys("AM_PATH_SDL2"), [P("sdl2")]);
        assert_eq!(macro_keys("AM_PROG_LIBTOOL"), [B("libtoolize")]);
        assert_eq!(macro_keys("AM_PROG_AR"), [B("automake")]);
        assert_eq!(macro_keys("AC_CONFIG_HEADERS"), [B("autoconf")]);
        assert_eq!(macro_keys("AC_DEFINE"), [B("autoconf")]);
        assert_eq!(macro_keys("AC_DEFINE_OF_THE_PROJECT"), []);
        assert_eq!(macro_keys("AC_CHECK_OF_THE_PROJECT"), []);
        assert_eq!(macro_keys("UNKNOWN"), []);
    }
}
