//! Whether this processor has what the program is built for, which `target-cpu` decides.
//!
//! `is_x86_feature_detected!` is no help: of a feature that the program is built for it says that it is there. What runs
//! before the answer must not need such a feature itself, so there are no tables here that a compiler would copy by
//! vectors and no shifts by a variable, only tests of constant masks.

/// A feature of processors that this program is built for and that this one lacks, as `rustc` calls it.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub fn missing_feature() -> Option<&'static str> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    let last = __cpuid(0).eax;
    let basic = __cpuid(1).ecx;
    let (wide, more) = if last >= 7 { (__cpuid_count(7, 0).ebx, __cpuid_count(7, 0).ecx) } else { (0, 0) };
    let extended = if __cpuid(0x8000_0000).eax > 0x8000_0000 { __cpuid(0x8000_0001).ecx } else { 0 };
    /// `needed!(register, bit, name…)`: returns the name of each that is built for and whose bit is not set.
    macro_rules! needed {
        ($($register:ident $bit:literal $name:literal),*) => {
            $(if cfg!(target_feature = $name) && $register & (1 << $bit) == 0 {
                return Some($name);
            })*
        };
    }
    // The numbers are those of the manual of the CPUID instruction; bit 27 is the system's support for wide registers.
    if cfg!(target_feature = "avx") && basic & (1 << 27) == 0 {
        return Some("avx");
    }
    needed!(basic 0 "sse3", basic 1 "pclmulqdq", basic 9 "ssse3", basic 12 "fma", basic 13 "cmpxchg16b");
    needed!(basic 19 "sse4.1", basic 20 "sse4.2", basic 22 "movbe", basic 23 "popcnt", basic 25 "aes");
    needed!(basic 28 "avx", basic 29 "f16c", extended 5 "lzcnt", extended 6 "sse4a");
    needed!(wide 3 "bmi1", wide 5 "avx2", wide 8 "bmi2", wide 16 "avx512f", wide 17 "avx512dq", wide 19 "adx");
    needed!(wide 28 "avx512cd", wide 29 "sha", wide 30 "avx512bw", wide 31 "avx512vl", more 1 "avx512vbmi");
    needed!(more 6 "avx512vbmi2", more 8 "gfni", more 9 "vaes", more 10 "vpclmulqdq", more 11 "avx512vnni");
    needed!(more 12 "avx512bitalg", more 14 "avx512vpopcntdq");
    None
}

/// A feature of processors that this program is built for and that this one lacks, where that can be asked for.
#[cfg(not(target_arch = "x86_64"))]
pub const fn missing_feature() -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_that_runs_this_lacks_nothing() {
        assert_eq!(missing_feature(), None);
    }
}
