#!/usr/bin/python3
"""Opens a page of python/report.py or python/viewer.py in headless Chromium, wide and on a phone, and
checks what a reader would notice: nothing overflows, no error is logged, no address is asked for, the
slider moves the part and all plots' marks, playing goes on, zooms are shared, cuts and hiding show.

Usage: page_in_browser.py PAGE.html [--pictures FOLDER] [--still]
Exit status: 0 all fine, 1 something is wrong, 77 there is no Chromium (the suite shows it as skipped)."""

import argparse
import sys
import time
from pathlib import Path

SKIPPED = 77
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
except ImportError as missing:
    print(f"skipped: {missing}; install Debian's python3-selenium")
    sys.exit(SKIPPED)

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
SIZES = ((1400, 900), (390, 844))


def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader",
                 "--enable-unsafe-swiftshader", "--hide-scrollbars", "--disable-component-update",
                 "--disable-background-networking"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service(str(DRIVER)), options=options)
    driver.set_script_timeout(300)  # a million triangles are drawn by the processor here
    return driver


class Checks:
    """Collects what is wrong instead of stopping at the first."""

    def __init__(self):
        self.failed = []

    def __call__(self, fine, what):
        print(("ok      " if fine else "FAILED  ") + what)
        if not fine:
            self.failed.append(what)


def size_window(driver, width, height):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})


def wait_for(driver, script, seconds=60):
    """The script's first true answer; None when it has none in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        answer = driver.execute_script(script)
        if answer:
            return answer
        time.sleep(0.1)
    return None


def set_slider(driver, share):
    """Moves the slider as a finger does, and returns the clock's time."""
    return driver.execute_script("""
        const slider = document.getElementById("time");
        slider.value = arguments[0] * slider.max;
        slider.dispatchEvent(new Event("input", {bubbles: true}));
        return window.intervoxView.clock.time;""", share)


POSES = """return window.intervoxView.bodies.filter(b => b.track)
    .map(b => [...b.node.position.toArray(), ...b.node.quaternion.toArray()]).flat();"""
MARKS = "return [...document.querySelectorAll('.cursor')].map(c => parseFloat(c.style.left));"
WIDEST = """return [...document.querySelectorAll('main *')]
    .filter(e => e.getClientRects().length && !e.closest('.scroll, pre, svg, #bodies'))
    .map(e => [e.getBoundingClientRect().right - document.documentElement.clientWidth,
               e.tagName + '#' + e.id + '.' + e.className]).sort((a, b) => b[0] - a[0])[0];"""
OUTSIDE = """return [...document.querySelectorAll('.chart')].filter(f => [...f.querySelectorAll('canvas, .plot *')]
    .some(e => e.getBoundingClientRect().right > f.getBoundingClientRect().right + 1)).length;"""
# Colours of the view, so that a picture that did not change is found out.
DRAWN = """const view = window.intervoxView; view.renderer.render(view.scene, view.camera);
    const gl = view.renderer.getContext(), n = gl.drawingBufferWidth * gl.drawingBufferHeight * 4;
    const pixels = new Uint8Array(n);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const seen = new Set(); let sum = 0;
    for (let k = 0; k < n; k += 4) {
      const color = pixels[k] | pixels[k + 1] << 8 | pixels[k + 2] << 16;
      seen.add(color); sum = (sum * 31 + color) % 1000000007;
    }
    return [seen.size, sum];"""


JOINTS = """const names = []; window.intervoxView.scene.traverse(o => names.push(o.name));
    return [JSON.parse(document.getElementById("intervox-data").textContent).pins.length,
            names.filter(n => n.startsWith("joint ")).length, names.filter(n => n.startsWith("rod to ")).length];"""
# Bodies below a hundredth of the view's radius that have no dot.
BLANK = """const {bodies, scene} = window.intervoxView;
    const radius = JSON.parse(document.getElementById("intervox-data").textContent).radius;
    return bodies.filter(b => {
      let dots = 0, largest = 0;
      b.node.traverse(o => {
        dots += o.isPoints ? 1 : 0;
        if (!o.isMesh || /^(joint|rod) /.test(o.name)) return;
        o.geometry.computeBoundingSphere();
        largest = Math.max(largest, o.geometry.boundingSphere.radius);
      });
      return largest > 0 && largest < 0.01 * radius && !dots;
    }).map(b => b.name);"""


