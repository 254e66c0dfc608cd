// The 3-D view and the plots of a page: one clock for all. Needs THREE, GLTFLoader, OrbitControls and
// Dygraph, and the page's data in the element #intervox-data.
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("intervox-data").textContent);
  const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const floats = (text) => new Float32Array(bytesOf(text));
  const integers = (text) => new Int32Array(bytesOf(text));
  const unzipped = (text) => new Response(
    new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const byId = (id) => document.getElementById(id);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  const times = floats(data.times);
  const end = times[times.length - 1];
  const clock = { time: 0, playing: false, speed: data.speed, listeners: [] };
  function setTime(time) {
    clock.time = Math.min(Math.max(time, 0), end);
    for (const listener of clock.listeners) listener(clock.time);
  }
  /** The sample at or before a time. */
  function sampleAt(time) {
    let low = 0, high = times.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle; else high = middle;
    }
    return times[high] <= time ? high : low;
  }

  // ---------------------------------------------------------------------------------- the scene
  const view = byId("view"), canvas = byId("view-canvas");
  const scene = new THREE.Scene();
  const radius = data.radius, center = new THREE.Vector3().fromArray(data.center);
  const up = new THREE.Vector3().fromArray(data.up);
  const camera = new THREE.PerspectiveCamera(30, 1.5, radius * 0.01, radius * 60);
  camera.up.copy(up);
  let renderer = null, controls = null, bodies = [], drawSoon = false;

  function placeCamera() {
    const east = new THREE.Vector3(1, 0, 0);
    if (Math.abs(up.x) > 0.9) east.set(0, 1, 0);
    east.addScaledVector(up, -east.dot(up)).normalize();
    const north = new THREE.Vector3().crossVectors(up, east);
    const angle = camera.fov * Math.PI / 360;
    const narrow = Math.min(angle, Math.atan(Math.tan(angle) * camera.aspect));
    const direction = new THREE.Vector3()
      .addScaledVector(east, 0.62).addScaledVector(north, -0.62).addScaledVector(up, 0.55).normalize();
    camera.position.copy(center).addScaledVector(direction, 0.98 * radius / Math.sin(narrow));
    controls.target.copy(center);
    controls.update();
  }

  function redraw() {
    if (drawSoon || !renderer) return;
    drawSoon = true;
    requestAnimationFrame(() => { drawSoon = false; renderer.render(scene, camera); });
  }

  function resize() {
    const width = view.clientWidth, height = Math.max(280, Math.min(620, Math.round(width * 0.62)));
    renderer.setSize(width, height, false);
    canvas.style.height = height + "px";
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    redraw();
  }

  const cut = new THREE.Plane(new THREE.Vector3(0, 0, 1), 0);
  const cutPlanes = [];  // shared by all materials: empty, or the one plane
  const insides = [];    // what shows as the faces of the cut

  /** A body's meshes: its outside, its inside (which shows as the face of a cut), its creases. */
  function dress(node, color, isGround) {
    const meshes = [], lines = [];
    node.traverse((child) => {
      if (child.isMesh) meshes.push(child);
      if (child.isLineSegments) lines.push(child);
    });
    for (const mesh of meshes) {
      mesh.material = new THREE.MeshStandardMaterial({
        color, roughness: 0.62, metalness: 0.05, clippingPlanes: cutPlanes, clipShadows: true,
        polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
      mesh.castShadow = !isGround;
      mesh.receiveShadow = true;
      const inside = new THREE.Mesh(mesh.geometry, new THREE.MeshBasicMaterial({
        color: color.clone().lerp(new THREE.Color(1, 1, 1), 0.3), side: THREE.BackSide,
        clippingPlanes: cutPlanes, polygonOffset: true, polygonOffsetFactor: -0.5, polygonOffsetUnits: -4 }));
      inside.visible = false;
      insides.push(inside);
      mesh.add(inside);
    }
    for (const line of lines) {
      line.visible = !isGround;
      line.material = new THREE.LineBasicMaterial({
        color: color.clone().multiplyScalar(0.12), clippingPlanes: cutPlanes });
    }
  }

  /** A body too small to be seen beside the others gets a dot of constant size. */
  function addDot(node, color) {
    const bounds = new THREE.Box3().setFromObject(node);
    if (bounds.isEmpty() || bounds.getSize(new THREE.Vector3()).length() > 0.02 * radius) return;
    const dot = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({
      color, size: 11, sizeAttenuation: false, map: roundDot(), alphaTest: 0.5, clippingPlanes: cutPlanes }));
    dot.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3), 3));
    node.add(dot);
  }
  /** A white disc, which a dot's colour tints. */
  function roundDot() {
    const picture = document.createElement("canvas");
    picture.width = picture.height = 32;
    const pen = picture.getContext("2d");
    pen.fillStyle = "#fff";
    pen.arc(16, 16, 15, 0, 2 * Math.PI);
    pen.fill();
    return new THREE.CanvasTexture(picture);
  }

  /** The joints: a ball at each joint's point, and a rod from there to each body that it holds, which is
   seen where the body does not reach its joint. */
  function addJoints() {
    const ball = new THREE.SphereBufferGeometry(0.016 * radius, 16, 12);
    for (const pin of data.pins) {
      for (const [k, side] of pin.sides.entries()) {
        const entry = data.bodies[side.body], node = bodies[side.body].node;
        const color = new THREE.Color().fromArray(entry.color).multiplyScalar(0.45);
        const material = new THREE.MeshStandardMaterial({ color, roughness: 0.6, clippingPlanes: cutPlanes });
        const at = new THREE.Vector3().fromArray(side.at), length = at.length();
        if (k === 0) {
          const mesh = new THREE.Mesh(ball, material);
          mesh.position.copy(at);
          mesh.name = "joint " + pin.name;
          node.add(mesh);
        }
        if (entry.ground || !entry.track || length < 0.02 * radius) continue;
        const rod = new THREE.Mesh(new THREE.CylinderBufferGeometry(0.006 * radius, 0.006 * radius, length, 12), material);
        rod.position.copy(at).multiplyScalar(0.5);
        rod.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), at.normalize());
        rod.castShadow = true;
        rod.name = "rod to " + pin.name;
        node.add(rod);
      }
    }
  }

  function light() {
    scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8f98, 0.62));
    const sun = new THREE.DirectionalLight(0xffffff, 0.6);
    const side = new THREE.Vector3(1, 0.3, 0.2).addScaledVector(up, -up.dot(new THREE.Vector3(1, 0.3, 0.2)));
    sun.position.copy(center).addScaledVector(up, 3 * radius).addScaledVector(side.normalize(), 1.4 * radius);
    sun.target.position.copy(center);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.bias = -0.0015;
    const c = sun.shadow.camera;
    c.left = c.bottom = -1.6 * radius;
    c.right = c.top = 1.6 * radius;
    c.near = 0.5 * radius;
    c.far = 7 * radius;
    scene.add(sun, sun.target);
  }

  // ------------------------------------------------------------------------ contacts of a sample
  const first = integers(data.contacts.first), rows = floats(data.contacts.rows);
  const kRow = 14;  // centroid, force, two semi-axes, |force|, the share of the axes that is a hole
  const strongest = data.contacts.largest_force;
  const shaft = new THREE.CylinderBufferGeometry(1, 1, 1, 12).translate(0, 0.5, 0);
  const tip = new THREE.ConeBufferGeometry(1, 1, 16).translate(0, 0.5, 0);
  // Discs, and rings whose holes are so many twentieths of them.
  const kRings = 20;
  const rings = Array.from({ length: kRings }, (_, k) =>
    k === 0 ? new THREE.CircleBufferGeometry(1, 40) : new THREE.RingBufferGeometry(k / kRings, 1, 40));
  let arrowShafts, arrowTips, discs;

  function instances(geometry, color, count, opacity) {
    const mesh = new THREE.InstancedMesh(geometry, new THREE.MeshBasicMaterial({
      color, transparent: true, opacity, depthTest: false, side: THREE.DoubleSide }), Math.max(1, count));
    mesh.frustumCulled = false;
    mesh.renderOrder = 10;
    mesh.count = 0;
    scene.add(mesh);
    return mesh;
  }

  /** Lengths grow with the logarithm over four decades below the strongest force. */
  function arrowLength(force) {
    return 0.42 * radius * Math.log10(1 + 1e4 * force / strongest) / 4;
  }

  function drawContacts(sample) {
    const m = new THREE.Matrix4(), x = new THREE.Vector3(), y = new THREE.Vector3(), z = new THREE.Vector3();
    const p = new THREE.Vector3(), turn = new THREE.Quaternion(), upright = new THREE.Vector3(0, 1, 0);
    const size = new THREE.Vector3();
    let arrows = 0;
    const patches = new Array(kRings).fill(0);
    const thick = 0.007 * radius, least = 0.012 * radius;
    for (let k = first[sample]; k < first[sample + 1]; ++k) {
      const row = rows.subarray(k * kRow, (k + 1) * kRow);
      p.set(row[0], row[1], row[2]);
      if (byId("show-patches").checked) {
        x.set(row[6], row[7], row[8]);
        y.set(row[9], row[10], row[11]);
        z.crossVectors(x, y).normalize();
        const isThin = Math.min(x.length(), y.length()) < least;
        const ring = isThin ? 0 : Math.min(kRings - 1, Math.round(kRings * row[13]));
        if (x.length() < least) x.setLength(least);
        if (y.length() < least) y.setLength(least);
        m.makeBasis(x, y, z).setPosition(p);
        discs[ring].setMatrixAt(patches[ring]++, m);
      }
      if (byId("show-forces").checked && row[12] > 0) {
        z.set(row[3], row[4], row[5]).normalize();
        turn.setFromUnitVectors(upright, z);
        const length = arrowLength(row[12]), head = Math.min(4 * thick, 0.5 * length);
        m.compose(p, turn, size.set(thick, length - head, thick));
        arrowShafts.setMatrixAt(arrows, m);
        m.compose(p.addScaledVector(z, length - head), turn, size.set(2.4 * thick, head, 2.4 * thick));
        arrowTips.setMatrixAt(arrows++, m);
      }
    }
    const drawn = [...discs.map((mesh, k) => [mesh, patches[k]]), [arrowShafts, arrows], [arrowTips, arrows]];
    for (const [mesh, count] of drawn) {
      mesh.count = count;
      mesh.visible = count > 0;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  function pose(time) {
    const k = sampleAt(time), next = Math.min(k + 1, times.length - 1);
    const share = next > k ? (time - times[k]) / (times[next] - times[k]) : 0;
    const q = new THREE.Quaternion();
    for (const body of bodies) {
      if (!body.track) continue;
      const a = body.track.subarray(7 * k, 7 * k + 7), b = body.track.subarray(7 * next, 7 * next + 7);
      body.node.position.set(a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]),
                             a[2] + share * (b[2] - a[2]));
      body.node.quaternion.set(a[4], a[5], a[6], a[3]);
      q.set(b[4], b[5], b[6], b[3]);
      body.node.quaternion.slerp(q, share);
    }
    drawContacts(share > 0.5 ? next : k);
    redraw();
  }

  function buildView(gltf) {
    light();
    for (const [index, entry] of data.bodies.entries()) {
      const node = gltf.scene.children[index];
      const color = new THREE.Color().fromArray(entry.color);  // linear light
      if (entry.ground) color.lerp(new THREE.Color(0.6, 0.64, 0.7), 0.8);
      dress(node, color, entry.ground);
      if (!entry.ground) addDot(node, color);
      bodies.push({ name: entry.name, node, track: entry.track ? floats(entry.track) : null });
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = true;
      box.addEventListener("change", () => { node.visible = box.checked; redraw(); });
      const label = document.createElement("label"), chip = document.createElement("i");
      chip.style.background = "#" + color.clone().convertLinearToSRGB().getHexString();
      label.append(box, chip, entry.name);
      byId("bodies").append(label);
    }
    addJoints();
    scene.add(gltf.scene);
    let most = 0;
    for (let k = 0; k + 1 < first.length; ++k) most = Math.max(most, first[k + 1] - first[k]);
    const teal = new THREE.Color(0x0fa3b1).convertSRGBToLinear();
    discs = rings.map((ring) => instances(ring, teal, most, 0.75));
    arrowShafts = instances(shaft, new THREE.Color(0xc8102e).convertSRGBToLinear(), most, 1);
    arrowTips = instances(tip, new THREE.Color(0xc8102e).convertSRGBToLinear(), most, 1);
    clock.listeners.push(pose);
    resize();
    placeCamera();
    setTime(clock.time);
    window.intervoxView = { bodies, camera, scene, clock, renderer, charts };  // for scripts and tests
  }

  function applyCut() {
    const axis = byId("cut-axis").value, share = Number(byId("cut-offset").value);
    cutPlanes.length = 0;
    byId("cut-offset").disabled = axis === "none";
    if (axis !== "none") {
      // What is nearer to the eye goes.
      const sign = camera.position[axis] >= controls.target[axis] ? -1 : 1;
      cut.normal.set(axis === "x" ? sign : 0, axis === "y" ? sign : 0, axis === "z" ? sign : 0);
      cut.constant = -cut.normal.dot(center) - sign * share * radius;
      cutPlanes.push(cut);
    }
    for (const inside of insides) inside.visible = cutPlanes.length > 0;
    redraw();
  }

  function startView() {
    try {
      if (!window.DecompressionStream) throw new Error("no gzip");
      renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    } catch (error) {
      view.classList.add("no-webgl");
      return;
    }
    renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    renderer.gammaOutput = true;
    renderer.gammaFactor = 2.2;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    renderer.localClippingEnabled = true;
    controls = new THREE.OrbitControls(camera, canvas);
    controls.addEventListener("change", redraw);
    unzipped(data.glb).then((glb) => {
      new THREE.GLTFLoader().parse(glb, "", buildView, (error) => { throw error; });
    });
    window.addEventListener("resize", resize);
    byId("reset-view").addEventListener("click", placeCamera);
    for (const id of ["cut-axis", "cut-offset"]) byId(id).addEventListener("input", applyCut);
    for (const id of ["show-forces", "show-patches"]) {
      byId(id).addEventListener("change", () => setTime(clock.time));
    }
  }

  // ----------------------------------------------------------------------------------- the clock
  const slider = byId("time"), readout = byId("time-readout"), play = byId("play");
  slider.max = String(end);
  slider.step = "any";
  const decimals = Math.max(2, Math.min(6, 3 - Math.floor(Math.log10(end || 1))));
  clock.listeners.push((time) => {
    slider.value = String(time);
    readout.textContent = time.toFixed(decimals) + " s";
  });
  slider.addEventListener("input", () => { setPlaying(false); setTime(Number(slider.value)); });
  function setPlaying(playing) {
    clock.playing = playing;
    play.textContent = playing ? "Pause" : "Play";
    if (!playing) return;
    if (clock.time >= end) setTime(0);
    let last = performance.now();
    const tick = (now) => {
      if (!clock.playing) return;
      setTime(clock.time + (now - last) / 1000 * clock.speed);
      last = now;
      if (clock.time >= end) setPlaying(false); else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
  play.addEventListener("click", () => setPlaying(!clock.playing));
  byId("speed").addEventListener("change", (event) => { clock.speed = Number(event.target.value); });

  // ----------------------------------------------------------------------------------- the plots
  const charts = [];
  let zooming = false;
  function shareZoom(source, range) {
    if (zooming) return;
    zooming = true;
    for (const chart of charts) {
      if (chart !== source) chart.updateOptions({ dateWindow: range, valueRange: null });
    }
    zooming = false;
  }
  /** A value of a vertical axis: short whatever its size, and 0 where it is only rounding. */
  function numeral(value, [low, high]) {
    const size = Math.abs(value);
    if (size <= 1e-9 * (high - low)) return "0";
    if (size < 1e-3 || size >= 1e6) return Number(value.toPrecision(3)).toExponential().replace("e+", "e");
    return Number(value.toPrecision(4)).toLocaleString("en", { maximumSignificantDigits: 4 });
  }
  /** Adds a chart's frame; the chart is drawn once all frames have their widths. */
  function addFrame(entry) {
    const figure = document.createElement("figure"), title = document.createElement("h3");
    const place = document.createElement("div"), note = document.createElement("figcaption");
    const legend = document.createElement("div"), cursor = document.createElement("div");
    figure.className = "chart";
    place.className = "plot";
    legend.className = "legend";
    cursor.className = "cursor";
    title.textContent = entry.title;
    note.textContent = entry.note;
    figure.append(title, legend, place, note);
    byId("charts").append(figure);
    return { place, legend, cursor };
  }
  function addChart(entry, { place, legend, cursor }) {
    const columns = entry.columns.map(floats);
    const table = Array.from(columns[0], (time, k) => [time, ...columns.slice(1).map((c) => c[k])]);
    const series = {};
    for (const name of entry.points) series[name] = { drawPoints: true, strokeWidth: 0, pointSize: 3 };
    let chart = null;
    chart = new Dygraph(place, table, {
      labels: ["time", ...entry.labels], colors: entry.colors, series, ylabel: entry.unit,
      labelsDiv: legend, legend: "always", strokeWidth: 1.3, logscale: entry.log, animatedZooms: false,
      includeZero: !entry.log, axisLabelFontSize: 12, stepPlot: entry.step, xRangePad: 4, yRangePad: 8,
      connectSeparatedPoints: true, highlightCircleSize: 3, digitsAfterDecimal: 5, sigFigs: 5,
      gridLineColor: dark.matches ? "#39424d" : "#e3e6ea", axisLineColor: "#8a939e",
      axes: { x: { valueFormatter: (t) => t.toFixed(decimals) + " s", axisLabelFormatter: (t) => Number(t.toPrecision(6)) + " s" },
              y: { axisLabelWidth: 58, axisLabelFormatter: (v, granularity, options, drawn) => numeral(v, drawn.yAxisRange()) } },
      drawCallback: () => placeCursor(cursor, chart),
      zoomCallback: (low, high) => shareZoom(chart, [low, high]),
      clickCallback: (event, x) => { setPlaying(false); setTime(x); },
    });
    place.append(cursor);
    charts.push(chart);
    clock.listeners.push(() => placeCursor(cursor, chart));
    new ResizeObserver(() => chart.resize()).observe(place);
  }
  /** Puts a plot's mark at the clock's time. */
  function placeCursor(cursor, chart) {
    if (!chart) return;  // while it is made
    const area = chart.getArea(), x = chart.toDomXCoord(clock.time);
    cursor.hidden = x < area.x - 1 || x > area.x + area.w + 1;
    cursor.style.left = x + "px";
    cursor.style.top = area.y + "px";
    cursor.style.height = area.h + "px";
  }
  function startCharts() {
    const frames = data.charts.map(addFrame);
    for (const [k, entry] of data.charts.entries()) addChart(entry, frames[k]);
    dark.addEventListener("change", () => {
      for (const chart of charts) chart.updateOptions({ gridLineColor: dark.matches ? "#39424d" : "#e3e6ea" });
    });
  }

  startView();
  startCharts();
  setTime(0);
})();
