"""What every store must do, as tests that anybody can run against a store of their own.

Subclass `StoreSuite` in a test file, say how an engine is opened, and run pytest::

    import pytest
    from lifelong import Engine
    from lifelong.conformance import StoreSuite

    class TestMyStore(StoreSuite):
        @pytest.fixture
        def open_engine(self, tmp_path):
            store = MyStore(tmp_path / "data")
            return lambda clock, embedder: Engine(store, clock, embedder=embedder)

Each test gets a new place. `open_engine` may be called several times in one test, also while
earlier engines are open, and always for the same place. A store that ends with its engine sets
``is_durable = False``. Nothing else is optional.

The tests use the public engine only. After each of them, `check` must find every owner clean.

Many processes at once are forked, as on Linux; a store that does not bear this has a fault.

pytest is needed here and nowhere else in lifelong; `import lifelong` does not load this package.
"""

import pytest

_SUITES = (
    "bad_input chain concurrency files forgetting isolation log memories portability retention"
    " review search state vectors writing"
).split()
# Before they are imported: their assertions then say what was compared.
pytest.register_assert_rewrite(*(f"{__name__}.{name}" for name in _SUITES))

from lifelong.conformance.crowd import in_processes, in_threads  # noqa: E402
from lifelong.conformance.place import OWNER, OpenEngine, Place, said, texts  # noqa: E402
from lifelong.conformance.suite import StoreSuite  # noqa: E402
from lifelong.conformance.words_model import WordsModel  # noqa: E402

__all__ = [
    "OWNER",
    "OpenEngine",
    "Place",
    "StoreSuite",
    "WordsModel",
    "in_processes",
    "in_threads",
    "said",
    "texts",
]
