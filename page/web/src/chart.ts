// One chart over time: the curves of one unit by uPlot, with the curves of other branches and the events behind.

import uPlot from "uplot";
import { colour, curveColour, h } from "./dom";
import type { Curve, Curves } from "./model";

/** A curve with its place in the list of colours. */
export interface Drawn {
  curve: Curve;
  index: number;
}

export interface ChartParts {
  unit: string;
  drawn: Drawn[];
  times: number[];
  timeUnit: string;
  window: [number, number];
  /** Curves of other branches. */
  behind: Curves[];
  /** Times of events. */
  events: number[];
  /** True for the chart that shows the times. */
  hasTimes: boolean;
  now: number;
  label: string;
  onTime: (time: number) => void;
  onZoom: (window: [number, number]) => void;
  onCursor: (index: number | null) => void;
}

const HEIGHT = 150;
const AXIS = 34;
/** Space for the numbers on the left: the same for all charts, so that their times stand below each other. */
const LEFT = 64;

/** A number at an axis. */
const short = (value: number): string => (Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(0) : String(Number(value.toPrecision(6))));

const numeric = (value: number | string | null): number | null => (typeof value === "number" ? value : null);

export class Chart {
  private readonly plot: uPlot;
  private parts: ChartParts;
  /** The present time: a line of its own, which moves while nothing else is drawn. */
  private readonly now = h("div", { class: "now" });

  constructor(host: HTMLElement, width: number, parts: ChartParts) {
    this.parts = parts;
    this.plot = new uPlot(this.options(width), this.data(), host);
    this.plot.over.append(this.now);
    this.placeNow(this.plot);
    this.plot.over.setAttribute("aria-hidden", "true");
  }

  /** True if new numbers fit into this chart: the same curves, in the same order. */
  takes(parts: ChartParts): boolean {
    const key = (of: ChartParts): string => [of.unit, of.hasTimes, ...of.drawn.map((one) => `${one.curve.name}:${one.index}`)].join("\n");
    return key(parts) === key(this.parts);
  }

  update(parts: ChartParts): void {
    this.parts = parts;
    this.plot.batch(() => {
      this.plot.setData(this.data(), false);
      this.plot.setScale("x", { min: parts.window[0], max: parts.window[1] });
      const [least, most] = this.extent();
      this.plot.setScale("y", { min: least, max: most });
      this.plot.redraw(false);
    });
  }

  resize(width: number): void {
    this.plot.setSize({ width, height: this.height() });
  }

  destroy(): void {
    this.plot.destroy();
  }

  /** Shows another present time. */
  mark(now: number): void {
    this.parts.now = now;
    this.placeNow(this.plot);
  }

  private height(): number {
    return HEIGHT + (this.parts.hasTimes ? AXIS : 10);
  }

  private data(): uPlot.AlignedData {
    return [this.parts.times, ...this.parts.drawn.map(({ curve }) => curve.values.map(numeric))] as uPlot.AlignedData;
  }

  /** Least and greatest of all that is drawn, with some room. */
  private extent(): [number, number] {
    let [least, most] = [Infinity, -Infinity];
    const look = (values: (number | string | null)[]): void => {
      for (const value of values) {
        if (typeof value !== "number") continue;
        if (value < least) least = value;
        if (value > most) most = value;
      }
    };
    const names = new Set(this.parts.drawn.map(({ curve }) => curve.name));
    for (const { curve } of this.parts.drawn) look(curve.values);
    for (const other of this.parts.behind) for (const curve of other.reals) if (names.has(curve.name)) look(curve.values);
    if (least > most) return [0, 1];
    const room = (most - least) * 0.06 || Math.abs(most) * 0.1 || 1;
    return [least - room, most + room];
  }

  private options(width: number): uPlot.Options {
    const font = "11px system-ui, sans-serif";
    const axis = { stroke: () => colour("--faint"), grid: { stroke: () => colour("--grid"), width: 1 }, ticks: { show: false }, font };
    const [least, most] = this.extent();
    return {
      width,
      height: this.height(),
      padding: [8, 12, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: "time" }, drag: { x: true, y: false, setScale: false }, points: { size: 6 }, focus: { prox: 24 } },
      scales: { x: { time: false, min: this.parts.window[0], max: this.parts.window[1], auto: false }, y: { auto: false, min: least, max: most } },
      axes: [
        { ...axis, show: this.parts.hasTimes, size: AXIS, values: (_plot, splits) => splits.map((value, at) => (at === splits.length - 1 && this.parts.timeUnit ? `${short(value)} ${this.parts.timeUnit}` : short(value))) },
        { ...axis, size: LEFT, values: (_plot, splits) => splits.map(short) },
      ],
      series: [
        {},
        ...this.parts.drawn.map(({ index }): uPlot.Series => ({ stroke: () => curveColour(index), width: 1.75, points: { show: false }, spanGaps: false, pxAlign: 0 })),
      ],
      hooks: {
        drawAxes: [(plot) => this.drawBehind(plot)],
        draw: [(plot) => this.placeNow(plot)],
        setCursor: [(plot) => this.parts.onCursor(plot.cursor.idx ?? null)],
        setSelect: [
          (plot) => {
            if (plot.select.width < 4) return;
            const from = plot.posToVal(plot.select.left, "x");
            const to = plot.posToVal(plot.select.left + plot.select.width, "x");
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            this.parts.onZoom([from, to]);
          },
        ],
        ready: [
          (plot) => {
            let down = 0;
            plot.over.addEventListener("mousedown", (event) => (down = event.clientX));
            plot.over.addEventListener("click", (event) => {
              if (Math.abs(event.clientX - down) < 4) this.parts.onTime(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
            });
          },
        ],
      },
    };
  }

  private drawBehind(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const { events, behind, drawn } = this.parts;
    const scale = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    if (events.length < 400) {
      ctx.strokeStyle = colour("--mark");
      ctx.lineWidth = scale;
      ctx.beginPath();
      for (const time of events) {
        const x = Math.round(plot.valToPos(time, "x", true)) + 0.5;
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
      }
      ctx.stroke();
    }
    ctx.setLineDash([5 * scale, 4 * scale]);
    ctx.lineWidth = 1.25 * scale;
    ctx.globalAlpha = 0.65;
    for (const other of behind) {
      for (const curve of other.reals) {
        const own = drawn.find((one) => one.curve.name === curve.name);
        if (!own) continue;
        ctx.strokeStyle = curveColour(own.index);
        ctx.beginPath();
        let isOn = false;
        curve.values.forEach((value, at) => {
          if (typeof value !== "number") {
            isOn = false;
            return;
          }
          const [x, y] = [plot.valToPos(other.times[at] ?? 0, "x", true), plot.valToPos(value, "y", true)];
          if (isOn) ctx.lineTo(x, y);
          else ctx.moveTo(x, y);
          isOn = true;
        });
        ctx.stroke();
      }
    }
    ctx.restore();
  }

  private placeNow(plot: uPlot): void {
    const x = plot.valToPos(this.parts.now, "x");
    const width = plot.bbox.width / devicePixelRatio;
    this.now.hidden = !(x >= -1 && x <= width + 1);
    this.now.style.transform = `translateX(${x}px)`;
  }
}

export { LEFT };
