//! CMake's own find modules: what each one looks for.
//!
//! The modules come with CMake itself, so no `Contents` index says whose files they look for.

use super::Static::{self, Command as B, Header as H, Library as L, Package as Q, PkgConfig as P, Python as Y};

/// What one of CMake's own find modules looks for; `None` when CMake has no such module, empty when the compiler or
/// the C library always has it.
pub(crate) fn find_module(name: &str) -> Option<&'static [Static]> {
    let at = MODULES.binary_search_by(|(module, _)| module.cmp(&name)).ok()?;
    MODULES.get(at).map(|(_, keys)| *keys)
}

/// The package that has the commands which begin with a word, where its own name is another one.
pub(crate) fn package_of_command(start: &str) -> Option<&'static str> {
    COMMANDS
        .iter()
        .find(|(known, _)| *known == start)
        .map(|(_, package)| *package)
}

/// The find module of CMake itself of this name in lower case.
pub(crate) fn find_module_folded(name: &str) -> Option<&'static str> {
    MODULES
        .iter()
        .map(|(module, _)| *module)
        .find(|module| name.len() > 2 && module.eq_ignore_ascii_case(name))
}

/// What a component of a find module is, where it is neither a library nor a program of that name.
pub(crate) fn separate_component(space: &str, component: &str) -> Option<Static> {
    COMPONENTS
        .iter()
        .find(|(spaces, name, _)| spaces.contains(&space) && *name == component)
        .map(|(_, _, key)| *key)
}

static COMMANDS: &[(&str, &str)] = &[
    ("qt", "Qt6"),
    ("pkg", "PkgConfig"),
    ("python", "Python3"),
    ("kde", "ECM"),
];

static COMPONENTS: &[(&[&str], &str, Static)] = &[
    (&["Python", "Python3"], "NumPy", Y("numpy")),
    (&["Python", "Python3"], "Interpreter", B("python3")),
    (&["Java"], "Java", B("java")),
    (&["LAPACK"], "LAPACK", L("lapack")),
    (&["Vulkan"], "Headers", H("vulkan/vulkan.h")),
    (&["OpenGL"], "GLX", P("gl")),
    (&["OpenGL"], "GLES2", P("glesv2")),
    (&["OpenGL"], "GLES3", P("glesv2")),
    (&["OpenGL"], "OpenGL", P("opengl")),
    (&["ImageMagick"], "MagickCore", L("MagickCore")),
    (&["ImageMagick"], "MagickWand", L("MagickWand")),
    (&["Perl"], "Perl", B("perl")),
];

/// What the find modules that projects bring along under a customary name look for.
pub(crate) fn customary_module(name: &str) -> Option<&'static [Static]> {
    let folded = name.to_ascii_lowercase();
    CUSTOMARY
        .iter()
        .find(|(names, _)| names.contains(&folded.as_str()))
        .map(|(_, keys)| *keys)
}

/// In lower case, as projects agree on no spelling.
static CUSTOMARY: &[(&[&str], &[Static])] = &[
    (&["mysql", "mariadb", "mysqlclient", "libmysql"], &[H("mysql.h")]),
    (&["glib", "glib2", "gobject", "gio"], &[P("glib-2.0")]),
    (&["gtk3", "gtk+3", "gtk-3"], &[P("gtk+-3.0")]),
    (&["gtk4"], &[P("gtk4")]),
    (&["gtkmm", "gtkmm3"], &[P("gtkmm-3.0")]),
    (
        &["ffmpeg", "libav", "avcodec", "libavcodec"],
        &[P("libavcodec"), P("libavformat"), P("libswscale"), P("libavutil")],
    ),
    (&["libusb", "libusb1", "usb1", "usb", "libusb-1"], &[P("libusb-1.0")]),
    (&["fftw", "fftw3f", "fftw3l"], &[P("fftw3")]),
    (&["sdl12", "sdl1"], &[H("SDL/SDL.h")]),
    (&["gstreamer", "gst"], &[P("gstreamer-1.0"), P("gstreamer-base-1.0")]),
    (&["dbus", "dbus1"], &[P("dbus-1")]),
    (&["udev", "libudev"], &[P("libudev")]),
    (&["systemd", "libsystemd"], &[P("libsystemd")]),
    (&["pcre"], &[P("libpcre")]),
    (&["pcre2"], &[P("libpcre2-8")]),
    (&["jsonc", "json-c", "libjson-c"], &[P("json-c")]),
    (&["yaml", "libyaml"], &[P("yaml-0.1")]),
    (&["yamlcpp"], &[P("yaml-cpp")]),
    (&["opengles", "opengles2", "gles2", "glesv2"], &[P("glesv2")]),
    (&["egl"], &[P("egl")]),
    (&["xcb"], &[P("xcb")]),
    (&["zip", "libzip"], &[P("libzip")]),
    (&["nl", "libnl", "libnl3"], &[P("libnl-3.0"), P("libnl-genl-3.0")]),
    (&["luajit"], &[P("luajit")]),
    (&["guile"], &[P("guile-3.0")]),
    (&["pugixml"], &[H("pugixml.hpp")]),
    (&["numpy"], &[Y("numpy")]),
    (&["eigen", "eigen2"], &[H("Eigen/Dense")]),
    (&["avahi"], &[P("avahi-client")]),
    (&["suitesparse"], &[L("cholmod")]),
    (&["gperftools", "googleperftools"], &[L("tcmalloc")]),
    (&["sharedmimeinfo"], &[B("update-mime-database")]),
    (&["openjpeg2", "openjp2"], &[P("libopenjp2")]),
    (&["qscintilla", "qscintilla2"], &[L("qscintilla2_qt5")]),
    (&["netcdf_c", "netcdf_cxx"], &[H("netcdf.h")]),
    (&["openblas"], &[Q("libopenblas-dev")]),
    (&["zeromq", "zmq", "libzmq"], &[P("libzmq")]),
];

