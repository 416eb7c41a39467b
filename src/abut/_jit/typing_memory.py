"""What Numba has found about the types of calls, remembered: it asks anew at every call and in every pass.

To type one product of two numbers, Numba tries a dozen rules and words an error for each that does not fit. Here the
answer to the same question is given again.
"""

from functools import cache
from typing import Any

from numba.core import types
from numba.core.targetconfig import ConfigStack
from numba.core.typing import Context

_REMEMBERED: Any = (types.BaseFunction, types.Dispatcher)
"""Functions of Numba, and kernels."""


class _Remembering(Context):
    """A typing context that shares all it holds with that of Numba, and remembers the types of calls besides."""

    _original: Context
    _found: dict[Any, Any]

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """Signature of a call."""
        func = self._lookup_global(func) or func
        if kws or not isinstance(func, _REMEMBERED):
            return self._original.resolve_function_type(func, args, kws)
        asked = func, tuple(args), ConfigStack.top_or_none()
        found = self._found.get(asked)
        if found is None:
            signature = self._original.resolve_function_type(func, args, kws)
            if signature is not None:
                self._found[asked] = signature, _called(func, signature)
            return signature
        signature, called = found
        if called is not None:
            func._impl_keys[signature.args] = called  # Numba knows the one that was asked for last
        return signature


def _called(func: Any, signature: Any) -> Any:
    """What is linked into a caller, where that depends on the flags of the caller."""
    keys = getattr(func, "_impl_keys", None)
    return None if keys is None else keys[signature.args]


@cache
def remembering(context: Context) -> Context:
    """The same context with a memory."""
    twin = object.__new__(_Remembering)
    twin.__dict__ = context.__dict__
    twin._original, twin._found = context, {}
    return twin
