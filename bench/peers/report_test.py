#!/usr/bin/env python3
"""Tests the logic of the comparison with peers, without running a server."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import measures
import report
from report import Row


class ReportTest(unittest.TestCase):

    def test_figures_are_medians_with_their_range(self):
        found = report.figures([{"a": 3.0}, {"a": 1.0, "b": 7}, {"a": 2.0}])
        self.assertEqual(found["a"], report.Figure(2.0, 1.0, 3.0))
        self.assertEqual(found["b"].value, 7)

    def verdict(self, ours, theirs, **row):
        row = Row("x", "ms", "x", "x", **row)
        as_figures = lambda value: (
            {} if value is None else {"x": report.figure([value])})
        return report.verdict(row, as_figures(ours), as_figures(theirs))

    def test_verdicts_of_ratios(self):
        goal = {"at_most": 0.9, "of_ratio": True}
        self.assertEqual(self.verdict(0.9, 1, **goal), "yes")
        self.assertEqual(self.verdict(0.91, 1, **goal), "NO")
        self.assertEqual(self.verdict(0.1, None, **goal), "not measured")
        self.assertEqual(self.verdict(0.1, 0, **goal), "not measured")

    def test_verdicts_of_values(self):
        self.assertEqual(self.verdict(0, 5000, at_most=0), "yes")
        self.assertEqual(self.verdict(1, None, at_most=0), "NO")
        self.assertEqual(self.verdict(None, 1, at_most=0), "not measured")
        self.assertEqual(self.verdict(1, 1), "")

    def test_table_shows_the_bad_figures_too(self):
        ours = report.figures([{"start.main": 4.0}, {"start.main": 6.0}])
        theirs = report.figures([{"start.main": 4.0}, {"start.main": 4.0}])
        self.assertEqual(
            report.table(ours, theirs, "peer 1.0").splitlines()[2],
            "| POST to the agent's main() | 5 ms (4 to 6) | 4 ms | 1.25 | "
            "ratio ≤ 0.9 | NO |")
        self.assertEqual(len(report.table(ours, {}, "x").splitlines()), 3)

    def test_rows_name_figures_of_the_measures(self):
        names = {row.ours.split(".")[0] for row in report.ROWS}
        self.assertEqual(names, set(measures.ALL))

    def test_numbers_keep_three_digits(self):
        self.assertEqual([report.number(n) for n in (0, 3, 0.123, 12.34, 1234.5)],
                         ["0", "3", "0.12", "12.3", "1234"])


if __name__ == "__main__":
    unittest.main()
