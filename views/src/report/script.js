"use strict";
// Draws the curves, the timeline and the log of a report from the data in it.
(() => {
  const { figure: data, log: changes, words: say } = JSON.parse(document.getElementById("data").textContent);
  const unit = data.time.unit ? " " + data.time.unit : "";
  const charts = document.getElementById("charts");
  const readout = document.getElementById("readout");
  const all = [data.time.low, data.time.high];
  const view = [...all];
  let cursor = null;

  function make(parent, name, attributes = {}, text) {
    const inSvg = name === "svg" || parent.namespaceURI.endsWith("svg");
    const made = inSvg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    parent.appendChild(made);
    return made;
  }

  // A text with its blanks filled: the first is $1.
  const filled = (text, ...values) => text.replace(/\$(\d)/g, (_, n) => values[n - 1]);

  const signed = (text) => text.replace(/-/g, "−");

  // Six significant digits at most, as summaries have them.
  function rounded(value) {
    if (!Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    const text = size !== 0 && (size < 1e-4 || size >= 1e6) ? value.toExponential(5) : value.toPrecision(6);
    return signed(text.replace(/(\.\d*?)0+(?=e|$)/, "$1").replace(/\.(?=e|$)/, "").replace("e+", "e"));
  }

  // Marks at multiples of 1, 2 or 5 times a power of ten, at most so many.
  function ticks(low, high, most) {
    const span = high - low;
    const count = (step) => Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1;
    let power = Math.floor(Math.log10(span / (most + 1)));
    let step = 0;
    search: for (; ; power++) {
      for (const base of [1, 2, 5]) {
        const finer = step;
        step = base * 10 ** power;
        if (count(step) > most) continue;
        // Three marks at least, if that takes only a few more than asked for.
        if (count(step) < 3 && finer && count(finer) <= most * 5 / 3) {
          step = finer;
          power = Math.floor(Math.log10(step) + 1e-9);
        }
        break search;
      }
    }
    const size = Math.max(Math.abs(low), Math.abs(high));
    const magnitude = Math.floor(Math.log10(size));
    const plain = magnitude < 5 && magnitude >= -3;
    const exponent = plain ? 0 : 3 * Math.floor(magnitude / 3);
    const decimals = Math.min(Math.max(exponent - power, 0), 20);
    const marks = [];
    for (let n = Math.ceil(low / step - 1e-9); n <= high / step + 1e-9 && marks.length < 50; n++) {
      marks.push([n * step, signed((n * step / 10 ** exponent).toFixed(decimals).replace(/^-(0(\.0*)?)$/, "$1"))]);
    }
    return { marks, exponent };
  }

  // Marks of an axis; of a logarithmic one, whose places are logarithms, at powers of ten and some multiples.
  function ticksOf(axis, low, high, most) {
    if (!axis.log) return ticks(low, high, most);
    const step = Math.max(1, Math.ceil((high - low) / most));
    const marks = [];
    const multiples = high - low < 2 ? [1, 2, 5] : [1];
    for (let decade = Math.floor(low); decade <= high; decade++) {
      for (const multiple of multiples) {
        const place = decade + Math.log10(multiple);
        if (place < low || place > high || decade % step) continue;
        const plain = low >= -3.1 && high < 5;
        const text = plain ? rounded(multiple * 10 ** decade) : (multiple > 1 ? multiple + "·" : "") + raised(decade);
        marks.push([place, text]);
      }
    }
    return { marks, exponent: 0 };
  }

  const raised = (exponent) => "10" + [...String(exponent)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("");

  // Caption of an axis: names, power of ten and unit.
  function caption(axis, exponent, names = axis.names) {
    const scale = [exponent ? (axis.unit ? "" : "×") + raised(exponent) : "", axis.unit].filter(Boolean).join(" ");
    return [names.join(", "), scale && "(" + scale + ")"].filter(Boolean).join(" ");
  }

  // The last point that is not after a time.
  function before(times, time) {
    let [from, to] = [0, times.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (times[middle] <= time) from = middle + 1;
      else to = middle;
    }
    return from - 1;
  }

  function valueAt(curve, time) {
    const at = before(curve.x, time);
    if (at < 0 || time > curve.x[curve.x.length - 1]) return NaN;
    const [x, y] = [curve.x, curve.y];
    if (at + 1 === x.length || x[at] === time) return y[at];
    return y[at] + (y[at + 1] - y[at]) * (time - x[at]) / (x[at + 1] - x[at]);
  }

  for (const panel of data.panels) {
    for (const curve of panel.curves) {
      curve.y = curve.y.map((value) => value ?? NaN);
      if (panel.over_time) curve.x.forEach((time, at) => { curve.x[at] = time ?? curve.x[at - 1]; });
    }
  }

  const narrow = () => charts.clientWidth < 620;

  // Left and right end of all that has time below it.
  function frame() {
    const width = Math.max(charts.clientWidth, 240);
    if (narrow()) return { width, left: 52, right: width - 10 };
    const names = data.lanes.map((lane) => Math.min(lane.name.length, 26) * 7 + 14);
    return { width, left: Math.max(76, ...names), right: width - 14 };
  }

  const inView = (time, { left, right }) => left + (right - left) * (time - view[0]) / (view[1] - view[0]);

  function grid(svg, place, marks, top, bottom) {
    for (const [value] of marks) {
      const x = Math.round(place(value)) + 0.5;
      make(svg, "path", { class: "grid", d: `M${x} ${top}V${bottom}` });
    }
  }

  function bottomAxis(svg, place, { marks, exponent }, axis, top, left, right) {
    make(svg, "path", { class: "axis", d: `M${left} ${top + 0.5}H${right}` });
    for (const [value, text] of marks) make(svg, "text", { x: place(value), y: top + 17, "text-anchor": "middle" }, text);
    make(svg, "text", { class: "caption", x: (left + right) / 2, y: top + 35, "text-anchor": "middle" }, caption(axis, exponent));
  }

  function leftAxis(svg, axis, low, high, top, bottom, left, right) {
    const { marks, exponent } = ticksOf(axis, low, high, Math.max(2, Math.floor((bottom - top) / 30)));
    const place = (value) => bottom - (bottom - top) * (value - low) / (high - low);
    for (const [value, text] of marks) {
      const y = Math.round(place(value)) + 0.5;
      make(svg, "path", { class: "grid", d: `M${left} ${y}H${right}` });
      make(svg, "text", { x: left - 8, y: y + 4, "text-anchor": "end" }, text);
    }
    return { place, exponent };
  }

  // Range of values that are in view, with room around them.
  function extent(panel) {
    if (view[0] === all[0] && view[1] === all[1]) return [panel.y.low, panel.y.high];
    let [low, high] = [Infinity, -Infinity];
    const take = (value) => {
      if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    };
    for (const curve of panel.curves) {
      view.forEach((time) => take(valueAt(curve, time)));
      for (let at = before(curve.x, view[0]) + 1; at < curve.x.length && curve.x[at] <= view[1]; at++) take(curve.y[at]);
    }
    if (low > high) return [panel.y.low, panel.y.high];
    const room = Math.max(0.05 * (high - low), 1e-5 * (panel.y.high - panel.y.low));
    return [low - room, high + room];
  }

  function path(curve, from, to, x, y) {
    let [text, open] = ["", false];
    for (let at = from; at < to; at++) {
      if (Number.isFinite(curve.y[at]) && Number.isFinite(curve.x[at])) {
        text += (open ? "L" : "M") + x(curve.x[at]).toFixed(1) + " " + y(curve.y[at]).toFixed(1);
        open = true;
      } else open = false;
    }
    return text;
  }

  const blocks = [];

  function block(name) {
    const element = make(charts, "div", { class: "block" });
    const legend = make(element, "div", { class: "legend" });
    const svg = make(element, "svg", { role: "img", "aria-label": name });
    return { element, legend, svg, readings: [] };
  }

  function drawLegend(block, panel) {
    for (const curve of panel.curves) {
      const entry = make(block.legend, "span", { class: "entry" });
      if (panel.curves.length > 1) make(entry, "i", { class: "sample s" + curve.style % 7 });
      make(entry, "b", {}, curve.name);
      if (panel.over_time) block.readings.push([make(entry, "output"), curve, panel.y]);
      if (curve.about) make(entry, "small", {}, curve.about);
    }
    block.unit = make(block.legend, "small");
  }

  function clear(svg, width, height) {
    svg.replaceChildren();
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  }

  function drawPanel(block, panel, isLast) {
    const { width, left, right } = frame();
    const n = data.panels.filter((panel) => panel.over_time).length;
    const height = narrow() ? 150 : n === 1 ? 300 : n === 2 ? 220 : 170;
    const svg = block.svg;
    clear(svg, width, height + (isLast ? 44 : 8));
    const [low, high] = extent(panel);
    const marks = ticks(view[0], view[1], Math.max(2, Math.floor((right - left) / 70)));
    const x = (time) => inView(time, { left, right });
    grid(svg, x, marks.marks, 4, height);
    const { place, exponent } = leftAxis(svg, panel.y, low, high, 4, height, left, right);
    const note = caption(panel.y, exponent, []);
    block.unit.textContent = narrow() ? note : "";
    if (note && !narrow()) {
      make(svg, "text", { class: "caption", transform: `translate(12 ${height / 2}) rotate(-90)`, "text-anchor": "middle" }, note);
    }
    make(svg, "path", { class: "axis", d: `M${left + 0.5} 4V${height}` });
    const clip = make(svg, "svg", { x: left, y: 0, width: right - left, height, viewBox: `${left} 0 ${right - left} ${height}` });
    for (const curve of panel.curves) {
      const from = Math.max(before(curve.x, view[0]), 0);
      const to = Math.min(before(curve.x, view[1]) + 2, curve.x.length);
      const line = path(curve, from, to, x, place);
      if (line) make(clip, "path", { class: "curve s" + curve.style % 7, d: line });
    }
    if (isLast) bottomAxis(svg, x, marks, data.time, height, left, right);
    else make(svg, "path", { class: "axis", d: `M${left} ${height + 0.5}H${right}` });
    block.dots = panel.curves.map((curve) => [make(svg, "circle", { class: "dot s" + curve.style % 7, r: 3.5 }), curve, place]);
    finish(block, height, left, right);
  }

  function drawLanes(block) {
    const { width, left, right } = frame();
    const [row, bar] = narrow() ? [32, 12] : [22, 13];
    const height = row * data.lanes.length;
    const svg = block.svg;
    clear(svg, width, height + 44);
    const marks = ticks(view[0], view[1], Math.max(2, Math.floor((right - left) / 70)));
    const x = (time) => inView(time, { left, right });
    grid(svg, x, marks.marks, 0, height);
    const clip = make(svg, "svg", { x: left, y: 0, width: right - left, height, viewBox: `${left} 0 ${right - left} ${height}` });
    data.lanes.forEach((lane, index) => {
      const top = row * index;
      const name = lane.name.length > 26 && !narrow() ? lane.name.slice(0, 25) + "…" : lane.name;
      const at = narrow() ? { x: left, y: top + 13 } : { x: left - 10, y: top + 15, "text-anchor": "end" };
      const label = make(svg, "text", { class: "lane", ...at }, name);
      make(label, "title", {}, lane.name);
      const y = top + row - bar - (narrow() ? 3 : 4.5);
      make(clip, "rect", { class: "rest", x: left, y, width: right - left, height: bar });
      let d = "";
      for (const [begin, end] of lane.bars[0] ?? []) {
        if (end < view[0] || begin > view[1]) continue;
        const from = x(Math.max(begin, view[0]));
        d += `M${from.toFixed(1)} ${y}H${Math.max(x(Math.min(end, view[1])), from + 1.5).toFixed(1)}v${bar}H${from.toFixed(1)}z`;
      }
      if (d) make(clip, "path", { class: lane.event ? "event" : "held", d });
    });
    make(svg, "path", { class: "axis", d: `M${left + 0.5} 0V${height}` });
    bottomAxis(svg, x, marks, data.time, height, left, right);
    block.dots = [];
    finish(block, height, left, right);
  }

  // One of two quantities against each other; both of one unit have one scale, so that a circle is round.
  function drawPhase(block, panel) {
    const { width, left, right } = frame();
    const height = Math.min(440, right - left);
    const svg = block.svg;
    clear(svg, width, height + 44);
    const [x, y] = [{ ...panel.x }, { ...panel.y }];
    if (x.unit && x.unit === y.unit && !x.log && !y.log) {
      const factor = (right - left) / (x.high - x.low) / ((height - 4) / (y.high - y.low));
      const [axis, by] = factor > 1 ? [x, factor] : [y, 1 / factor];
      const room = (by - 1) / 2 * (axis.high - axis.low);
      [axis.low, axis.high] = [axis.low - room, axis.high + room];
    }
    const marks = ticksOf(x, x.low, x.high, Math.max(2, Math.floor((right - left) / 70)));
    const across = (value) => left + (right - left) * (value - x.low) / (x.high - x.low);
    grid(svg, across, marks.marks, 4, height);
    const { place, exponent } = leftAxis(svg, y, y.low, y.high, 4, height, left, right);
    make(svg, "text", { class: "caption", x: left + 6, y: 16 }, caption(y, exponent));
    make(svg, "path", { class: "axis", d: `M${left + 0.5} 4V${height}` });
    for (const curve of panel.curves) {
      const line = path(curve, 0, curve.x.length, across, place);
      if (line) make(svg, "path", { class: "curve s" + curve.style % 7, d: line });
    }
    bottomAxis(svg, across, marks, x, height, left, right);
  }

  function finish(block, height, left, right) {
    block.height = height;
    block.band = make(block.svg, "rect", { class: "band", y: 0, height, width: 0 });
    block.line = make(block.svg, "path", { class: "cursor" });
    block.frame = { left, right };
  }

  function draw() {
    blocks.forEach((block) => block.draw());
    drawCursor();
    const zoomed = view[0] !== all[0] || view[1] !== all[1];
    document.querySelectorAll("[data-do=all],[data-do=out]").forEach((button) => { button.disabled = !zoomed; });
  }

  function drawCursor() {
    const shown = cursor !== null && cursor >= view[0] && cursor <= view[1];
    readout.textContent = cursor === null ? "" : "t = " + rounded(cursor) + unit;
    for (const block of blocks) {
      if (!block.line) continue;
      const x = shown ? inView(cursor, block.frame) : 0;
      block.line.setAttribute("d", shown ? `M${x.toFixed(1)} 0V${block.height}` : "");
      for (const [dot, curve, place] of block.dots) {
        const value = shown ? valueAt(curve, cursor) : NaN;
        dot.setAttribute("visibility", Number.isFinite(value) ? "visible" : "hidden");
        if (Number.isFinite(value)) [["cx", x], ["cy", place(value)]].forEach(([key, at]) => dot.setAttribute(key, at));
      }
      for (const [output, curve, { unit, log }] of block.readings) {
        const value = valueAt(curve, cursor);
        output.textContent = cursor === null ? "" : "= " + rounded(log ? 10 ** value : value) + (unit ? " " + unit : "");
      }
    }
  }

  function look(low, high) {
    const least = (all[1] - all[0]) * 1e-4;
    const middle = (low + high) / 2;
    const span = Math.min(Math.max(high - low, least), all[1] - all[0]);
    view[0] = Math.min(Math.max(middle - span / 2, all[0]), all[1] - span);
    view[1] = span === all[1] - all[0] ? all[1] : view[0] + span;
    draw();
  }

  function zoom(factor, about = cursor ?? (view[0] + view[1]) / 2) {
    const at = about >= view[0] && about <= view[1] ? about : (view[0] + view[1]) / 2;
    look(at - (at - view[0]) * factor, at + (view[1] - at) * factor);
  }

  function timeOf(event, block) {
    const { left, right } = block.frame;
    const x = event.clientX - block.svg.getBoundingClientRect().left;
    const share = Math.min(Math.max((x - left) / (right - left), 0), 1);
    return view[0] + share * (view[1] - view[0]);
  }

  function listen(block) {
    let from = null;
    const svg = block.svg;
    svg.classList.add("timed");
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      from = timeOf(event, block);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      cursor = timeOf(event, block);
      drawCursor();
      if (from === null) return;
      const [a, b] = [from, cursor].sort((a, b) => a - b).map((time) => inView(time, block.frame));
      for (const other of blocks) {
        other.band?.setAttribute("x", a);
        other.band?.setAttribute("width", b - a);
      }
    });
    const release = (event) => {
      if (from === null) return;
      const [a, b] = [from, timeOf(event, block)].sort((a, b) => a - b);
      const pixels = inView(b, block.frame) - inView(a, block.frame);
      from = null;
      cursor = timeOf(event, block);
      if (event.type === "pointerup" && pixels > 6) look(a, b);
      else draw();
    };
    svg.addEventListener("pointerup", release);
    svg.addEventListener("pointercancel", release);
    svg.addEventListener("dblclick", () => look(...all));
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(event.deltaY * 0.003), timeOf(event, block));
    }, { passive: false });
  }

  const overTime = data.panels.filter((panel) => panel.over_time);
  overTime.forEach((panel, index) => {
    const made = block(filled(say.overTime, panel.y.names.join(", ")));
    drawLegend(made, panel);
    made.draw = () => drawPanel(made, panel, index + 1 === overTime.length && !data.lanes.length);
    blocks.push(made);
    listen(made);
  });
  if (data.lanes.length) {
    const made = block(say.timeline);
    made.draw = () => drawLanes(made);
    blocks.push(made);
    listen(made);
  }
  for (const panel of data.panels.filter((panel) => !panel.over_time)) {
    const made = block(filled(say.against, panel.y.names, panel.x.names));
    drawLegend(made, panel);
    made.draw = () => drawPhase(made, panel);
    blocks.push(made);
  }
  const actions = {
    in: () => zoom(0.5),
    out: () => zoom(2),
    all: () => look(...all),
  };
  document.querySelectorAll("[data-do]").forEach((button) => button.addEventListener("click", actions[button.dataset.do]));
  charts.addEventListener("keydown", (event) => {
    const step = (view[1] - view[0]) / (event.shiftKey ? 20 : 200);
    const move = (by) => {
      cursor = Math.min(Math.max((cursor ?? view[0]) + by, all[0]), all[1]);
      if (cursor < view[0] || cursor > view[1]) look(view[0] + by, view[1] + by);
      else drawCursor();
    };
    const keys = {
      ArrowLeft: () => move(-step),
      ArrowRight: () => move(step),
      "+": actions.in,
      "=": actions.in,
      "-": actions.out,
      "0": actions.all,
      Escape: actions.all,
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });

  // The log: a row per thing that happened, those that contain the text that is looked for.
  const log = document.getElementById("rows");
  if (log) {
    const rows = changes.map((cells) => {
      const row = make(log, "tr");
      const time = make(make(row, "td", { class: "number" }), "button", { type: "button", title: say.show }, signed(cells[0]));
      time.addEventListener("click", () => {
        cursor = Number(cells[0]);
        const half = (view[1] - view[0]) / 2;
        if (cursor < view[0] || cursor > view[1]) look(cursor - half, cursor + half);
        else drawCursor();
        charts.scrollIntoView({ block: "nearest" });
      });
      cells.slice(1).forEach((cell) => make(row, "td", {}, cell));
      return [row, cells.join(" ").toLowerCase()];
    });
    const wanted = document.getElementById("filter");
    const found = document.getElementById("found");
    wanted.addEventListener("input", () => {
      const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
      let n = 0;
      for (const [row, text] of rows) {
        row.hidden = !words.every((word) => text.includes(word));
        n += !row.hidden;
      }
      found.textContent = words.length ? filled(say.found, n, rows.length) : "";
    });
  }

  let width = 0;
  new ResizeObserver(() => {
    if (charts.clientWidth === width) return;
    width = charts.clientWidth;
    draw();
  }).observe(charts);
  width = charts.clientWidth;
  draw();
})();
