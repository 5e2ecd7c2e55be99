"""Estimators that work in several threads or processes."""

from __future__ import annotations

import pytest

from samebits.core.source.jobs import takes_jobs


@pytest.mark.parametrize(
    ("made", "line", "takes"),
    [
        ("forest = Forest(n_jobs=2)", "x = forest.predict(y)", True),
        ("self.model = make_pipeline(Scaler(), Forest(n_jobs=2))", "x = self.model.fit(y)", True),
        ("forest = Forest(n_jobs=2)", "trainer.fit(model)", False),
        ("forest = Forest()", "x = forest.predict(y)", False),
        ("forest = Forest(n_jobs=2)", "x = 1", False),
    ],
)
def test_a_method_of_what_was_given_jobs(tmp_path, made, line, takes):
    file = tmp_path / "blend.py"
    file.write_text(f"{made}\n{line}\n")
    assert takes_jobs(str(file), 2) == takes