def check_view(driver, check, where):
    moving = driver.execute_script(POSES)
    colors, start = driver.execute_script(DRAWN)
    check(colors > 50, f"{where}: the view shows something ({colors} colours)")
    first_marks = driver.execute_script(MARKS)
    half = set_slider(driver, 0.5)
    check(half > 0, f"{where}: the slider sets the time ({half:.4g} s)")
    if moving:
        check(driver.execute_script(POSES) != moving, f"{where}: the slider moves the bodies")
        check(driver.execute_script(DRAWN)[1] != start, f"{where}: the picture follows the slider")
    check(bool(first_marks) and all(b > a for a, b in zip(first_marks, driver.execute_script(MARKS))),
          f"{where}: the marks of all {len(first_marks)} plots follow the slider")
    before = driver.execute_script(DRAWN)[1]
    for element, value, event in (("cut-axis", "x", "input"),):
        driver.execute_script("""const e = document.getElementById(arguments[0]); e.value = arguments[1];
            e.dispatchEvent(new Event(arguments[2], {bubbles: true}));""", element, value, event)
    cut = driver.execute_script(DRAWN)[1]
    check(cut != before, f"{where}: a cut changes the picture")
    pins, balls, rods = driver.execute_script(JOINTS)
    check(balls == pins, f"{where}: all {pins} joints are drawn, with {rods} rods")
    check(driver.execute_script(BLANK) == [], f"{where}: no body is too small to be seen")
    box = driver.find_element(By.CSS_SELECTOR, "#bodies input")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", box)
    box.click()
    check(driver.execute_script(DRAWN)[1] != cut, f"{where}: hiding a body changes the picture")
    box.click()


def check_playing(driver, check, where):
    set_slider(driver, 0)
    driver.find_element(By.ID, "play").click()
    moved = wait_for(driver, "return window.intervoxView.clock.time > 0", 20)
    driver.find_element(By.ID, "play").click()
    check(bool(moved), f"{where}: play moves the clock")
    stopped = driver.execute_script("return window.intervoxView.clock.time")
    time.sleep(0.4)
    check(driver.execute_script("return window.intervoxView.clock.time") == stopped, f"{where}: pause stops it")


def check_zoom(driver, check, where):
    plots = driver.find_elements(By.CSS_SELECTOR, ".plot")
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", plots[0])
    width = plots[0].size["width"]
    ActionChains(driver).move_to_element_with_offset(plots[0], -width // 8, 0).click_and_hold().move_by_offset(
        width // 4, 0).release().perform()
    ranges = driver.execute_script("return window.intervoxView.charts.map(c => c.xAxisRange())")
    ends = {tuple(round(x, 9) for x in r) for r in ranges}
    whole = driver.execute_script("return document.getElementById('time').max")
    check(len(ends) == 1 and ranges[0][1] - ranges[0][0] < 0.6 * float(whole),
          f"{where}: a zoom is shared by all {len(plots)} plots")


def check_interactive(driver, check, where):
    labels = driver.execute_script("return [...document.querySelectorAll('.dygraph-axis-label-y')]"
                                   ".map((label) => label.textContent)")
    longest = max(labels, key=len, default="none")
    check(0 < len(longest) <= 9, f"{where}: the numbers beside the plots are short (longest: {longest})")
    check(driver.execute_script(OUTSIDE) == 0, f"{where}: plots stay inside their frames")
    check_view(driver, check, where)
    check_playing(driver, check, where)
    check_zoom(driver, check, where)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--still", action="store_true", help="the page is one of tables and pictures")
    options = parser.parse_args()
    if not (CHROMIUM.exists() and DRIVER.exists()):
        print(f"skipped: {CHROMIUM} or {DRIVER} is missing; install Debian's chromium and chromium-driver")
        sys.exit(SKIPPED)
    check = Checks()
    check(options.page.stat().st_size < 15e6, f"the page has {options.page.stat().st_size / 1e6:.2f} MB")
    driver = browser()
    try:
        for width, height in SIZES:
            where = f"{width} px"
            size_window(driver, width, height)
            driver.get(options.page.resolve().as_uri())
            if not options.still:
                check(bool(wait_for(driver, "return window.intervoxView && window.intervoxView.bodies.length")),
                      f"{where}: the view is there")
            over, element = driver.execute_script(WIDEST)
            check(over <= 0.5, f"{where}: nothing overflows (widest: {element}, {over:+.1f} px)")
            check(driver.execute_script("return document.documentElement.scrollWidth") <= width,
                  f"{where}: the page does not scroll sideways")
            if not options.still:
                check_interactive(driver, check, where)
            if options.pictures:
                options.pictures.mkdir(parents=True, exist_ok=True)
                set_slider(driver, 0.5)
                driver.execute_script("window.scrollTo(0, 0)")
                full = driver.execute_script("return document.documentElement.scrollHeight")
                size_window(driver, width, min(full, 9000))
                time.sleep(1)
                driver.save_screenshot(str(options.pictures / f"{options.page.stem}_{width}.png"))
            errors = [e["message"] for e in driver.get_log("browser") if e["level"] in ("SEVERE", "WARNING")
                      and "GPU stall due to ReadPixels" not in e["message"]]
            check(not errors, f"{where}: nothing is logged {errors[:3] if errors else ''}")
            asked = [m for m in (e["message"] for e in driver.get_log("performance"))
                     if '"Network.requestWillBeSent"' in m and ('"url":"http' in m or '"url":"ws' in m)]
            check(not asked, f"{where}: no address is asked for")
    finally:
        driver.quit()
    sys.exit(1 if check.failed else 0)


main()
