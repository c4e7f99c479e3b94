//! Samples of the rows of `architecture`, `link` and `language`: shortened output of real failures, and messages after documentation.

use super::samples::{Sample, sample};
use crate::Kind;

pub(super) static SAMPLES: &[Sample] = &[
    sample("architecture-configure", r"configure: error: unsupported host cpu aarch64", "aarch64").line(1).documented(),
    sample("architecture-configure", r"configure: error: CPU type loongarch64 is not supported", "loongarch64").line(1).documented(),
    sample("architecture-configure-plain", r"configure: error: Unknown host CPU type; port me", "").line(1).documented(),
    sample("architecture-directive", r#"e30.c:1:2: error: #error "Unsupported architecture"
    1 | #error "Unsupported architecture"
      |  ^~~~~"#, "").line(1),
    sample("architecture-directive", r"src/jit.c:12:2: error: #error Unsupported architecture aarch64", "aarch64").line(1).documented(),
    sample("assembly-constraint", r#"r10.c: In function ‘f’:
r10.c:1:33: error: impossible constraint in ‘asm’
    1 | unsigned f(void){ unsigned a,d; asm volatile("rdtsc":"=a"(a),"=d"(d)); return a;} void g(void){ asm volatile("pause"); asm("mfence"); asm("cpuid":::"eax","ebx"); 
      |                                 ^~~
r10.c: In function ‘g’:"#, "impossible constraint").line(2),
    sample("assembly-constraint", r#"r10.c:1:54: error: invalid output constraint '=a' in asm
    1 | unsigned f(void){ unsigned a,d; asm volatile("rdtsc":"=a"(a),"=d"(d)); return a;} void g(void){ asm volatile("pause"); asm("mfence"); asm("cpuid":::"eax","ebx"); 
      |                                                      ^
r10.c:1:149: error: unknown register name 'eax' in asm"#, "=a").line(1),
    sample("assembly-directive", r"a.S:12: Error: unknown pseudo-op: `.fpu'", ".fpu").line(1).documented(),
    sample("assembly-operand", r"hull.c:8:5: error: 'asm' operand has impossible constraints", "impossible constraints").line(1).documented(),
    sample("assembly-operand", r"hull.c:8:5: error: invalid 'asm': operand number out of range", "operand number out of range").line(1).documented(),
    sample("relocation-unknown", r"/usr/bin/ld: hull.o: unrecognized relocation (0x2a) in section `.text'
/usr/bin/ld: final link failed: bad value", "hull.o").line(1).documented(),
    sample("assembly-mnemonic", r"r10.S:3: Error: unknown mnemonic `movq' -- `movq %rax,%rbx'
r10.S:4: Error: unknown mnemonic `vaddps' -- `vaddps %ymm0,%ymm1,%ymm2'
r10.S:5: Error: unknown mnemonic `pushl' -- `pushl %ebp'", "movq").line(1),
    sample("assembly-mnemonic", r"r10a.S:3: Error: no such instruction: `stp x29,x30,[sp,-16]!'
r10a.S:4: Error: no such instruction: `adrp x0,foo'
r10a.S:6: Error: no such architecture: `armv8'
r10a.S:6: Error: junk at end of line, first unrecognized character is `-'", "stp").line(1),
    sample("assembly-mnemonic", r"/tmp/cca1b2c.s:12: Error: unknown mnemonic `pause' -- `pause'
/tmp/cca1b2c.s:15: Error: unknown mnemonic `mfence' -- `mfence'
/tmp/cca1b2c.s:18: Error: unknown mnemonic `movq' -- `movq %rax,%rbx'
/tmp/cca1b2c.s:21: Error: unknown mnemonic `lock' -- `lock'", "pause").line(1),
    sample("assembly-mnemonic", r"a.s:12: Error: selected processor does not support `dmb ish' in ARM mode", "dmb").line(1).documented(),
    sample("assembly-mnemonic-clang", r#"r10b.c:1:28: error: unrecognized instruction mnemonic
    1 | void g(void){ asm volatile("pause"); asm("mfence");  asm("movq %rax, %rbx"); asm("lock; xaddl %eax, (%rcx)"); }
      |                            ^
<inline asm>:1:2: note: instantiated into assembly here
    1 |         pause
      |         ^"#, "pause").line(1),
    sample("assembly-mnemonic-plain", r"a.c:1:28: error: unrecognized instruction mnemonic", "").line(1).documented(),
    sample("assembly-register", r#"r10d.c:1:14: error: invalid register name for ‘z’
    1 | register int z asm("ebx"); register long sp asm("x28"); int f(void){return z+sp;}
      |              ^"#, "z").line(1),
    sample("assembly-register", r#"r10d.c:1:42: error: invalid register name for ‘sp’
    1 | register int z asm("ebx"); register long sp asm("x28"); int f(void){return z+sp;}
      |                                          ^~"#, "sp").line(1),
    sample("assembly-register", r#"r10d.c:1:20: error: unknown register name 'ebx' in asm
    1 | register int z asm("ebx"); register long sp asm("x28"); int f(void){return z+sp;}
      |                    ^
1 error generated."#, "ebx").line(1),
    sample("assembly-suffix", r"r10i.S:3: Error: invalid instruction suffix for `push'
r10i.S:5: Error: invalid instruction suffix for `pop'", "push").line(1),
    sample("byte-order", r#"r19.c:1:2: error: #error "unknown endian"
    1 | #error "unknown endian"
      |  ^~~~~
r19.c:2:2: error: #error Define one of __LITTLE_ENDIAN__"#, "byte order").line(1),
    sample("char-range", r"r15.c: In function ‘f’:
r15.c:1:25: error: comparison is always false due to limited range of data type [-Werror=type-limits]
    1 | int f(char c){ return c < 0; } int g(unsigned char c){ return c == -1; } enum {A=-1}; int h(void){ char c = -1; while ((c) != -1); return c == EOFX; }
      |                         ^
r15.c: In function ‘g’:", "char").line(2),
    sample("char-sign", r"e15.cpp:1:11: error: narrowing conversion of ‘-1’ from ‘int’ to ‘char’ [-Wnarrowing]
    1 | char t[]={-1,200,0xff}; int f(double d){ int a[]={d}; return a[0]; } unsigned u{-1};
      |           ^~
e15.cpp: In function ‘int f(double)’:", "char").line(1),
    sample("foreign-flag", r"aarch64-linux-gnu-gcc: error: unrecognized command-line option ‘-m32’", "-m32").line(1),
    sample("foreign-flag", r"aarch64-linux-gnu-gcc: error: unrecognized command-line option ‘-m64’", "-m64").line(1),
    sample("foreign-flag", r"aarch64-linux-gnu-gcc: error: unrecognized command-line option ‘-maes’", "-maes").line(1),
    sample("foreign-flag-cpu", r"cc1: error: CPU you selected does not support x86-64 instruction set", "x86-64 instruction set").line(1).documented(),
    sample("foreign-flag-cpu", r"cc1: error: '-m32' is not compatible with 64-bit", "").line(1).documented(),
    sample("foreign-flag-march", r"error: unknown target CPU 'armv8-a'
note: valid target CPU values are: nocona, core2, penryn, bonnell, atom, silvermont, slm, goldmont, goldmont-plus, tremont, nehalem, corei7, westmere, sandybridge, corei7", "-march=armv8-a").line(1),
    sample("foreign-flag-march", r"clang-19: error: unsupported argument 'native2' to option '-march='", "-march=native2").line(1),
    sample("foreign-flag-march", r"riscv64-linux-gnu-gcc: error: ‘-march=x86-64’: ISA string must begin with rv32 or rv64", "-march=x86-64").line(1),
    sample("foreign-flag-model", r"cc1: sorry, unimplemented: code model ‘large’ with ‘-fPIC’", "-mcmodel=large").line(1),
    sample("foreign-flag-target", r"cc1: error: ‘-fcf-protection=full’ is not supported for this target", "-fcf-protection=full").line(1),
    sample("foreign-flag-value", r"cc1: error: unknown value ‘haswell’ for ‘-march’
cc1: note: valid arguments are: armv8-a armv8.1-a armv8.2-a armv8.3-a armv8.4-a armv8.5-a armv8.6-a armv8.7-a armv8.8-a armv8-r armv9-a", "-march=haswell").line(1),
    sample("foreign-flag-value", r"cc1: error: bad value ‘armv8-a’ for ‘-march=’ switch
cc1: note: valid arguments to ‘-march=’ switch are: nocona core2 nehalem corei7 westmere sandybridge corei7-avx ivybridge core-avx-i haswell core-avx2 broadwell skylake s", "-march=armv8-a").line(1),
    sample("foreign-flag-value", r"cc1: error: unknown value ‘generic64’ for ‘-mtune’
cc1: note: valid arguments are: cortex-a34 cortex-a35 cortex-a53 cortex-a57 cortex-a72 cortex-a73 thunderx thunderxt88p1 thunderxt88 octeontx octeontx81 octeontx83 thunde", "-mtune=generic64").line(1),
    sample("foreign-header", r"h.c:1:10: fatal error: quadmath.h: No such file or directory
    1 | #include <quadmath.h>
      |          ^~~~~~~~~~~~
compilation terminated.", "quadmath.h").line(1),
    sample("foreign-header", r"h.c:1:10: fatal error: sys/io.h: No such file or directory
    1 | #include <sys/io.h>
      |          ^~~~~~~~~~
compilation terminated.", "sys/io.h").line(1),
    sample("foreign-header", r"h.c:1:10: fatal error: cpuid.h: No such file or directory
    1 | #include <cpuid.h>
      |          ^~~~~~~~~
compilation terminated.", "cpuid.h").line(1),
    sample("foreign-header-refuses", r"In file included from h.c:1:
/usr/lib/llvm-19/lib/clang/19/include/cpuid.h:14:2: error: this header is for x86 only
   14 | #error this header is for x86 only
      |  ^
/usr/lib/llvm-19/lib/clang/19/include/cpuid.h:309:5: error: invalid output constraint '=a' in asm", "cpuid.h").line(2),
    sample("foreign-header-refuses", r#"In file included from h.c:1:
/usr/lib/llvm-19/lib/clang/19/include/emmintrin.h:14:2: error: "This header is only meant to be used on x86 and x64 architecture"
   14 | #error "This header is only meant to be used on x86 and x64 architecture"
      |  ^
In file included from h.c:1:"#, "emmintrin.h").line(2),
    sample("foreign-header-refuses", r#"In file included from h.c:1:
/usr/lib/llvm-19/lib/clang/19/include/immintrin.h:14:2: error: "This header is only meant to be used on x86 and x64 architecture"
   14 | #error "This header is only meant to be used on x86 and x64 architecture"
      |  ^
In file included from h.c:1:"#, "immintrin.h").line(2),
    sample("foreign-header-types", r"In file included from h.c:1:
/usr/lib/llvm-19/lib/clang/19/include/arm_sve.h:28:9: error: unknown type name '__SVInt8_t'
   28 | typedef __SVInt8_t svint8_t;
      |         ^
/usr/lib/llvm-19/lib/clang/19/include/arm_sve.h:29:9: error: unknown type name '__SVInt16_t'", "arm_sve.h").line(2),
    sample("intrinsic", r"r8.c: In function ‘g’:
r8.c:2:11: error: unknown type name ‘__m128i’
    2 | void g(){ __m128i x; _mm_setzero_si128(); }
      |           ^~~~~~~
r8.c:2:22: warning: implicit declaration of function ‘_mm_setzero_si128’ [-Wimplicit-function-declaration]", "__m128i").line(2),
    sample("intrinsic", r"r8.c:1:15: error: use of unknown builtin '__builtin_ia32_pause' [-Wimplicit-function-declaration]
    1 | void f(void){ __builtin_ia32_pause(); __builtin_ia32_rdtsc(); }
      |               ^
r8.c:1:39: error: use of unknown builtin '__builtin_ia32_rdtsc' [-Wimplicit-function-declaration]", "__builtin_ia32_pause").line(1),
    sample("intrinsic", r"r8n.c:1:1: error: unknown type name ‘float32x4_t’
    1 | float32x4_t a; void f(void){ vaddq_f32(a,a); }
      | ^~~~~~~~~~~
r8n.c: In function ‘f’:", "float32x4_t").line(1),
    sample("intrinsic-feature", r"r9a.c:2:49: error: always_inline function 'vaeseq_u8' requires target feature 'aes', but would be inlined into function 'f' that is compiled without support for 'aes'
    2 | uint8x16_t f(uint8x16_t a,uint8x16_t b){ return vaeseq_u8(a,b);} 
      |                                                 ^
1 error generated.", "vaeseq_u8").line(1),
    sample("intrinsic-feature", r"r9.c:2:40: error: always_inline function '_mm256_add_epi32' requires target feature 'avx2', but would be inlined into function 'f' that is compiled without support for 'a
    2 | __m256i f(__m256i a,__m256i b){ return _mm256_add_epi32(a,b);} int g(__m128i a){ return _mm_extract_epi32(a,1); }
      |                                        ^
r9.c:2:40: error: AVX vector argument of type '__m256i' (vector of 4 'long long' values) without 'avx' enabled changes the ABI", "_mm256_add_epi32").line(1),
    sample("intrinsic-feature", r"a.c:3:5: error: '__builtin_ia32_pshufb128' needs target feature ssse3", "__builtin_ia32_pshufb128").line(1).documented(),
    sample("intrinsic-option", r"In file included from /usr/lib/gcc/x86_64-linux-gnu/12/include/immintrin.h:47,
                 from r9.c:1:
/usr/lib/gcc/x86_64-linux-gnu/12/include/avx2intrin.h:119:1: error: inlining failed in call to ‘always_inline’ ‘_mm256_add_epi32’: target specific option mismatch
  119 | _mm256_add_epi32 (__m256i __A, __m256i __B)
      | ^~~~~~~~~~~~~~~~
r9.c:2:40: note: called from here", "_mm256_add_epi32").line(3),
    sample("intrinsic-option", r"In file included from r9a.c:1:
/usr/lib/gcc-cross/aarch64-linux-gnu/12/include/arm_neon.h: In function ‘f’:
/usr/lib/gcc-cross/aarch64-linux-gnu/12/include/arm_neon.h:10251:1: error: inlining failed in call to ‘always_inline’ ‘vaeseq_u8’: target specific option mismatch
10251 | vaeseq_u8 (uint8x16_t data, uint8x16_t key)
      | ^~~~~~~~~
r9a.c:2:49: note: called from here", "vaeseq_u8").line(3),
    sample("legacy-varargs", r#"In file included from h.c:1:
/usr/aarch64-linux-gnu/include/regexp.h:29:2: error: #error "The GNU C Library no longer implements <regexp.h>."
   29 | #error "The GNU C Library no longer implements <regexp.h>."
      |  ^~~~~
/usr/aarch64-linux-gnu/include/regexp.h:30:2: error: #error "Please update your code to use <regex.h> instead (no trailing 'p').""#, "The GNU C Library no longer implements <regexp.h>").line(2),
    sample("legacy-varargs", r#"In file included from h.c:1:
/usr/lib/gcc-cross/aarch64-linux-gnu/12/include/varargs.h:4:2: error: #error "GCC no longer implements <varargs.h>."
    4 | #error "GCC no longer implements <varargs.h>."
      |  ^~~~~
/usr/lib/gcc-cross/aarch64-linux-gnu/12/include/varargs.h:5:2: error: #error "Revise your code to use <stdarg.h>.""#, "GCC no longer implements <varargs.h>").line(2),
    sample("multilib", r"In file included from <command-line>:
/usr/include/stdio.h:27:10: fatal error: bits/libc-header-start.h: No such file or directory
   27 | #include <bits/libc-header-start.h>
      |          ^~~~~~~~~~~~~~~~~~~~~~~~~~
compilation terminated.", "bits/libc-header-start.h").line(2),
    sample("multilib", r"/usr/include/gnu/stubs.h:7:11: fatal error: gnu/stubs-32.h: No such file or directory", "gnu/stubs-32.h").line(1).documented(),
    sample("page-size", r"r18.c:1:7: error: ‘PAGE_SIZE’ undeclared here (not in a function)
    1 | int a[PAGE_SIZE]; int f(void){ return PAGE_SIZE; }
      |       ^~~~~~~~~", "PAGE_SIZE").line(1),
    sample("page-size", r"<jemalloc>: Unsupported system page size", "Unsupported system page size").line(1).documented(),
    sample("pointer-size", r"r16.c:1:23: error: cast from pointer to smaller type 'int' loses information
    1 | int f(void*p){ return (int)p; } void*g(int x){ return (void*)x; }
      |                       ^~~~~~
r16.c:1:55: warning: cast to 'void *' from smaller integer type 'int' [-Wint-to-void-pointer-cast]", "pointer").line(1),
    sample("program-emulated", r"qemu: uncaught target signal 11 (Segmentation fault) - core dumped", "").line(1).documented(),
    sample("program-shell", r#"./armbin: 2: Syntax error: "(" unexpected
make: *** [r23.mk:2: x] Error 2"#, "armbin").line(1),
    sample("program-started", r"./build.sh: line 3: ./armbin: cannot execute binary file: Exec format error", "armbin").line(1),
    sample("program-started", r"exec /usr/bin/protoc: exec format error", "protoc").line(1).documented(),
    sample("register", r"r13.c: In function ‘f’:
r13.c:6:45: error: ‘mcontext_t’ has no member named ‘gregs’; did you mean ‘regs’?
    6 | long f(ucontext_t*u){ return u->uc_mcontext.gregs[REG_RIP]; } int g(void){ return ptrace(PTRACE_GETREGS,0,0,0);} long h(struct user_regs_struct*r){ return r->rip 
      |                                             ^~~~~
      |                                             regs", "gregs").line(2),
    sample("register", r"r13b.c: In function ‘f’:
r13b.c:3:44: error: ‘mcontext_t’ has no member named ‘pc’
    3 | long f(ucontext_t*u){ return u->uc_mcontext.pc + u->uc_mcontext.regs[1] + u->uc_mcontext.arm_pc; }
      |                                            ^
r13b.c:3:65: error: ‘mcontext_t’ has no member named ‘regs’; did you mean ‘gregs’?", "pc").line(2),
    sample("register-constant", r"r13.c: In function ‘f’:
r13.c:6:51: error: ‘REG_RIP’ undeclared (first use in this function); did you mean ‘REG_EIP’?
    6 | long f(ucontext_t*u){ return u->uc_mcontext.gregs[REG_RIP]; } int g(void){ return ptrace(PTRACE_GETREGS,0,0,0);} long h(struct user_regs_struct*r){ return r->rip 
      |                                                   ^~~~~~~
      |                                                   REG_EIP", "REG_RIP").line(2),
    sample("size-assertion", r#"r17.cpp:1:34: error: static assertion failed: ld
    1 | static_assert(sizeof(long double)==16, "ld"); int a[sizeof(long)==8?1:-1];
      |               ~~~~~~~~~~~~~~~~~~~^~~~
r17.cpp:1:34: note: the comparison reduces to ‘(8 == 16)’"#, "size").line(1),
    sample("syscall", r"r12.c:3:10: error: ‘SYS_open’ undeclared here (not in a function); did you mean ‘SYS_fsopen’?
    3 | int a[]={SYS_open, __NR_stat, SYS_epoll_wait, __NR_dup2, SYS_fork, SYS_select, SYS_arch_prctl};
      |          ^~~~~~~~
      |          SYS_fsopen", "SYS_open").line(1),
    sample("syscall-go", r"./main.go:9:10: undefined: syscall.Dup2", "Dup2").line(1).documented(),
    sample("wide-integer", r"r14b.c:1:1: error: unknown type name ‘__float128’; did you mean ‘_Float128’?
    1 | __float128 x; int f(void){return x;} __int128 y; _Float128 z;
      | ^~~~~~~~~~
      | _Float128", "__float128").line(1),
    sample("wide-integer", r"r14b.c:1:38: error: ‘__int128’ is not supported on this target
    1 | __float128 x; int f(void){return x;} __int128 y; _Float128 z;
      |                                      ^~~~~~~~", "__int128").line(1),
    sample("wide-integer-expected", r"a.c:1:25: error: expected ';' before '__int128'", "__int128").line(1).documented(),
    sample("changes-meaning", r"e19.cpp:1:26: error: declaration of ‘A B::A’ changes meaning of ‘A’ [-fpermissive]
    1 | struct A{}; struct B { A A; }; template<class T> struct C { void f(){ undef_x(); T::g(); } }; struct S; S s;
      |                          ^
e19.cpp:1:8: note: ‘A’ declared here as ‘struct A’", "changes meaning").line(1),
    sample("clash-static", r"e22.c:6:12: error: static declaration of ‘gettid’ follows non-static declaration
    6 | static int gettid(void){return 1;}
      |            ^~~~~~
In file included from /usr/include/unistd.h:1218,", "gettid").line(1),
    sample("compiler-part", r"riscv64-linux-gnu-gcc: fatal error: cannot execute ‘cc1plus’: execvp: No such file or directory
compilation terminated.", "g++").line(1),
    sample("const-conversion", r"e18.cpp: In function ‘void f(const char*)’:
e18.cpp:3:38: error: invalid conversion from ‘const char*’ to ‘char*’ [-fpermissive]
    3 | void f(const char*s){ char*p = strchr(s,1); char *q = s; int *m = malloc(3); int *z = (void*)0; }
      |                                ~~~~~~^~~~~
      |                                      |", "const char*").line(2),
    sample("const-conversion", r"e18.cpp:3:28: error: cannot initialize a variable of type 'char *' with an rvalue of type 'const char *'
    3 | void f(const char*s){ char*p = strchr(s,1); char *q = s; int *m = malloc(3); int *z = (void*)0; }
      |                            ^   ~~~~~~~~~~~
e18.cpp:3:51: error: cannot initialize a variable of type 'char *' with an lvalue of type 'const char *'", "const char *").line(1),
    sample("compiler-crash", r"a.cpp: In function 'int f()':
a.cpp:9:3: internal compiler error: in tree_to_shwi, at tree.cc:7012", "").line(2).documented(),
    sample("directive", r#"a.h:5:2: error: #error "libfoo has to be built with threads""#, "libfoo has to be built with threads").line(1).documented(),
    sample("directive-clang", r#"a.h:9:2: error: "libfoo has to be built with threads"
    9 | #error "libfoo has to be built with threads"
      |  ^"#, r#""libfoo has to be built with threads""#).line(1).documented(),
    sample("directive-compiler", r#"a.h:5:2: error: #error "This code needs GCC 11 or later""#, "This code needs GCC 11 or later").line(1).documented(),
    sample("directive-config", r#"a.h:5:2: error: #error "config.h must be included before this header""#, "config.h must be included before this header").line(1).documented(),
    sample("directive-static", r"a.cpp:5:2: error: static assertion failed: queue must hold at least one element", "queue must hold at least one element").line(1).documented(),
    sample("extra-qualification", r"a.h:9:10: error: extra qualification 'Foo::' on member 'bar' [-fpermissive]", "extra qualification 'Foo::'").line(1).documented(),
    sample("flag", r"gcc: error: unrecognized command-line option ‘-Wnosuchwarn’
gcc: error: unrecognized command-line option ‘-fnosuch’", "-Wnosuchwarn").line(1),
    sample("flag", r"clang-19: error: unknown argument: '-fno-tree-foo'
clang-19: error: unknown argument: '-fnosuch'", "-fno-tree-foo").line(1),
    sample("flag", r"gcc: error: unrecognized command-line option ‘-stdlib=libc++’", "-stdlib=libc++").line(1),
    sample("flag-argument", r"gcc: error: unrecognized argument to ‘-fsanitize=’ option: ‘foo’", "-fsanitize=").line(1),
    sample("flag-argument", r"cc1: error: ‘-Werror=nosuch’: no option ‘-Wnosuch’", "-Werror=nosuch").line(1),
    sample("flag-standard", r"g++: error: unrecognized command-line option ‘-std=c++26’; did you mean ‘-std=c++20’?", "c++26").line(1),
    sample("flag-standard", r"error: invalid value 'c++29' in '-std=c++29'
note: use 'c89', 'c90', or 'iso9899:1990' for 'ISO C 1990' standard
note: use 'iso9899:199409' for 'ISO C 1990 with amendment 1' standard
note: use 'gnu89' or 'gnu90' for 'ISO C 1990 with GNU extensions' standard", "c++29").line(1),
    sample("fortran", r"Error: Symbol 'x' at (1) has no IMPLICIT type", "").line(1).documented(),
    sample("fortran-arguments", r"Error: Type mismatch between actual argument at (1) and actual argument at (2) (REAL(4)/INTEGER(4)).
f1.f90:6:8:

    4 |  call s(1)", "Type mismatch").line(1),
    sample("fortran-deleted", r"Error: Fortran 2018 deleted feature: Arithmetic IF statement at (1)", "Arithmetic IF statement").line(1).documented(),
    sample("fortran-form", r"Error: Non-numeric character in statement label at (1)
f4.f:2:2:

    2 | end", "Non-numeric character in statement label").line(1),
    sample("fortran-line", r"Error: Line truncated at (1) [-Werror=line-truncation]
f2.f90:2:11:

    2 | print *, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "Line truncated").line(1),
    sample("fortran-range", r"Error: Integer too big for its kind at (1). This check can be disabled with the option ‘-fno-range-check’
f5.f90:4:15:

    4 | i = 99999999999", "Integer too big").line(1),
    sample("icu-booleans", r"a.cpp:5:12: error: 'FALSE' was not declared in this scope", "FALSE").line(1).documented(),
    sample("implicit", r#"e02.c: In function ‘main’:
e02.c:1:28: error: implicit declaration of function ‘strcpy’ [-Werror=implicit-function-declaration]
    1 | int main(void){ char b[4]; strcpy(b,"a"); foo_bar(1); return gettid2(); }
      |                            ^~~~~~
e02.c:1:1: note: include ‘<string.h>’ or provide a declaration of ‘strcpy’"#, "strcpy").line(2),
    sample("implicit", r#"e02b.c:2:27: error: call to undeclared function 'strdup'; ISO C99 and later do not support implicit function declarations [-Wimplicit-function-declaration]
    2 | int main(void){ char *p = strdup("a"); return asprintf(&p, "x") + mkstemps(p,1); }
      |                           ^
e02b.c:2:23: error: incompatible integer to pointer conversion initializing 'char *' with an expression of type 'int' [-Wint-conversion]"#, "strdup").line(1),
    sample("implicit", r"e23.c:3:24: error: call to undeclared function 'major'; ISO C99 and later do not support implicit function declarations [-Wimplicit-function-declaration]
    3 | int f(dev_t d){ return major(d)+minor(d);} dev_t g(void){ return makedev(1,2);} int main(void){return f(1);}
      |                        ^
e23.c:3:33: error: call to undeclared function 'minor'; ISO C99 and later do not support implicit function declarations [-Wimplicit-function-declaration]", "major").line(1),
    sample("implicit", r"a.c: In function 'main':
a.c:3:5: error: implicit declaration of function 'frobnicate' [-Wimplicit-function-declaration]
    3 |     frobnicate(1);
      |     ^~~~~~~~~~", "frobnicate").line(2).documented(),
    sample("implicit", r"a.c:5:12: error: implicit declaration of function 'luaL_register'; did you mean 'lua_register'? [-Werror=implicit-function-declaration]", "luaL_register").kind(Kind::RemovedApi).line(1).documented(),
    sample("implicit-int", r"e03.c:1:1: error: return type defaults to ‘int’ [-Werror=implicit-int]
    1 | f(){return 1;}
      | ^
e03.c:2:8: error: type defaults to ‘int’ in declaration of ‘x’ [-Werror=implicit-int]", "").line(1),
    sample("implicit-int", r"a.c:1:1: error: type defaults to 'int' in declaration of 'counter' [-Wimplicit-int]", "counter").line(1).documented(),
    sample("implicit-template", r"a.h:9:10: error: there are no arguments to 'undefined_x' that depend on a template parameter, so a declaration of 'undefined_x' must be available [-fpermissive]", "undefined_x").line(1).documented(),
    sample("include-initializer", r"a.cpp:4:13: error: deducing from brace-enclosed initializer list requires '#include <initializer_list>'", "initializer_list").line(1).documented(),
    sample("include-noted", r"e10.cpp:1:12: error: ‘uint32_t’ does not name a type
    1 | struct A { uint32_t x; std::uint8_t y; };
      |            ^~~~~~~~
e10.cpp:1:1: note: ‘uint32_t’ is defined in header ‘<cstdint>’; did you forget to ‘#include <cstdint>’?", "cstdint").line(1),
    sample("include-noted", r"e11.c: In function ‘f’:
e11.c:1:21: error: ‘INT_MAX’ undeclared (first use in this function)
    1 | int f(void){ return INT_MAX; }
      |                     ^~~~~~~
e11.c:1:1: note: ‘INT_MAX’ is defined in header ‘<limits.h>’; did you forget to ‘#include <limits.h>’?", "limits.h").line(2),
    sample("include-typeinfo", r"a.cpp:4:3: error: must '#include <typeinfo>' before using 'typeid'", "typeinfo").line(1).documented(),
    sample("int-conversion", r"e04.c: In function ‘p’:
e04.c:1:24: error: returning ‘long int’ from a function with return type ‘int *’ makes pointer from integer without a cast [-Werror=int-conversion]
    1 | int *p(long x){ return x; }
      |                        ^
e04.c: In function ‘q’:", "").line(2),
    sample("literal-suffix", r#"a.cpp:9:10: error: unable to find string literal operator 'operator""PRIu64' with 'const char [3]', 'long unsigned int' arguments"#, r#"operator""PRIu64"#).line(1).documented(),
    sample("name-member", r"a.c:5:12: error: 'AVStream' {aka 'struct AVStream'} has no member named 'codec'", "codec").kind(Kind::RemovedApi).line(1).documented(),
    sample("name-member", r"a.cpp:5:12: error: 'class QString' has no member named 'toAscii'", "toAscii").kind(Kind::RemovedApi).line(1).documented(),
    sample("name-member", r"a.c:5:12: error: 'Tcl_Interp' has no member named 'result'", "result").kind(Kind::RemovedApi).line(1).documented(),
    sample("name-placed", r"e11.cpp:2:6: error: ‘uint16_t’ in namespace ‘std’ does not name a type
    2 | std::uint16_t z; int f(){ return std::numeric_limits<int>::max(); }
      |      ^~~~~~~~
e11.cpp: In function ‘int f()’:", "cstdint").kind(Kind::MissingInclude).line(1),
    sample("standard-note", r"e12.cpp:4:6: error: ‘string_view’ in namespace ‘std’ does not name a type
    4 | std::string_view s; std::optional<int> o; namespace fs = std::filesystem;
      |      ^~~~~~~~~~~
e12.cpp:4:1: note: ‘std::string_view’ is only available from C++17 onwards", "c++17").kind(Kind::StandardTooOld).line(1),
    sample("name-placed", r"a.cpp:5:12: error: 'task_scheduler_init' is not a member of 'tbb'", "task_scheduler_init").kind(Kind::RemovedApi).line(1).documented(),
    sample("name-placed", r"a.cpp:5:12: error: 'io_service' in namespace 'boost::asio' does not name a type", "io_service").kind(Kind::RemovedApi).line(1).documented(),
    sample("name-placed-clang", r"e11.cpp:2:6: error: no type named 'uint16_t' in namespace 'std'
    2 | std::uint16_t z; int f(){ return std::numeric_limits<int>::max(); }
      | ~~~~~^
e11.cpp:2:39: error: no member named 'numeric_limits' in namespace 'std'", "cstdint").kind(Kind::MissingInclude).line(1),
    sample("name-placed-clang", r#"e13.cpp:2:18: error: no member named 'filesystem' in namespace 'std'
    2 | int main(){ std::filesystem::path p; std::span<int> q; std::optional<int> z; std::variant<int> v; std::any a; std::byte b; std::format("x"); std::ranges::sort(p);
      |             ~~~~~^
e13.cpp:2:43: error: no member named 'span' in namespace 'std'"#, "c++17").kind(Kind::StandardTooOld).line(1),
    sample("name-placed-clang", r"a.cpp:5:12: error: no member named 'startswith' in 'llvm::StringRef'", "startswith").kind(Kind::RemovedApi).line(1).documented(),
    sample("name-placed-clang", r"a.cpp:5:12: error: no member named 'Handle' in namespace 'v8'", "Handle").kind(Kind::RemovedApi).line(1).documented(),
    sample("name-plain", r"e10.cpp:1:12: error: unknown type name 'uint32_t'
    1 | struct A { uint32_t x; std::uint8_t y; };
      |            ^
e10.cpp:1:24: error: use of undeclared identifier 'std'", "cstdint").kind(Kind::MissingInclude).line(1),
    sample("name-plain", r"e11.c:1:21: error: use of undeclared identifier 'INT_MAX'
    1 | int f(void){ return INT_MAX; } 
      |                     ^
e11.c:2:14: error: call to undeclared library function 'printf' with type 'int (const char *, ...)'; ISO C99 and later do not support implicit function declarations [-Wim", "limits.h").kind(Kind::MissingInclude).line(1),
    sample("name-plain", r"e12d.cpp:3:19: error: ‘concept’ does not name a type; did you mean ‘const’?
    3 | template<class T> concept C = true; template<C T> T f(T t) requires true { return t; }
      |                   ^~~~~~~
      |                   const", "c++20").kind(Kind::StandardTooOld).line(1),
    sample("name-plain", r"a.c:5:12: error: 'CODEC_ID_H264' undeclared (first use in this function); did you mean 'AV_CODEC_ID_H264'?", "CODEC_ID_H264").kind(Kind::RemovedApi).line(1).documented(),
    sample("name-plain", r"a.cpp:5:12: error: 'CV_BGR2GRAY' was not declared in this scope", "CV_BGR2GRAY").kind(Kind::RemovedApi).line(1).documented(),
    sample("name-plain", r"a.c:5:12: error: unknown type name 'GtkItemFactory'", "GtkItemFactory").kind(Kind::RemovedApi).line(1).documented(),
    sample("name-plain", r"a.cpp:5:12: error: 'QRegExp' was not declared in this scope; did you mean 'QRegion'?", "QRegExp").kind(Kind::RemovedApi).line(1).documented(),
    sample("name-std", r"e12.cpp:4:1: error: use of undeclared identifier 'std'
    4 | std::string_view s; std::optional<int> o; namespace fs = std::filesystem;
      | ^
e12.cpp:4:21: error: use of undeclared identifier 'std'", "c++17").kind(Kind::StandardTooOld).line(1),
    sample("narrowing", r"e15.cpp:1:14: error: narrowing conversion of ‘200’ from ‘int’ to ‘char’ [-Wnarrowing]
    1 | char t[]={-1,200,0xff}; int f(double d){ int a[]={d}; return a[0]; } unsigned u{-1};
      |              ^~~
e15.cpp:1:18: error: narrowing conversion of ‘255’ from ‘int’ to ‘char’ [-Wnarrowing]", "").line(1),
    sample("old-definition", r"e08.c: In function ‘add’:
e08.c:1:5: error: old-style function definition [-Werror=old-style-definition]
    1 | int add(a,b) int a; int b; { return a+b; }
      |     ^~~
e08.c: In function ‘main’:", "function definitions without prototypes").line(2),
    sample("old-definition-clang", r"e08.c:1:9: error: unknown type name 'a'
    1 | int add(a,b) int a; int b; { return a+b; }
      |         ^
e08.c:1:11: error: unknown type name 'b'", "function definitions without prototypes").line(1),
    sample("opaque", r"e24.c:6:34: error: variable has incomplete type 'EVP_MD_CTX' (aka 'struct evp_md_ctx_st')
    6 | void f(RSA*r, SSL*s){ EVP_MD_CTX c; HMAC_CTX h; EVP_CIPHER_CTX cc; EVP_MD_CTX_cleanup(&c); r->n = 0; s->version=1; SSLv3_client_method(); ERR_remove_state(0); DSA
      |                                  ^
/usr/include/openssl/types.h:104:16: note: forward declaration of 'struct evp_md_ctx_st'", "EVP_MD_CTX").line(1),
    sample("opaque", r"a.c:5:12: error: dereferencing pointer to incomplete type 'struct evp_cipher_ctx_st'", "evp_cipher_ctx_st").line(1).documented(),
    sample("opaque", r"a.c:5:12: error: invalid use of incomplete typedef 'WINDOW' {aka 'struct _win_st'}", "WINDOW").line(1).documented(),
    sample("opaque-aggregate", r"a.cpp:5:12: error: aggregate 'EVP_MD_CTX ctx' has incomplete type and cannot be defined", "EVP_MD_CTX").line(1).documented(),
    sample("opaque-storage", r"e24.c: In function ‘f’:
e24.c:6:34: error: storage size of ‘c’ isn’t known
    6 | void f(RSA*r, SSL*s){ EVP_MD_CTX c; HMAC_CTX h; EVP_CIPHER_CTX cc; EVP_MD_CTX_cleanup(&c); r->n = 0; s->version=1; SSLv3_client_method(); ERR_remove_state(0); DSA
      |                                  ^
e24.c:6:46: error: storage size of ‘h’ isn’t known", "RSA").line(2),
    sample("parameter-type", r"a.c:2:7: error: type of 'x' was not declared [-Wdeclaration-missing-parameter-type]", "declaration-missing-parameter-type").line(1).documented(),
    sample("permissive", r"a.cpp:5:12: error: jump to label 'out' [-fpermissive]", "permissive").line(1).documented(),
    sample("pointer-order", r"e16.cpp: In function ‘int f(int*)’:
e16.cpp:1:24: error: ordered comparison of pointer with integer zero (‘int*’ and ‘int’)
    1 | int f(int*p){ return p > 0; }
      |                      ~~^~~
e16.cpp: In function ‘int g(char*)’:", "ordered comparison of pointer with integer zero").line(2),
    sample("pointer-order", r"e16.cpp:1:24: error: ordered comparison between pointer and zero ('int *' and 'int')
    1 | int f(int*p){ return p > 0; }
      |                      ~ ^ ~
e16.cpp:2:25: error: ordered comparison between pointer and zero ('char *' and 'int')", "ordered comparison between pointer and zero").line(1),
    sample("pointer-types", r"e05.c: In function ‘g’:
e05.c:1:36: error: passing argument 1 of ‘f’ from incompatible pointer type [-Werror=incompatible-pointer-types]
    1 | void f(int *p); void g(char *c){ f(c); }
      |                                    ^
      |                                    |", "").line(2),
    sample("return-mismatch", r"e06.c: In function ‘f’:
e06.c:1:15: error: ‘return’ with no value, in function returning non-void [-Werror=return-type]
    1 | int f(int x){ return; }
      |               ^~~~~~
e06.c:1:5: note: declared here", "return-type").line(2),
    sample("return-mismatch", r"e06.c:1:15: error: non-void function 'f' should return a value [-Wreturn-mismatch]
    1 | int f(int x){ return; }
      |               ^
e06.c:2:15: error: void function 'g' should not return a value [-Wreturn-mismatch]", "return-mismatch").line(1),
    sample("signal-stack", r"e21.cpp:2:13: error: variably modified ‘stack’ at file scope
    2 | static char stack[SIGSTKSZ];
      |             ^~~~~
In file included from /usr/include/signal.h:328,", "SIGSTKSZ").line(1),
    sample("signal-stack-if", r#"In file included from /usr/include/signal.h:328,
                 from e21.cpp:1:
e21.cpp:4:5: error: missing binary operator before token "("
    4 | #if MINSIGSTKSZ > 3
      |     ^~~~~~~~~~~
e21.cpp:2:19: error: size of array ‘stack’ is not an integral constant-expression"#, "SIGSTKSZ").line(3),
    sample("source-gone", r"cc1: fatal error: gone.c: No such file or directory
compilation terminated.", "gone.c").line(1),
    sample("source-gone", r"clang-19: error: no such file or directory: 'gone.o'
clang-19: error: no input files", "gone.o").kind(Kind::MissingGenerated).line(1),
    sample("source-gone", r"nasm: fatal: unable to open input file `gone.asm' No such file or directory", "gone.asm").line(1),
    sample("standard-ambiguous", r"e17.cpp:5:50: error: reference to ‘byte’ is ambiguous
    5 | using namespace std; typedef unsigned char byte; byte b; int data[3]; int f(){ return data[0];} int size=1; int g(){return size;} template<class T> struct functio
      |                                                  ^~~~
In file included from e17.cpp:1:", "byte").line(1),
    sample("standard-c23-arguments", r"a.c:9:12: error: too many arguments to function 'callback'; expected 0, have 2", "callback").line(1).documented(),
    sample("standard-c23-bool", r"e07.c:1:13: error: redeclaration of C++ built-in type 'bool'
    1 | typedef int bool;
      |             ^
e07.c:2:8: error: expected identifier", "bool").line(1),
    sample("standard-c23-bool", r"a.c:4:14: error: expected identifier before 'false'
    4 | typedef enum { false, true } boolean;", "false").line(1).documented(),
    sample("standard-c23-type", r"a.h:3:23: error: two or more data types in declaration specifiers
    3 | typedef unsigned char bool;", "bool").line(2).documented(),
    sample("standard-clang", r"e12e.cpp:1:25: error: 'auto' not allowed in lambda parameter before C++14
    1 | int main(){ auto f = [](auto x){return x;}; static_assert(sizeof(int)==4); constexpr int v=1; if constexpr (v) {} return f(0); } class A { int x = 0; }; inline in
      |                         ^~~~
e12e.cpp:1:45: error: use of undeclared identifier 'static_assert'", "c++14").line(1),
    sample("standard-directive", r#"e30b.cpp:1:2: error: #error This code requires C++17 or newer
    1 | #error This code requires C++17 or newer
      |  ^~~~~
e30b.cpp:2:2: error: #error "Please define HAVE_CONFIG_H""#, "c++17").line(1),
    sample("standard-directive", r#"/usr/include/absl/base/policy_checks.h:79:2: error: #error "C++ versions less than C++14 are not supported.""#, "c++14").line(1).documented(),
    sample("standard-directive-before", r#"a.h:270:2: error: #error "You must compile with C++17""#, "c++17").line(1).documented(),
    sample("standard-header", r"In file included from /usr/include/c++/12/thread:35,
                 from e12c.cpp:1:
/usr/include/c++/12/bits/c++0x_warning.h:32:2: error: #error This file requires compiler and library support for the ISO C++ 2011 standard. This support must be enabled w
   32 | #error This file requires compiler and library support \
      |  ^~~~~
e12c.cpp: In function ‘int main()’:", "c++11").line(3),
    sample("standard-increment", r"a.cpp:4:3: error: use of an operand of type 'bool' in 'operator++' is forbidden in C++17", "operator++").line(1).documented(),
    sample("standard-note", r"a.cpp:4:17: error: 'make_thing' is not a member of 'std'
    4 | auto p = std::make_thing(1);
      |               ^~~~~~~~~~
a.cpp:4:17: note: 'std::make_thing' is only available from C++17 onwards", "c++17").line(1).documented(),
    sample("standard-only", r"e12e.cpp: In function ‘int main()’:
e12e.cpp:1:25: error: use of ‘auto’ in lambda parameter declaration only available with ‘-std=c++14’ or ‘-std=gnu++14’
    1 | int main(){ auto f = [](auto x){return x;}; static_assert(sizeof(int)==4); constexpr int v=1; if constexpr (v) {} return f(0); } class A { int x = 0; }; inline in
      |                         ^~~~
e12e.cpp:1:98: warning: ‘if constexpr’ only available with ‘-std=c++17’ or ‘-std=gnu++17’ [-Wc++17-extensions]", "c++14").line(2),
    sample("standard-unordered", r"e14.cpp:5:10: error: ISO C++17 does not allow dynamic exception specifications
    5 | void f() throw(int); void g(){ register int i=0; std::auto_ptr<int> p; int v[3]; std::random_shuffle(v,v+3); std::bind1st(std::plus<int>(),1); std::mem_fun(&g); b
      |          ^~~~~
e14.cpp: In function ‘void g()’:", "dynamic exception specifications").line(1),
    sample("template-body", r"a.cpp:9:10: error: no match for 'operator=' (operand types are 'A' and 'int') [-Wtemplate-body]", "template-body").line(1).documented(),
    sample("link-archive", r"ar: libgone.a: No such file or directory", "libgone.a").line(1),
    sample("link-dso", r"/usr/bin/ld: /tmp/cca1b2c.o: undefined reference to symbol 'inner'
/usr/bin/ld: ./libin.so: error adding symbols: DSO missing from command line
collect2: error: ld returned 1 exit status", "in").line(1),
    sample("link-dso-alone", r"/usr/bin/ld: /usr/lib/x86_64-linux-gnu/libm.so.6: error adding symbols: DSO missing from command line", "m").line(1).documented(),
    sample("link-emulation", r"ld: unrecognised emulation mode: aarch64linux
Supported emulations: elf_x86_64 elf32_x86_64 elf_i386 elf_iamcu i386pep i386pe", "aarch64linux").line(1),
    sample("link-emulation", r"/usr/bin/ld: unrecognised emulation mode: elf32_foo
Supported emulations: elf_x86_64 elf32_x86_64 elf_i386 elf_iamcu i386pep i386pe
collect2: error: ld returned 1 exit status", "elf32_foo").line(1),
    sample("link-emulation", r"/usr/bin/ld: unrecognised emulation mode: elf64btsmip
Supported emulations: elf_x86_64 elf32_x86_64 elf_i386 elf_iamcu i386pep i386pe
clang-19: error: linker command failed with exit code 1 (use -v to see invocation)", "elf64btsmip").line(1),
    sample("link-fit", r"/tmp/cca1b2c.o: in function `main':
big.c:(.text+0x11): relocation truncated to fit: R_X86_64_PC32 against `.bss'
collect2: error: ld returned 1 exit status", "R_X86_64_PC32").line(2),
    sample("link-fit", r"/usr/bin/ld: firmware.elf section `.text' will not fit in region `FLASH'", ".text").line(1).documented(),
    sample("link-float", r"/usr/lib/gcc-cross/arm-linux-gnueabihf/12/../../../../arm-linux-gnueabihf/bin/ld: error: a.out uses VFP register arguments, /tmp/cca1b2c.o does not
/usr/lib/gcc-cross/arm-linux-gnueabihf/12/../../../../arm-linux-gnueabihf/bin/ld: failed to merge target specific data of file /tmp/cca1b2c.o
/usr/lib/gcc-cross/arm-linux-gnueabihf/12/../../../../arm-linux-gnueabihf/bin/ld: /tmp/cca1b2c.o: in function `main':
at2.c:(.text+0x16): undefined reference to `__atomic_fetch_add_8'", "/tmp/cca1b2c.o").line(1),
    sample("link-float-merge", r"ld: failed to merge target specific data of file b.o", "b.o").line(1).documented(),
    sample("link-foreign", r"/usr/bin/ld: arm.o: Relocations in generic ELF (EM: 183)
/usr/bin/ld: arm.o: error adding symbols: file in wrong format
collect2: error: ld returned 1 exit status", "arm.o").line(1),
    sample("link-foreign", r"/usr/bin/ld: libarms.a(arm.o): Relocations in generic ELF (EM: 183)
/usr/bin/ld: libarms.a: error adding symbols: file in wrong format
collect2: error: ld returned 1 exit status", "libarms.a").line(1),
    sample("link-foreign", r"/usr/lib/gcc-cross/aarch64-linux-gnu/12/../../../../aarch64-linux-gnu/bin/ld: x86.o: Relocations in generic ELF (EM: 62)
/usr/lib/gcc-cross/aarch64-linux-gnu/12/../../../../aarch64-linux-gnu/bin/ld: x86.o: error adding symbols: file in wrong format
collect2: error: ld returned 1 exit status", "x86.o").line(1),
    sample("link-foreign-class", r"libfoo.so: wrong ELF class: ELFCLASS32", "libfoo.so").line(1).documented(),
    sample("link-foreign-gold", r"/usr/bin/ld.gold: fatal error: arm.o: unsupported ELF machine number 183
collect2: error: ld returned 1 exit status", "arm.o").line(1),
    sample("link-foreign-library", r"/usr/bin/ld: skipping incompatible ./libarm.so when searching for -larm
/usr/bin/ld: cannot find -larm: No such file or directory
/usr/bin/ld: skipping incompatible ./libarm.so when searching for -larm
collect2: error: ld returned 1 exit status", "./libarm.so").line(1),
    sample("link-foreign-lld", r"ld.lld: error: arm.o is incompatible with elf64-x86-64
clang-19: error: linker command failed with exit code 1 (use -v to see invocation)", "arm.o").line(1),
    sample("link-garbage", r"/usr/bin/ld:bad.o: file format not recognized; treating as linker script
/usr/bin/ld:bad.o:0: syntax error
collect2: error: ld returned 1 exit status", "bad.o").line(1),
    sample("link-garbage", r"/usr/bin/ld:libtxt.a: file format not recognized; treating as linker script
/usr/bin/ld:libtxt.a:0: syntax error
collect2: error: ld returned 1 exit status", "libtxt.a").line(1),
    sample("link-hidden", r"/usr/bin/ld: main: hidden symbol `__cpu_model' in /usr/lib/gcc/libgcc.a(cpuinfo.o) is referenced by DSO", "__cpu_model").line(1).documented(),
    sample("link-input", r"/usr/bin/ld: cannot find /usr/lib/libz.so: No such file or directory
collect2: error: ld returned 1 exit status
libtool:   error: cannot find the library 'libnope.la' or unhandled argument 'libnope.la'", "/usr/lib/libz.so").kind(Kind::MissingFile).line(1),
    sample("link-input", r"/usr/bin/ld: cannot find libgone.a: No such file or directory
collect2: error: ld returned 1 exit status", "libgone.a").line(1),
    sample("link-input", r"/usr/bin/ld: cannot find gone.o: No such file or directory
collect2: error: ld returned 1 exit status", "gone.o").line(1),
    sample("link-libc", r"./tool: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by ./tool)", "GLIBC_2.38").line(1).documented(),
    sample("link-libtool", r"libtool:   error: cannot find the library '/usr/lib/libogg.la' or unhandled argument '/usr/lib/libogg.la'", "ogg").line(1).documented(),
    sample("link-linker", r"collect2: fatal error: cannot find ‘ld’
compilation terminated.", "ld").line(1),
    sample("link-linker", r"clang-19: error: invalid linker name in argument '-fuse-ld=mold'", "mold").line(1),
    sample("link-linker-script", r"/usr/bin/ld:flash.ld:14: syntax error", "flash.ld").line(1).documented(),
    sample("link-loading", r"./u: error while loading shared libraries: libdep.so: cannot open shared object file: No such file or directory", "libdep.so").line(1),
    sample("link-loading", r"OSError: libnosuch.so.3: cannot open shared object file: No such file or directory", "libnosuch.so.3").line(1),
    sample("link-loading-musl", r"Error loading shared library libfoo.so.1: No such file or directory (needed by ./app)", "libfoo.so.1").line(1).documented(),
    sample("link-lto", r"lto1: fatal error: bytecode stream in file 'a.o' generated with LTO version 11.3 instead of the expected 12.0", "bytecode stream in file 'a.o' generated with LTO version 11.3 instead of the expected 12.0").line(1).documented(),
    sample("link-lto", r"/usr/bin/ar: a.o: plugin needed to handle lto object", "a.o").line(1).documented(),
    sample("link-multiple", r"/usr/bin/ld: /tmp/cca1b2c.o:(.bss+0x0): multiple definition of `counter'; /tmp/cca1b2c.o:(.bss+0x0): first defined here
collect2: error: ld returned 1 exit status", "counter").line(1),
    sample("link-multiple", r"/usr/bin/ld: /tmp/cca1b2c.o: in function `fun':
d4.c:(.text+0x0): multiple definition of `fun'; /tmp/cca1b2c.o:d3.c:(.text+0x0): first defined here
collect2: error: ld returned 1 exit status", "fun").line(2),
    sample("link-multiple", r"/usr/bin/ld: m2.o: in function `main':
m.c:(.text+0x0): multiple definition of `main'; m1.o:m.c:(.text+0x0): first defined here
collect2: error: ld returned 1 exit status", "main").line(2),
    sample("link-not-recognized", r"lto.o: file not recognized: file format not recognized
collect2: error: ld returned 1 exit status", "lto.o").line(1),
    sample("link-option", r"/usr/bin/ld: unrecognized option '--nosuchopt'
/usr/bin/ld: use the --help option for usage information
collect2: error: ld returned 1 exit status", "--nosuchopt").line(1),
    sample("link-output", r"/usr/bin/ld: cannot open output file /nosuch/x: No such file or directory
collect2: error: ld returned 1 exit status", "/nosuch/x").line(1),
    sample("link-position", r"/usr/bin/ld: np.o: relocation R_X86_64_PC32 against symbol `x' can not be used when making a shared object; recompile with -fPIC
/usr/bin/ld: final link failed: bad value
collect2: error: ld returned 1 exit status", "np.o").line(1),
    sample("link-position", r"/usr/lib/gcc-cross/aarch64-linux-gnu/12/../../../../aarch64-linux-gnu/bin/ld: npa.o: relocation R_AARCH64_ADR_PREL_PG_HI21 against symbol `x' which may bind externally can not be used when making a shared object; recompile with -fPIC
npa.o: in function `f':
np.c:(.text+0x10): dangerous relocation: unsupported relocation
collect2: error: ld returned 1 exit status", "npa.o").line(1),
    sample("link-position-any", r"a.s:(.text+0x10): dangerous relocation: unsupported relocation", "").line(1).documented(),
    sample("link-position-gold", r"/usr/bin/ld.gold: error: np.o: requires dynamic R_X86_64_PC32 reloc against 'x' which may overflow at runtime; recompile with -fPIC
collect2: error: ld returned 1 exit status", "np.o").line(1),
    sample("link-position-lld", r"ld.lld: error: relocation R_X86_64_PC32 cannot be used against symbol 'x'; recompile with -fPIC
>>> defined in np.o
>>> referenced by np.c
>>>               np.o:(f)
clang-19: error: linker command failed with exit code 1 (use -v to see invocation)", "np.o").line(2),
    sample("link-stack", r"/usr/bin/ld: warning: ns.o: missing .note.GNU-stack section implies executable stack
/usr/bin/ld: NOTE: This behaviour is deprecated and will be removed in a future version of the linker
collect2: error: ld returned 1 exit status", "ns.o").line(1),
    sample("link-start-files", r"ld.lld: error: cannot open Scrt1.o: No such file or directory
ld.lld: error: cannot open crti.o: No such file or directory
ld.lld: error: cannot open crtbeginS.o: No such file or directory
ld.lld: error: unable to find library -lgcc", "Scrt1.o").line(1),
    sample("link-undefined", r"/usr/bin/ld: /tmp/cca1b2c.o: in function `f':
e23.c:(.text+0x1a): undefined reference to `major'
/usr/bin/ld: e23.c:(.text+0x2d): undefined reference to `minor'
/usr/bin/ld: /tmp/cca1b2c.o: in function `g':
e23.c:(.text+0x4d): undefined reference to `makedev'", "major").line(2),
    sample("link-undefined", r"/usr/bin/ld: /tmp/cca1b2c.o: in function `main':
k.c:(.text+0xa): undefined reference to `BZ2_bzopen'
collect2: error: ld returned 1 exit status", "BZ2_bzopen").line(2),
    sample("link-undefined", r"/usr/bin/ld: /tmp/cca1b2c.o: in function `main':
k.c:(.text+0xa): undefined reference to `SSL_new'
collect2: error: ld returned 1 exit status", "SSL_new").line(2),
    sample("link-undefined-lld", r"ld.lld: error: undefined symbol: g(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>> const&)
>>> referenced by k.cpp
>>>               /tmp/k-11898e.o:(main)", "g(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>> const&)").line(1),
    sample("link-undefined-lld", r"ld.lld: error: undefined symbol: deflate
>>> referenced by k.c
>>>               /tmp/k-7e6fda.o:(main)", "deflate").line(1),
    sample("link-undefined-lld", r"ld.lld: error: undefined symbol: main
>>> referenced by /lib/x86_64-linux-gnu/Scrt1.o:(_start)
clang-19: error: linker command failed with exit code 1 (use -v to see invocation)", "main").line(1),
    sample("link-undefined-loading", r"OSError: /build/libund.so: undefined symbol: hid", "hid").line(1),
    sample("link-undefined-loading", r"./app: symbol lookup error: ./app: undefined symbol: foo_open", "foo_open").line(1).documented(),
    sample("link-versions", r"ld.lld: error: version script assignment of 'global' to symbol 'nosuch' failed: symbol not defined
clang-19: error: linker command failed with exit code 1 (use -v to see invocation)", "nosuch").line(1),
];
