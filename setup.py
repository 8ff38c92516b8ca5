"""Compiles every ``*_kernel.py``; everything else stands in ``pyproject.toml``."""

import os
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path("src")
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
        for extension in self.extensions:
            (made,) = cythonize(extension, build_dir="build/cython", compiler_directives=DIRECTIVES, quiet=True)
            extension.sources = made.sources
            extension.depends = made.depends
            extension.extra_compile_args = flags
        self.parallel = self.parallel or os.cpu_count()
        super().build_extensions()


setup(
    ext_modules=kernels(),
    cmdclass={"build_ext": BuildKernels},
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE_ABI else {},
)
