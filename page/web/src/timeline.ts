// When ranges, situations and switches held and events fired: bars below the charts.

import { h, put, s } from "./dom";
import type { Span } from "./model";

const ROW = 20;
const BAR = 10;
/** Bars of a row that are drawn one by one. */
const MOST = 600;

export interface TimelineParts {
  spans: Span[];
  window: [number, number];
  now: number;
  left: number;
  right: number;
  width: number;
  label: string;
  onTime: (time: number, name: string) => void;
}

/** The parts of a window in which a boolean holds. */
export function held(span: Span, [from, to]: [number, number]): [number, number][] {
  const found: [number, number][] = [];
  let holds = span.holds;
  let since = from;
  for (const turn of span.turns) {
    if (holds) found.push([since, turn]);
    holds = !holds;
    since = turn;
  }
  if (holds) found.push([since, to]);
  return found;
}

/** The bar that a time lies in, or the one nearest to it. */
export function nearest(bars: [number, number][], time: number): [number, number] | undefined {
  let [best, least]: [[number, number] | undefined, number] = [undefined, Infinity];
  for (const bar of bars) {
    const away = Math.max(bar[0] - time, time - bar[1], 0);
    if (away < least) [best, least] = [bar, away];
  }
  return best;
}

/** Draws bars with the line of the present time, which `mark` moves. */
export function timeline(parts: TimelineParts): { host: HTMLElement; mark: (now: number) => void } {
  const { spans, window, left, right, width } = parts;
  const inner = Math.max(1, width - left - right);
  const [from, to] = window;
  const x = (time: number): number => left + ((time - from) / (to - from || 1)) * inner;
  const drawing = s("svg", { width, height: spans.length * ROW + 4, class: "timeline", role: "img", "aria-label": parts.label });
  spans.forEach((span, row) => {
    const y = row * ROW + 4;
    const label = s("text", { x: left - 8, y: y + BAR, class: "label" });
    label.textContent = span.name.length > 9 ? `${span.name.slice(0, 8)}…` : span.name;
    const title = s("title");
    title.textContent = span.name;
    label.append(title);
    drawing.append(label, s("line", { x1: left, x2: width - right, y1: y + BAR / 2, y2: y + BAR / 2, class: "rail" }));
    const bars = held(span, window).slice(0, MOST);
    const isEvent = span.kind === "event";
    // All bars of a row are one outline: a run with hundreds of them is drawn anew while a knob moves.
    const outline: string[] = [];
    for (const [begin, end] of bars) {
      const [a, b] = [Math.max(left, x(begin)), Math.min(width - right, x(end))];
      if (b < left || a > width - right) continue;
      const [first, long, tall] = isEvent ? [a - 1.5, 3, BAR + 2] : [a, Math.max(1, b - a), BAR];
      outline.push(`M${first.toFixed(2)} ${isEvent ? y - 1 : y}h${long.toFixed(2)}v${tall}h${(-long).toFixed(2)}z`);
    }
    if (!outline.length) return;
    const said = s("title");
    const whole = s("rect", { x: left, y: y - 1, width: inner, height: BAR + 2, fill: "none", "pointer-events": "all" });
    const group = s("g", { class: `bar ${span.kind}` }, said, whole, s("path", { d: outline.join("") }));
    const under = (event: MouseEvent): [number, number] | undefined => nearest(bars, from + ((event.clientX - drawing.getBoundingClientRect().left - left) / inner) * (to - from));
    group.addEventListener("click", (event) => {
      const bar = under(event);
      if (bar) parts.onTime(bar[0], span.name);
    });
    group.addEventListener("mousemove", (event) => {
      const bar = under(event);
      if (bar) said.textContent = `${span.name}: t = ${bar[0]}${isEvent ? "" : ` … ${bar[1]}`}`;
    });
    drawing.append(group);
  });
  const line = s("line", { y1: 0, y2: spans.length * ROW + 4, class: "now" });
  drawing.append(line);
  const mark = (now: number): void => {
    const at = x(now);
    line.style.display = at >= left - 1 && at <= width - right + 1 ? "" : "none";
    line.style.transform = `translateX(${at}px)`;
  };
  mark(parts.now);
  const host = h("div", { class: "timeline-host" });
  put(host, drawing);
  return { host, mark };
}
