// A phase plot: one quantity against another, on a canvas.

import { colour, curveColour, h, shown } from "./dom";

/** Pixels for the numbers at the left and below. */
const [LEFT, BELOW, ROOM] = [64, 34, 12];
const HEIGHT = 240;

const finite = (values: (number | string | null)[]): number[] => values.filter((value): value is number => typeof value === "number" && Number.isFinite(value));

/** Round numbers in an interval. */
function ticks(from: number, to: number, most: number): number[] {
  const rough = (to - from) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough;
  const found: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to + step * 1e-9; at += step) found.push(Number(at.toPrecision(12)));
  return found;
}

function extent(values: (number | string | null)[]): [number, number] {
  const numbers = finite(values);
  let [least, most] = [Infinity, -Infinity];
  for (const value of numbers) [least, most] = [Math.min(least, value), Math.max(most, value)];
  if (least > most) return [0, 1];
  const room = (most - least) * 0.06 || Math.abs(most) * 0.1 || 1;
  return [least - room, most + room];
}

export function phase(width: number, x: { name: string; values: (number | string | null)[] }, y: { name: string; values: (number | string | null)[] }, now: [number, number] | null, label: string): HTMLElement {
  const canvas = h("canvas", { class: "phase", role: "img", "aria-label": label });
  const scale = devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = HEIGHT * scale;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${HEIGHT}px`;
  const ctx = canvas.getContext("2d");
  if (!ctx) return canvas;
  ctx.scale(scale, scale);
  const [[x0, x1], [y0, y1]] = [extent(x.values), extent(y.values)];
  const px = (value: number): number => LEFT + ((value - x0) / (x1 - x0)) * (width - LEFT - ROOM);
  const py = (value: number): number => HEIGHT - BELOW - ((value - y0) / (y1 - y0)) * (HEIGHT - BELOW - ROOM);
  ctx.font = "11px system-ui, sans-serif";
  ctx.fillStyle = colour("--faint");
  ctx.strokeStyle = colour("--grid");
  ctx.textAlign = "center";
  for (const tick of ticks(x0, x1, 7)) {
    ctx.beginPath();
    ctx.moveTo(px(tick), ROOM);
    ctx.lineTo(px(tick), HEIGHT - BELOW);
    ctx.stroke();
    ctx.fillText(shown(tick), px(tick), HEIGHT - BELOW + 14);
  }
  ctx.textAlign = "right";
  for (const tick of ticks(y0, y1, 5)) {
    ctx.beginPath();
    ctx.moveTo(LEFT, py(tick));
    ctx.lineTo(width - ROOM, py(tick));
    ctx.stroke();
    ctx.fillText(shown(tick), LEFT - 6, py(tick) + 4);
  }
  ctx.fillText(x.name, width - ROOM, HEIGHT - 4);
  ctx.textAlign = "left";
  ctx.fillText(y.name, LEFT + 6, ROOM + 10);
  ctx.strokeStyle = curveColour(0);
  ctx.lineWidth = 1.75;
  ctx.lineJoin = "round";
  ctx.beginPath();
  let isOn = false;
  x.values.forEach((value, at) => {
    const other = y.values[at];
    if (typeof value !== "number" || typeof other !== "number") {
      isOn = false;
      return;
    }
    if (isOn) ctx.lineTo(px(value), py(other));
    else ctx.moveTo(px(value), py(other));
    isOn = true;
  });
  ctx.stroke();
  if (now) {
    ctx.fillStyle = colour("--accent");
    ctx.beginPath();
    ctx.arc(px(now[0]), py(now[1]), 4.5, 0, 2 * Math.PI);
    ctx.fill();
  }
  return canvas;
}
