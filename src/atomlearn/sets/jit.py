"""Compilation of kernels: cached on disk, without the interpreter's lock, never generic.

``NUMBA_DISABLE_JIT=1`` leaves every kernel the plain Python function that it is written as, which
is how the suite covers them and checks that both forms agree."""

import contextlib
import functools
import gc
import logging
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import binding
from numba.core import event, typed_passes, types, untyped_passes
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompilerBase, Flags
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher

from atomlearn import interrupts

F = TypeVar("F", bound=Callable[..., Any])

TRIED = (0, 68)
"""The newest Numba whose compiler was tried with fewer passes; a newer one keeps its own."""

PASS_BUILDERS = (0, 62)
"""The first Numba that optimises with LLVM's new pass managers alone."""

log = logging.getLogger("atomlearn")


KERNELS: list[CPUDispatcher] = []
"""Every kernel of the modules that have been imported."""


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function that no signal can make return by an exception, which would crash."""

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel with signals deferred, if they are not deferred yet."""
        if interrupts.is_exposed():
            with interrupts.Deferred():
                return super().__call__(*arguments)
        return super().__call__(*arguments)

    def compile(self, signature: Any) -> Any:
        """Compile or load the kernel; garbage is not looked for meanwhile, which takes long."""
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return super().compile(signature)
        finally:
            if was_enabled:
                gc.enable()


class Helper(CPUDispatcher):  # type: ignore[misc]
    """A compiled function for other kernels; Python runs it as it is written."""

    def __call__(self, *arguments: Any) -> Any:
        """Run the plain Python function: without a wrapper the compiled one cannot be called."""
        with np.errstate(over="ignore"):  # words wrap around
            return self.py_func(*arguments)


PASSES = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.DeadBranchPrune,
    untyped_passes.GenericRewrites,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.IRLegalization,
    typed_passes.NativeLowering,
    typed_passes.NoPythonBackend,
)
"""Numba's passes without those for closures, objects, literals and parallel loops."""


@functools.cache
def passes(has_none: bool) -> PassManager:
    """Return the passes; branches for an argument that is ``None`` are left out."""
    found = PassManager("atomlearn")
    for one in PASSES:
        if has_none or one is not untyped_passes.DeadBranchPrune:
            found.add_pass(one, one.__name__)
    found.finalize()
    return found


class KernelCode(JITCodeLibrary):  # type: ignore[misc]
    """Code that is optimised once, when all helpers are there, and not each function before."""

    unrolled = False
    """Whether loops are unrolled: half as much code again, and hardly ever faster."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        if numba.version_info.short < PASS_BUILDERS:
            super()._optimize_final_module()
            return
        tuning = binding.create_pipeline_tuning_options(speed_level=3)
        tuning.loop_unrolling = self.unrolled
        tuning.slp_vectorization = False
        builder = binding.create_pass_builder(self._codegen._tm, tuning)
        builder.getModulePassManager().run(self._final_module, builder)

    def add_ir_module(self, ir_module: Any) -> None:
        """Add a module; that of a wrapper, which only unpacks arguments, is not optimised."""
        if ir_module.name == "wrapper":
            for function in ir_module.functions:
                if not function.is_declaration:
                    function.attributes.update(("optnone", "noinline"))
        super().add_ir_module(ir_module)


class UnrolledCode(KernelCode):
    """Code whose loops are unrolled."""

    unrolled = True


class HelperCode(KernelCode):
    """Code that is only ever linked into kernels: of its own no machine code is made."""

    serialize_using_object_code = JITCodeLibrary.serialize_using_bitcode

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return no address."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> "HelperCode":
        """What would be told the environment."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: only functions that raise errors need an environment."""


