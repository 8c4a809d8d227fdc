"""Every store of lifelong keeps every promise of the public suite."""

import subprocess
import sys

import pytest

import lifelong
from lifelong.conformance import StoreSuite


class TestEncryptedDirectory(StoreSuite):
    @pytest.fixture
    def open_engine(self, tmp_path):
        return lambda clock, embedder: lifelong.open(
            tmp_path / "data", embedder=embedder, clock=clock
        )


class TestPlainDirectory(StoreSuite):
    @pytest.fixture
    def open_engine(self, tmp_path):
        return lambda clock, embedder: lifelong.open(
            tmp_path / "data", encryption="off", embedder=embedder, clock=clock
        )


class TestInMemory(StoreSuite):
    is_durable = False
    """It lives in the memory of its engine: nothing is left for another one to open."""

    @pytest.fixture
    def open_engine(self):
        return lambda clock, embedder: lifelong.open("memory:", embedder=embedder, clock=clock)


def test_import_lifelong_does_not_load_the_suite():
    code = "import lifelong, sys; print(sys.modules.keys() & {'pytest', 'lifelong.conformance'})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
