#!/usr/bin/python3
"""An animation from a folder of `intervox render`: WebP through Pillow (GIF where Pillow has none),
and an MP4 beside it where ffmpeg is installed. A short run is shown in slow motion, a long one in quick
motion; FILM.json says at what pace.

Usage: animation.py FOLDER [-o FILM.webp] [--speed FACTOR]
       animation.py --count RESULTS.h5     how many frames the film of a run should have"""

import argparse
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, features

from results import Results, font, pace, positive, read_frames, run, time_text

FRAMES_PER_SECOND = 25


def labelled(path, frame, duration):
    """The picture with its time in the lower left corner."""
    picture = Image.open(path).convert("RGB")
    size = max(12, picture.height // 24)
    draw = ImageDraw.Draw(picture, "RGBA")
    text = time_text(frame["time"], duration)
    box = draw.textbbox((size, picture.height - size), text, font=font(size, bold=True), anchor="ls")
    pad = size // 3
    draw.rounded_rectangle((box[0] - pad, box[1] - pad, box[2] + pad, box[3] + pad), pad,
                           fill=(255, 255, 255, 190))
    draw.text((size, picture.height - size), text, fill="#22272e", font=font(size, bold=True),
              anchor="ls")
    return picture


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", action="store_true", help="print the frames that a run should have")
    parser.add_argument("-o", "--out", default="animation.webp", type=Path)
    parser.add_argument("--speed", type=positive(float),
                        help="simulated over shown time; default: so that it lasts a few seconds")
    options = parser.parse_args()
    if options.count:
        duration = float(Results(options.folder).time[-1])
        print(1 + max(1, round(FRAMES_PER_SECOND * duration / pace(duration))))
        return
    frames = read_frames(options.folder)["frames"]
    duration = frames[-1]["time"]
    speed = options.speed or pace(duration)
    pictures = [labelled(options.folder / f["file"], f, duration) for f in frames]
    times = np.array([f["time"] for f in frames]) / speed
    steps = np.diff(times, append=times[-1] + (times[-1] - times[-2] if len(times) > 1 else 1))
    durations = np.maximum(10, np.round(1000 * steps)).astype(int).tolist()
    durations[-1] += 1500  # a rest before it starts again
    out = options.out
    if out.suffix == ".webp" and not features.check("webp_anim"):
        out = out.with_suffix(".gif")
    kind = {"quality": 78, "method": 4} if out.suffix == ".webp" else {"optimize": True}
    pictures[0].save(out, save_all=True, append_images=pictures[1:], duration=durations, loop=0, **kind)
    out.with_suffix(".json").write_text(json.dumps({"speed": speed, "frames": len(frames)}) + "\n")
    print(out)
    if shutil.which("ffmpeg") and len(pictures) > 1:
        rate = 1000 * (len(pictures) - 1) / sum(durations[:-1])
        with tempfile.TemporaryDirectory() as folder:
            for k, picture in enumerate(pictures):
                # An even size, as the codec needs.
                picture.crop((0, 0, picture.width // 2 * 2, picture.height // 2 * 2)).save(
                    f"{folder}/{k:06d}.png", compress_level=1)
            run = subprocess.run(
                ["ffmpeg", "-y", "-loglevel", "error", "-framerate", f"{rate:.6f}", "-i",
                 f"{folder}/%06d.png", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags", "+faststart",
                 str(out.with_suffix(".mp4"))], capture_output=True, text=True)
        # The WebP is the animation; an ffmpeg without the codec is no failure.
        print(out.with_suffix(".mp4") if run.returncode == 0 else f"no MP4: {run.stderr.strip()}")


run(main)
