"""Compiles every ``*_kernel.py``; everything else stands in ``pyproject.toml``."""

import os
import sys
import sysconfig
from hashlib import sha256
from pathlib import Path
from shutil import copyfile

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path("src")
KEPT = Path("build/kernels")  # compiled ones, by what they were compiled from
OLDEST = "0x030B0000"  # Python 3.11: the first stable ABI with the buffer protocol, which memoryviews need
STABLE_ABI = not sysconfig.get_config_var("Py_GIL_DISABLED")  # free-threaded builds have none
# No -march=native and no -ffast-math: the same bits on every machine.
FLAGS = {"msvc": ["/O2", "/fp:precise"], "unix": ["-O3", "-ffp-contract=off", "-g0"]}
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
}


def kernels() -> list[Extension]:
    """One extension for each kernel; the ``.pxd`` beside it is found by its name."""
    return [
        Extension(
            ".".join(path.relative_to(SOURCE).with_suffix("").parts),
            [path.as_posix()],
            define_macros=[("Py_LIMITED_API", OLDEST)] if STABLE_ABI else [],
            py_limited_api=STABLE_ABI,
        )
        for path in sorted(SOURCE.glob("xylogic/**/*_kernel.py"))
    ]


class BuildKernels(build_ext):
    """``build_ext`` that cythonizes first and picks the flags that the compiler knows."""

    def build_extensions(self) -> None:
        from Cython.Build import cythonize

        flags = FLAGS["msvc" if self.compiler.compiler_type == "msvc" else "unix"]
        processes = (os.cpu_count() or 0) if sys.platform == "linux" else 0  # elsewhere they would run this file again
        made = cythonize(
            self.extensions,
            build_dir="build/cython",
            compiler_directives=DIRECTIVES,
            nthreads=processes,
            quiet=True,
        )
        for extension, translated in zip(self.extensions, made, strict=True):
            extension.sources = translated.sources
            extension.depends = translated.depends
            extension.extra_compile_args = flags
        self.parallel = self.parallel or os.cpu_count()
        super().build_extensions()

    def build_extension(self, ext: Extension) -> None:
        """Compile, or take what was compiled from the same C before: of two installations the second takes seconds."""
        same = [Path(source).read_bytes() for source in ext.sources]
        same += [repr((ext.extra_compile_args, ext.define_macros, sys.version, self.compiler.compiler_type)).encode()]
        made = Path(self.get_ext_fullpath(ext.name))
        kept = KEPT / f"{ext.name}.{sha256(b''.join(same)).hexdigest()[:16]}{made.suffix}"
        if kept.exists():
            made.parent.mkdir(parents=True, exist_ok=True)
            copyfile(kept, made)
            return
        super().build_extension(ext)
        KEPT.mkdir(parents=True, exist_ok=True)
        copyfile(made, kept)


setup(
    ext_modules=kernels(),
    cmdclass={"build_ext": BuildKernels},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE_ABI else {},
)
