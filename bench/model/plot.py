# SPDX-License-Identifier: GPL-2.0
"""
Pictures: a colour for each family and a mark for each kind, the same in all of them. The
legend is in the order of the lines at their right ends.
"""
import shutil
import subprocess
import sys

# Colours that colour-blind readers can tell apart (Okabe & Ito).
RACING, ONE_WORD, STRIPES, CPUS, MORRIS, BFP, SCALABLE = (
    "#000000", "#d55e00", "#0072b2", "#56b4e9", "#e69f00", "#009e73", "#cc79a7")

TERMINALS = (("pngcairo size 1000,640 font 'DejaVu Sans,10'", "png"),
             ("svg size 1000,640 font 'DejaVu Sans,12'", "svg"))

# Colour, mark and dashes of gnuplot.
STYLES = {
    "racing": (RACING, 1, 1),
    "atomic": (ONE_WORD, 2, 1),
    "cas": (ONE_WORD, 3, 1),
    "rbo": (ONE_WORD, 4, 1),
    "rbo_numa": (ONE_WORD, 5, 1),
    "rbo_numa_adapt": (ONE_WORD, 6, 2),
    "cohort": (ONE_WORD, 7, 1),
    "multiline": (STRIPES, 8, 1),
    "multiline_8": (STRIPES, 9, 1),
    "multiline_8_packed": (STRIPES, 10, 1),
    "multiline_adapt": (STRIPES, 12, 2),
    "exact": (STRIPES, 13, 1),
    "percpu": (CPUS, 10, 1),
    "percpu_counter": (CPUS, 11, 1),
    "morris": (MORRIS, 14, 1),
    "morris_literal": (MORRIS, 7, 1),
    "morris_adapt": (MORRIS, 15, 2),
    "bfp_dup": (BFP, 4, 1),
    "bfp_csup": (BFP, 6, 2),
    "approx": (BFP, 7, 1),
    "scalable": (SCALABLE, 9, 1),
    "scalable32": (SCALABLE, 8, 1),
}
# Of one kind with different parameters, and of percentiles.
DASHES = [1, 2, 4]
SHADES = ["#e8b9d3", "#dd9fc0", "#cc79a7", "#b0568a", "#8a3a69", "#5f2246"]
PERCENTILES = {"median": 1, "5": 2, "95": 2, "min": 3, "max": 3}


def style(title):
    """That of "kind", "kind at 10^10", "kind_2^13" or "kind:5"."""
    name, _, percentile = title.partition(":")
    name, _, power = name.partition(" at 10^")
    name, _, threshold = name.partition("_2^")
    colour, mark, dashes = STYLES[name]
    if threshold:
        colour, mark = SHADES[min(max(int(threshold) - 10, 0), 5)], 4 + 2 * (int(threshold) % 5)
    if power:
        dashes = DASHES[int(power) % 3]
    if percentile:
        dashes = PERCENTILES[percentile]
        mark = {"min": 11, "max": 9}.get(percentile, mark)
    return colour, mark, dashes


def last(table, title, xs):
    values = [table(title, x) for x in xs]
    values = [value for value in values if value is not None]
    return values[-1] if values else 0


def block(name, rows):
    return f"${name} << EOD\n" + "\n".join(" ".join(f"{cell:.8g}" for cell in row)
                                          for row in rows) + "\nEOD\n"


def draw(path, title, xlabel, ylabel, xs, series, table, extra="", bands=None, stated=(),
         lines=()):
    """
    bands: by title, a list of x, least and most. stated: points of a paper, x, y and text.
    lines: levels that a paper states, y and text. Writes path.png and path.svg.
    """
    if not shutil.which("gnuplot"):
        print(f"figures: no gnuplot: {path} is not drawn, its data are there", file=sys.stderr)
        return
    blocks, plots = "", []
    for i, (name, band) in enumerate((bands or {}).items()):
        blocks += block(f"band{i}", band)
        plots.append(f"$band{i} using 1:2:3 with filledcurves fc rgb '{style(name)[0]}' "
                     "fs transparent solid 0.15 noborder notitle")
    for i, name in enumerate(sorted(series, key=lambda name: -last(table, name, xs))):
        colour, mark, dashes = style(name)
        points = [(x, table(name, x)) for x in xs]
        blocks += block(f"line{i}", [point for point in points if point[1] is not None])
        plots.append(f"$line{i} using 1:2 with linespoints lw 1.6 pt {mark} ps 0.9 dt {dashes} "
                     f"lc rgb '{colour}' title '{name}'")
    if stated:
        blocks += block("stated", [(x, y) for x, y, _ in stated])
        plots.append("$stated using 1:2 with points pt 2 ps 2.2 lw 2.5 lc rgb '#990099' "
                     "title 'stated in the paper'")
    labels = "".join(f"set label \"{text}\" at {x},{y:g} right offset -1.2,0.3 tc rgb '#990099' "
                     "noenhanced font ',9' front\n" for x, y, text in stated)
    for y, text in lines:
        plots.append(f"{y} with lines lw 1.5 dt 3 lc rgb '#990099' notitle")
        labels += (f"set label \"{text}\" at graph 0.02, first {y:g} left offset 0,0.5 "
                   "tc rgb '#990099' noenhanced font ',9' front\n")
    body = f"""
set title "{title}" noenhanced
set xlabel "{xlabel}"
set ylabel "{ylabel}" noenhanced
set key outside right top noenhanced spacing 1.1
set grid lc rgb '#dddddd'
set format x "%g"
{extra}
{labels}
plot {", ".join(plots)}
"""
    for terminal, suffix in TERMINALS:
        script = f"{blocks}set terminal {terminal}\nset output '{path}.{suffix}'\n{body}"
        subprocess.run(["gnuplot"], input=script, text=True, check=True)
