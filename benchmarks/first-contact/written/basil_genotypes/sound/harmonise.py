"""Bring chips to one matrix of markers."""
import pandas as pd


def shared_markers(chips, missing=0.05):
    keep = set(chips[0].columns)
    for chip in chips[1:]:
        keep &= set(chip.columns)
    for chip in chips:
        rate = chip.isna().mean()
        keep -= set(rate[rate > missing].index)
    return sorted(keep)


def merge(chips):
    markers = shared_markers(chips)
    merged = pd.concat([chip[markers] for chip in chips])
    merged = merged.fillna(merged.mean().round())
    varying = merged.std() > 0
    return merged.loc[:, varying]


def qc_table(chips, merged):
    rows = [{"chip": f"chip{i}", "lines": len(c), "markers": c.shape[1], "missing": round(float(c.isna().mean().mean()), 5)}
            for i, c in enumerate(chips)]
    rows.append({"chip": "merged", "lines": len(merged), "markers": merged.shape[1], "missing": 0.0})
    return pd.DataFrame(rows)
