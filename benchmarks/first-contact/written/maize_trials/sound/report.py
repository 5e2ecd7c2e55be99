"""Tables and summary of a run."""

import csv
import json

import numpy as np


def correlation(a, b):
    return float(np.corrcoef(a, b)[0, 1])


def by_season(plots, predicted, truth):
    """Correlation within each season and the sites that it was taken from."""
    result = {}
    for season in sorted({plot.season for plot in plots}):
        inside = np.array([plot.season == season for plot in plots])
        sites = {plot.site for plot in plots if plot.season == season}
        result[str(season)] = {"r": correlation(predicted[inside], truth[inside]),
                               "plots": int(inside.sum()), "sites": len(sites)}
    return result


def write_fold_table(path, rows):
    with path.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write_ranking(path, ranking):
    with path.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["rank", "female", "male", "predicted_t_ha", "member_sd"])
        for rank, (mean, spread, (female, male)) in enumerate(ranking, start=1):
            writer.writerow([rank, female, male, f"{mean:.5f}", f"{spread:.5f}"])


def write_summary(path, summary):
    path.write_text(json.dumps(summary, indent=2) + "\n")