/// Sorted by name.
static MODULES: &[(&str, &[Static])] = &[
    ("ALSA", &[H("alsa/asoundlib.h")]),
    ("ASPELL", &[H("aspell.h")]),
    ("AVIFile", &[]),
    ("Armadillo", &[H("armadillo")]),
    ("BISON", &[B("bison")]),
    ("BLAS", &[Q("libopenblas-dev"), L("blas")]),
    ("BZip2", &[H("bzlib.h")]),
    ("Backtrace", &[]),
    ("Boost", &[H("boost/version.hpp")]),
    ("Bullet", &[P("bullet")]),
    ("CABLE", &[]),
    ("CUDA", &[B("nvcc")]),
    ("CUDAToolkit", &[B("nvcc")]),
    ("CURL", &[H("curl/curl.h")]),
    ("CVS", &[B("cvs")]),
    ("Coin3D", &[H("Inventor/So.h")]),
    ("Cups", &[H("cups/cups.h")]),
    ("Curses", &[H("curses.h")]),
    ("CxxTest", &[B("cxxtestgen")]),
    ("Cygwin", &[]),
    ("DCMTK", &[H("dcmtk/config/osconfig.h")]),
    ("DevIL", &[H("IL/il.h")]),
    ("Doxygen", &[B("doxygen"), B("dot")]),
    ("EXPAT", &[H("expat.h")]),
    ("FLEX", &[B("flex")]),
    ("FLTK", &[H("FL/Fl.H")]),
    ("Fontconfig", &[H("fontconfig/fontconfig.h")]),
    ("FreeType", &[H("ft2build.h")]),
    ("Freetype", &[H("ft2build.h")]),
    ("GCCXML", &[B("castxml")]),
    ("GDAL", &[H("gdal.h")]),
    ("GIF", &[H("gif_lib.h")]),
    ("GLEW", &[H("GL/glew.h")]),
    ("GLU", &[H("GL/glu.h")]),
    ("GLUT", &[H("GL/glut.h")]),
    ("GSL", &[H("gsl/gsl_version.h")]),
    ("GTK", &[P("gtk+-2.0")]),
    ("GTK2", &[P("gtk+-2.0")]),
    ("GTest", &[H("gtest/gtest.h")]),
    ("Gettext", &[B("msgfmt")]),
    ("Git", &[B("git")]),
    ("GnuTLS", &[H("gnutls/gnutls.h")]),
    ("Gnuplot", &[B("gnuplot")]),
    ("HDF5", &[P("hdf5"), H("hdf5.h")]),
    ("HSPELL", &[H("hspell.h")]),
    ("Hg", &[B("hg")]),
    ("ICU", &[H("unicode/utypes.h")]),
    ("IcedTea", &[]),
    ("Iconv", &[]),
    ("ImageMagick", &[H("Magick++.h"), B("convert")]),
    ("Intl", &[]),
    ("JNI", &[H("jni.h")]),
    ("JPEG", &[H("jpeglib.h")]),
    ("Jasper", &[H("jasper/jasper.h")]),
    ("Java", &[B("javac")]),
    ("KDE4", &[]),
    ("LAPACK", &[L("lapack")]),
    ("LATEX", &[B("pdflatex")]),
    ("LTTngUST", &[H("lttng/tracepoint.h")]),
    ("LibArchive", &[H("archive.h")]),
    ("LibLZMA", &[H("lzma.h")]),
    ("LibXml2", &[H("libxml/parser.h")]),
    ("LibXslt", &[H("libxslt/xslt.h")]),
    ("Libinput", &[P("libinput")]),
    ("Lua", &[H("lua.h")]),
    ("Lua50", &[H("lua50/lua.h")]),
    ("Lua51", &[P("lua5.1")]),
    ("MFC", &[]),
    ("MPEG", &[]),
    ("MPEG2", &[H("mpeg2dec/mpeg2.h")]),
    ("MPI", &[H("mpi.h")]),
    ("Matlab", &[]),
    ("Motif", &[H("Xm/Xm.h")]),
    ("ODBC", &[H("sql.h")]),
    ("OpenACC", &[]),
    ("OpenAL", &[H("AL/al.h")]),
    ("OpenCL", &[H("CL/cl.h"), L("OpenCL")]),
    ("OpenGL", &[H("GL/gl.h"), H("GL/glu.h")]),
    ("OpenMP", &[]),
    ("OpenSP", &[H("OpenSP/macros.h")]),
    ("OpenSSL", &[H("openssl/ssl.h")]),
    ("OpenSceneGraph", &[H("osg/Node")]),
    ("OpenThreads", &[H("OpenThreads/Thread")]),
    ("PHP4", &[]),
    ("PNG", &[H("png.h")]),
    ("Patch", &[B("patch")]),
    ("Perl", &[B("perl")]),
    ("PerlLibs", &[H("perl.h")]),
    ("PhysFS", &[H("physfs.h")]),
    ("Pike", &[]),
    ("PkgConfig", &[B("pkg-config")]),
    ("PostgreSQL", &[H("libpq-fe.h"), H("postgres.h")]),
    ("Producer", &[]),
    ("Protobuf", &[H("google/protobuf/message.h"), B("protoc")]),
    ("Python", &[H("Python.h"), B("python3")]),
    ("Python2", &[B("python2")]),
    ("Python3", &[H("Python.h"), B("python3")]),
    ("PythonInterp", &[B("python3")]),
    ("PythonLibs", &[H("Python.h")]),
    ("QuickTime", &[]),
    ("RTI", &[]),
    ("Ruby", &[H("ruby.h"), B("ruby")]),
    ("SDL", &[H("SDL/SDL.h")]),
    ("SDL_gfx", &[H("SDL/SDL_gfxPrimitives.h")]),
    ("SDL_image", &[H("SDL/SDL_image.h")]),
    ("SDL_mixer", &[H("SDL/SDL_mixer.h")]),
    ("SDL_net", &[H("SDL/SDL_net.h")]),
    ("SDL_sound", &[H("SDL/SDL_sound.h")]),
    ("SDL_ttf", &[H("SDL/SDL_ttf.h")]),
    ("SQLite3", &[H("sqlite3.h")]),
    ("SWIG", &[B("swig")]),
    ("SelfPackers", &[B("upx")]),
    ("Squish", &[]),
    ("Subversion", &[B("svn")]),
    ("TCL", &[H("tcl.h"), H("tk.h")]),
    ("TIFF", &[H("tiffio.h")]),
    ("TclStub", &[H("tcl.h")]),
    ("Tclsh", &[B("tclsh")]),
    ("Threads", &[]),
    ("UnixCommands", &[]),
    ("VTK", &[Q("libvtk9-dev")]),
    ("Vulkan", &[H("vulkan/vulkan.h"), L("vulkan"), B("glslangValidator")]),
    ("Wget", &[B("wget")]),
    ("Wish", &[B("wish")]),
    ("X11", &[H("X11/Xlib.h"), H("X11/extensions/Xext.h")]),
    ("XCTest", &[]),
    ("XMLRPC", &[B("xmlrpc-c-config")]),
    ("XalanC", &[H("xalanc/XalanTransformer/XalanTransformer.hpp")]),
    ("XercesC", &[H("xercesc/util/PlatformUtils.hpp")]),
    ("ZLIB", &[H("zlib.h")]),
    ("libarchive", &[H("archive.h")]),
    ("pybind11", &[H("pybind11/pybind11.h"), Y("pybind11")]),
    ("wxWidgets", &[B("wx-config"), H("wx/wx.h")]),
    ("wxWindows", &[B("wx-config"), H("wx/wx.h")]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        for pair in MODULES.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{} before {}", pair[0].0, pair[1].0);
        }
    }

    #[test]
    fn commands_lead_to_packages() {
        assert_eq!(package_of_command("pkg"), Some("PkgConfig"));
        assert_eq!(package_of_command("my"), None);
        assert_eq!(find_module_folded("doxygen"), Some("Doxygen"));
        assert_eq!(find_module_folded("my"), None);
    }
}
