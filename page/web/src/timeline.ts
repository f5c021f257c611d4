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

export function timeline(parts: TimelineParts): HTMLElement {
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
    for (const [begin, end] of bars) {
      const [a, b] = [Math.max(left, x(begin)), Math.min(width - right, x(end))];
      if (b < left || a > width - right) continue;
      const isEvent = span.kind === "event";
      const bar = s("rect", { x: isEvent ? a - 1.5 : a, y: isEvent ? y - 1 : y, width: isEvent ? 3 : Math.max(1, b - a), height: isEvent ? BAR + 2 : BAR, rx: 2, class: `bar ${span.kind}` });
      const said = s("title");
      said.textContent = `${span.name}: t = ${begin}${isEvent ? "" : ` … ${end}`}`;
      bar.append(said);
      bar.addEventListener("click", () => parts.onTime(begin, span.name));
      drawing.append(bar);
    }
  });
  const at = x(parts.now);
  if (at >= left - 1 && at <= width - right + 1) drawing.append(s("line", { x1: at, x2: at, y1: 0, y2: spans.length * ROW + 4, class: "now" }));
  const host = h("div", { class: "timeline-host" });
  put(host, drawing);
  return host;
}
