#!/usr/bin/python3
"""A sheet of labelled pictures from a folder of `intervox render`. Of the pictures in which all is at
rest it shows the first and the last, and of the others no more than a sheet holds.

Usage: contact_sheet.py FOLDER [-o SHEET.png] [--columns N] [--most N] [--width PIXELS] [--all]"""

import argparse
from pathlib import Path

from PIL import Image, ImageDraw

from results import Results, font, positive, read_frames, run, time_text

GAP, MARGIN, LABEL, HEAD = 14, 30, 40, 74


def without_repeats(frames, rest, most):
    """Leaves out what lies between the first frame at rest and the last, and of the others every
    second, third … until no more than `most` are left."""
    moving = [f for f in frames if rest is None or f["time"] < rest]
    still = frames[len(moving):]
    still = still if len(still) < 3 else [still[0], still[-1]]
    room = max(2, most - len(still))
    if len(moving) > room:
        moving = [moving[round(k * (len(moving) - 1) / (room - 1))] for k in range(room)]
    return moving + still


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", default="contact_sheet.png")
    parser.add_argument("--columns", type=positive(int), default=3)
    parser.add_argument("--most", type=positive(int), default=12, help="pictures, without --all")
    parser.add_argument("--width", type=positive(int), default=640, help="of one picture")
    parser.add_argument("--all", action="store_true", help="show all that is at rest, too")
    options = parser.parse_args()
    listed = read_frames(options.folder)
    frames = listed["frames"]
    rest = None if options.all else Results(listed["results"]).settled_at()
    if not options.all:
        frames = without_repeats(frames, rest, options.most)
    columns = min(options.columns, len(frames))
    rows = -(-len(frames) // columns)
    first = Image.open(options.folder / frames[0]["file"])
    width, height = options.width, round(options.width * first.height / first.width)
    sheet = Image.new("RGB", (2 * MARGIN + columns * width + (columns - 1) * GAP,
                              MARGIN + HEAD + rows * (height + LABEL + GAP)), "white")
    draw = ImageDraw.Draw(sheet)
    draw.text((MARGIN, MARGIN - 4), listed["scene"], fill="#22272e", font=font(34, bold=True))
    last = frames[-1]["time"]
    span = f"{time_text(frames[0]['time'], last)} to {time_text(last, last)}"
    if rest is not None:
        span += f", at rest from {time_text(rest, last)}"
    draw.text((sheet.width - MARGIN, MARGIN + 4), span, fill="#67707b", font=font(22), anchor="ra")
    for k, frame in enumerate(frames):
        x = MARGIN + (k % columns) * (width + GAP)
        y = MARGIN + HEAD - 14 + (k // columns) * (height + LABEL + GAP)
        picture = Image.open(options.folder / frame["file"]).convert("RGB")
        sheet.paste(picture.resize((width, height), Image.LANCZOS), (x, y))
        draw.rectangle((x, y, x + width - 1, y + height - 1), outline="#d4d9df")
        draw.text((x + 2, y + height + 5), f"t = {time_text(frame['time'], last)}", fill="#22272e",
                  font=font(22, bold=True))
        contacts = frame.get("contacts", 0)
        words = "no contact" if contacts == 0 else f"{contacts} contact{'s' if contacts > 1 else ''}"
        draw.text((x + width - 2, y + height + 7), words, fill="#67707b", font=font(19), anchor="ra")
    sheet.save(options.out, optimize=True)
    print(options.out)


run(main)
