"""The long form of the canary test: two thousand files of every sort through both doors."""

from __future__ import annotations

import pytest

from tests.security.test_canaries import fuzz_uploads
from tests.support.roles import gather


@pytest.mark.faults
@pytest.mark.django_db
def test_two_thousand_uploads_bring_nothing_back(caplog: pytest.LogCaptureFixture) -> None:
    fuzz_uploads(gather(), 2_000, caplog)
