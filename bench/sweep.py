"""What bench/sweep.cpp measured, as a table and as a picture.

  tscatter_sweep | python3 bench/sweep.py > docs/entry-order.svg
"""

from __future__ import annotations

import json
import sys

ORDERS = {"straight": "#4e9a5b", "by_range": "#3b6fb6", "grouped": "#c9822b"}
WORDS = {"straight": "straight", "by_range": "by range", "grouped": "grouped"}
GOAL = 1.15  # of the best order


def size(count: int) -> str:
    for unit in ("", "K", "M"):
        if count < 1024:
            return f"{count}{unit}"
        count //= 1024
    return f"{count}G"


def ratio(line: dict) -> float:
    return line[line["chosen"]] / min(line[order] for order in ORDERS)


def report(lines: list[dict], against) -> list[str]:
    """The points at which the choice was farthest from the best order. `against` marks what misses the goal."""
    worst = sorted(lines, key=ratio, reverse=True)[:20]
    missed = sum(ratio(line) > GOAL for line in lines)
    text = [
        "",
        "## Straight, by range or grouped",
        "",
        f"Of {len(lines)} points, {missed} are more than {GOAL - 1:.0%} slower than by the best order. The least of the runs in ms; the farthest:",
        "",
        "| reduction | target | entries | block | straight | by range | grouped | chosen | of the best |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |",
    ]
    for line in worst:
        what = f"sweep: {line['reduction']}, target {size(line['target'])}, {line['entries']} entries, block {line['block']}"
        cells = [f"{line[order]:.3f}" for order in ORDERS]
        shown = against(what, ratio(line), GOAL)
        text.append(
            f"| {line['reduction']} | {size(line['target'])} | {line['entries']:,} | {line['block']} | "
            + " | ".join([*cells, WORDS[line["chosen"]], shown])
            + " |"
        )
    return text


def picture(lines: list[dict], reduction: str = "sum") -> str:
    """A panel for each length of a block: what the engine chose, target across and entries down, and how far from the best that is."""
    cell_x, cell_y, left, top, gap = 46, 24, 96, 46, 30
    lines = [line for line in lines if line["reduction"] == reduction]
    targets = sorted({line["target"] for line in lines})
    entries = sorted({line["entries"] for line in lines})
    blocks = sorted({line["block"] for line in lines})
    panel = len(targets) * cell_x + gap
    width, height = left + len(blocks) * panel, top + len(entries) * cell_y + 56
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for row, count in enumerate(entries):
        out.append(f'<text x="{left - 8}" y="{top + row * cell_y + 16}" text-anchor="end">{count:,}</text>')
    for column, block in enumerate(blocks):
        x = left + column * panel
        out.append(f'<text x="{x}" y="18" font-weight="bold">{block} bytes each</text>')
        for number, target in enumerate(targets):
            out.append(f'<text x="{x + number * cell_x + cell_x / 2}" y="{top - 8}" text-anchor="middle">{size(target)}</text>')
        for line in (each for each in lines if each["block"] == block):
            at_x, at_y = x + targets.index(line["target"]) * cell_x, top + entries.index(line["entries"]) * cell_y
            out.append(f'<rect x="{at_x}" y="{at_y}" width="{cell_x - 2}" height="{cell_y - 2}" fill="{ORDERS[line["chosen"]]}"/>')
            out.append(f'<text x="{at_x + cell_x / 2 - 1}" y="{at_y + 15}" text-anchor="middle" fill="white">{ratio(line):.2f}</text>')
    y = top + len(entries) * cell_y + 24
    x = left
    for order, color in ORDERS.items():
        out.append(f'<rect x="{x}" y="{y - 10}" width="12" height="12" fill="{color}"/><text x="{x + 18}" y="{y}">{WORDS[order]}</text>')
        x += 90
    out.append(f'<text x="{x + 10}" y="{y}">across: bytes of the target; down: entries; in the cells: time, of the best order\'s</text>')
    return "\n".join([*out, "</svg>", ""])


if __name__ == "__main__":
    sys.stdout.write(picture([json.loads(line) for line in sys.stdin]))