class FixedFlags(Flags):  # type: ignore[misc]
    """Flags that are compared by identity: Numba looks them up for every operation of a kernel."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def copy(self) -> "FixedFlags":
        """Return the same flags."""
        return self


fixed = functools.cache(FixedFlags)


class KernelCompiler(CompilerBase):  # type: ignore[misc]
    """Compile plain loops."""

    code = KernelCode

    def __init__(self, *arguments: Any) -> None:
        *others, flags, types_of_locals = arguments
        super().__init__(*others, fixed(flags), types_of_locals)

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes, which will write to a library of our own."""
        state = self.state
        state.library = self.code(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return [passes(types.none in state.args)]


class UnrolledCompiler(KernelCompiler):
    """Compile kernels whose loops are unrolled."""

    code = UnrolledCode


class HelperCompiler(KernelCompiler):
    """Compile helpers."""

    code = HelperCode


def kernel(function: F) -> F:
    """Compile ``function`` on its first call on a machine, and load it from disk afterwards.

    It is given its arrays: to make one inside takes longer to compile than most kernels.
    """
    return _compiled(function, Kernel, KernelCompiler, _nrt=False)


def unrolled_kernel(function: F) -> F:
    """Compile a kernel that spends its time in short loops, which are faster when unrolled."""
    return _compiled(function, Kernel, UnrolledCompiler, _nrt=False)


def helper(function: F) -> F:
    """Compile ``function`` for the kernels that call it, in a fraction of the time of a kernel."""
    return _compiled(function, Helper, HelperCompiler, no_cpython_wrapper=True, _nrt=False)


def allocating_kernel(function: F) -> F:
    """Compile a kernel that makes arrays."""
    return _compiled(function, Kernel, KernelCompiler)


def allocating_helper(function: F) -> F:
    """Compile a helper that makes arrays."""
    return _compiled(function, Helper, HelperCompiler, no_cpython_wrapper=True)


def _compiled(
    function: F, kind: type[CPUDispatcher], compiler: type[KernelCompiler], **options: bool
) -> F:
    compiled: F = numba.njit(
        nogil=True,
        error_model="numpy",
        no_cfunc_wrapper=True,
        pipeline_class=compiler if numba.version_info.short <= TRIED else Compiler,
        **options,
    )(function)
    if isinstance(compiled, CPUDispatcher):  # not with NUMBA_DISABLE_JIT
        compiled.__class__ = kind
        if kind is Kernel:
            KERNELS.append(compiled)
        try:
            compiled._cache = OptionalCache(function)
        except (OSError, RuntimeError) as error:  # no folder that can be written to
            warn_once(error)
    return compiled


class OptionalCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache, but a kernel also works when its file is damaged or cannot be written.

    Numba lets such errors through, and a full disk would then stop the program.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel, or ``None`` if it has to be compiled."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # unpickling a damaged file can raise anything
            log.debug("damaged cache file of %s: %r", self._name, error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the compiled kernel, over a damaged file if there is one."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            warn_once(error)
        except Exception:
            with contextlib.suppress(OSError):
                self.flush()  # an empty index instead of the damaged one
                super().save_overload(sig, data)


_warned = False


def warn_once(error: Exception) -> None:
    """Warn that kernels are compiled in every process, and how to change that."""
    global _warned
    if not _warned:
        _warned = True
        log.warning(
            "compiled kernels cannot be cached (%s), so every process compiles them anew; "
            "set NUMBA_CACHE_DIR to a folder with write permission",
            error,
        )


OF_A_FIT = 74
"""Number of functions that the first fit compiles: iris, counted in tests/sets/test_cache.py."""


class CompilationProgress(event.Listener):  # type: ignore[misc]
    """A listener that says why the first call takes some seconds, on a terminal with progress."""

    def __init__(self) -> None:
        self.is_announced = True
        """Whether the first compilation is announced; no if the user asked for it."""
        self.depth = 0
        self.done = 0
        self.started = 0.0

    def on_start(self, event: Any) -> None:
        """Note that a kernel is about to be compiled, perhaps for another."""
        function = event.data["dispatcher"].py_func
        if not function.__module__.startswith("atomlearn"):
            return
        if self.done == self.depth == 0:
            self.started = time.monotonic()
            if self.is_announced:
                log.warning(
                    "compiling kernels for this machine, each on its first use; "
                    "'atomlearn warm-up' compiles nearly all of them, once for each installation"
                )
        self.depth += 1
        self._line(f"compiling {function.__name__}: {self.state()}")

    def on_end(self, event: Any) -> None:
        """Note that a kernel has been compiled."""
        if event.data["dispatcher"].py_func.__module__.startswith("atomlearn"):
            self.depth -= 1
            self.done += 1
            self._line("")

    def state(self) -> str:
        """Return how many functions are done and left, with the time that was measured so far."""
        seconds, left = time.monotonic() - self.started, OF_A_FIT - self.done
        text = f"{self.done} functions done in {seconds:.0f} s"
        if self.done and left > 0:
            text += f", at most {left} to go, about {seconds / self.done * left:.0f} s"
        return text

    def _line(self, text: str) -> None:
        terminal = sys.__stderr__
        if terminal is not None and terminal.isatty():
            with contextlib.suppress(OSError, ValueError):  # closed in the meantime
                terminal.write(f"\r\x1b[2K{text}\r")
                terminal.flush()


progress = CompilationProgress()
event.register("numba:compile", progress)
