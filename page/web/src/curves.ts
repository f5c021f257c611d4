// The curves: a chart for each unit, the timeline below, a phase plot, one cursor for all.

import { Chart, type Drawn, LEFT } from "./chart";
import { curveColour, h, icon, put, shown } from "./dom";
import { type Curves, type Model, result, spelt } from "./model";
import { phase } from "./phase";
import { timeline } from "./timeline";
import type { View } from "./view";
import { w } from "./words";

const RIGHT = 12;

export class CurvesView {
  readonly host = h("div", { class: "curves" });
  private readonly legend = h("div", { class: "legend" });
  private readonly plots = h("div", { class: "plots" });
  private readonly bars = h("div", {});
  private readonly plane = h("div", {});
  private readonly tools = h("div", { class: "tools" });
  private charts: Chart[] = [];
  private readonly readings = new Map<string, HTMLElement>();
  private width = 0;
  private planeOf: Curves | null = null;
  private markBars: ((now: number) => void) | null = null;

  constructor(
    private readonly model: Model,
    private readonly view: View,
    private readonly onTime: (time: number) => void,
    private readonly onWhy: (name: string, time?: number) => void,
    private readonly onView: () => void,
  ) {
    put(this.host, this.tools, this.legend, this.plots, this.bars, this.plane);
    new ResizeObserver(([entry]) => entry && this.fit(Math.floor(entry.contentRect.width))).observe(this.host);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.anew());
  }

  /** Draws everything again: the colours have changed. */
  anew(): void {
    for (const chart of this.charts) chart.destroy();
    this.charts = [];
    this.show();
  }

  private fit(width: number): void {
    if (!width || width === this.width) return;
    const isFirst = this.width === 0;
    this.width = width;
    this.model.pixels = (width - LEFT - RIGHT) * Math.min(2, devicePixelRatio);
    for (const chart of this.charts) chart.resize(width);
    if (isFirst) this.show();
    else this.drawBars();
    this.drawPlane();
  }

  private get window(): [number, number] {
    const curves = this.model.curves;
    if (this.model.window) return this.model.window;
    let [from, to] = curves ? [curves.from, curves.to] : [0, 1];
    for (const other of this.model.behind) [from, to] = [Math.min(from, other.from), Math.max(to, other.to)];
    return to > from ? [from, to] : [from, from + 1];
  }

  show(): void {
    const curves = this.model.curves;
    if (!curves || !this.width) return;
    const units = new Map<string, Drawn[]>();
    curves.reals.forEach((curve, index) => {
      const list = units.get(curve.unit) ?? [];
      list.push({ curve, index });
      units.set(curve.unit, list);
    });
    const events = curves.booleans.filter((span) => span.kind === "event").flatMap((span) => span.turns.filter((_, at) => at % 2 === 0));
    const all = [...units].map(([unit, drawn], at) => ({
      unit,
      drawn,
      times: curves.times,
      timeUnit: curves.time_unit,
      window: this.window,
      behind: this.model.behind,
      events,
      hasTimes: at === units.size - 1,
      now: this.model.place?.time ?? 0,
      label: drawn.map((one) => one.curve.name).join(", "),
      onTime: this.onTime,
      onZoom: (window: [number, number]) => this.zoom(window),
      onCursor: (index: number | null) => this.read(index),
    }));
    if (all.length === this.charts.length && all.every((parts, at) => this.charts[at]?.takes(parts))) {
      all.forEach((parts, at) => this.charts[at]?.update(parts));
    } else {
      for (const chart of this.charts) chart.destroy();
      const hosts = all.map((parts) => h("figure", { class: "chart", role: "img", "aria-label": `${parts.label}${parts.unit ? ` [${parts.unit}]` : ""}` }, h("figcaption", {}, parts.unit ? `[${parts.unit}]` : "")));
      put(this.plots, ...hosts);
      this.charts = all.map((parts, at) => new Chart(hosts[at] as HTMLElement, this.width, parts));
    }
    this.drawLegend();
    this.drawTools();
    this.drawBars();
    void this.loadPlane();
  }

  /** Shows the present time, without new numbers. */
  mark(): void {
    const now = this.model.place?.time ?? 0;
    for (const chart of this.charts) chart.mark(now);
    this.markBars?.(now);
    this.read(null);
    this.drawPlane();
  }

  private drawLegend(): void {
    this.readings.clear();
    put(
      this.legend,
      ...(this.model.curves?.reals ?? []).map((curve, index) => {
        const reading = h("span", { class: "reading" });
        this.readings.set(curve.name, reading);
        const dot = h("span", { class: "dot" });
        dot.style.background = curveColour(index);
        return h(
          "span",
          { class: "chip" },
          h("button", { class: "quiet", title: `${w("why")}: ${curve.about || curve.name}`, onclick: () => this.onWhy(curve.name) }, dot, h("b", {}, curve.name), reading),
          h("button", { class: "quiet icon", title: w("close"), "aria-label": `${w("close")}: ${curve.name}`, onclick: () => void this.pick(curve.name, false) }, icon("close")),
        );
      }),
      this.adder(),
    );
    this.read(null);
  }

  private adder(): HTMLElement | null {
    const drawn = new Set(this.model.curves?.reals.map((curve) => curve.name));
    const others = this.model.realNames().filter((name) => !drawn.has(name));
    if (!others.length) return null;
    const choice = h("select", { "aria-label": w("draw"), class: "add", onchange: () => choice.value && void this.pick(choice.value, true) }, h("option", { value: "" }, `+ ${w("draw")}`), ...others.slice(0, 300).map((name) => h("option", { value: name }, name)));
    return choice;
  }

  private async pick(name: string, isOn: boolean): Promise<void> {
    await this.model.pick(name, isOn);
    this.view.curves = this.model.picked;
    this.onView();
  }

  private drawTools(): void {
    const zoom = (factor: number): void => {
      const [from, to] = this.window;
      const middle = Math.min(to, Math.max(from, this.model.place?.time ?? (from + to) / 2));
      this.zoom([middle - ((middle - from) * factor), middle + (to - middle) * factor]);
    };
    const reals = this.model.realNames().slice(0, 300);
    const choice = (at: 0 | 1, usual: string): HTMLSelectElement => {
      const made = h("select", { "aria-label": at ? w("phase") : `${w("phase")}: x` }, h("option", { value: "" }, usual), ...reals.map((name) => h("option", { value: name, selected: this.view.phase?.[at] === name }, name)));
      made.addEventListener("change", () => {
        const pair: [string, string] = [...(this.view.phase ?? [reals[0] ?? "", reals[0] ?? ""])] as [string, string];
        pair[at] = made.value;
        this.view.phase = made.value ? pair : null;
        this.onView();
        this.drawTools();
        void this.loadPlane();
      });
      return made;
    };
    const branches = this.model.place?.branches ?? [];
    put(
      this.tools,
      h("div", { class: "group" }, h("button", { title: w("zoomIn"), "aria-label": w("zoomIn"), onclick: () => zoom(0.5) }, "+"), h("button", { title: w("zoomLess"), "aria-label": w("zoomLess"), onclick: () => zoom(2) }, "−"), h("button", { disabled: this.model.window === null, onclick: () => this.zoom(null) }, w("zoomOut"))),
      h("label", { class: "inline" }, w("phase"), choice(1, "–"), this.view.phase ? h("span", {}, w("against")) : null, this.view.phase ? choice(0, "–") : null),
      ...branches.map((branch) => h("label", { class: "check" }, this.overlayBox(branch), `${w("overlay")}: ${branch}`)),
    );
  }

  private overlayBox(branch: string): HTMLElement {
    const box = h("input", { type: "checkbox", checked: this.model.overlaid.includes(branch), onchange: () => void this.model.overlay(branch, box.checked) });
    return box;
  }

  private zoom(window: [number, number] | null): void {
    const known = this.model.place?.known;
    if (window && known) {
      const [from, to] = [Math.max(window[0], known[0]), Math.min(window[1], known[1])];
      window = to - from >= (known[1] - known[0]) * 0.999 || to <= from ? null : [from, to];
    }
    this.view.window = window;
    this.onView();
    void this.model.look(window);
  }

  /** Values under the cursor, or where the session stands. */
  private read(index: number | null): void {
    for (const curve of this.model.curves?.reals ?? []) {
      const value = index === null ? this.model.values[curve.name] : curve.values[index];
      const reading = this.readings.get(curve.name);
      if (reading) reading.textContent = `${shown(typeof value === "boolean" ? null : value)}${curve.unit ? ` ${curve.unit}` : ""}`;
    }
  }

  private drawBars(): void {
    const spans = this.model.curves?.booleans ?? [];
    this.markBars = null;
    if (!spans.length || !this.width) return put(this.bars);
    const onTime = (time: number, name: string): void => this.onWhy(name, time);
    const { host, mark } = timeline({ spans, window: this.window, now: this.model.place?.time ?? 0, left: LEFT, right: RIGHT, width: this.width, label: w("situations"), onTime });
    this.markBars = mark;
    put(this.bars, host);
  }

  private async loadPlane(): Promise<void> {
    const pair = this.view.phase;
    if (!pair || !pair.every((name) => name in this.model.values)) {
      this.planeOf = null;
      return put(this.plane);
    }
    const replies = await this.model.data(`curves ${spelt(pair[0])} ${spelt(pair[1])} into 2000 whole`).catch(() => []);
    this.planeOf = result<Curves>(replies[0]) ?? null;
    this.drawPlane();
  }

  private drawPlane(): void {
    const pair = this.view.phase;
    const [x, y] = [this.planeOf?.reals.find((one) => one.name === pair?.[0]), this.planeOf?.reals.find((one) => one.name === pair?.[1])];
    if (!pair || !x || !y || !this.width) return put(this.plane);
    const [now, other] = [this.model.values[pair[0]], this.model.values[pair[1]]];
    const at: [number, number] | null = typeof now === "number" && typeof other === "number" ? [now, other] : null;
    put(this.plane, phase(this.width, x, y, at, `${y.name} ${w("against")} ${x.name}`));
  }
}
