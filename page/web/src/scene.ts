// The scene: pictures of the whole known time, of which the one of the present instant is drawn.

import { h, later, put } from "./dom";
import { type Curves, type Model, result } from "./model";
import { w } from "./words";

/** Pictures of the known time. */
const FRAMES = 480;
/** After a change of the run they are asked for so much later [ms]. */
const CALM = 150;

interface Shade {
  light: [number, number, number];
  dark: [number, number, number];
}

interface Mark {
  shape: number;
  outline: { circle?: { centre: [number, number]; radius: number }; line?: { points: [number, number][]; closed: boolean }; text?: { at: [number, number]; letters: string; height: number; anchor: "start" | "middle" | "end" } };
  fill: Shade | null;
  stroke: Shade | null;
  width: number;
  dash: number;
  opacity: number;
}

interface Film {
  size: [number, number] | null;
  frames: { time: number; marks: Mark[] }[];
}

const ANCHORS = { start: "left", middle: "center", end: "right" } as const;

export class SceneView {
  readonly host = h("div", { class: "scene" });
  private readonly canvas = h("canvas", { role: "img" });
  private film: Film | null = null;
  private shownFor = "";
  private shownTime = 0;
  private drawn = 0;
  private isLoading = false;
  /** Tells one run from another. */
  private sum = 0;

  constructor(
    private readonly model: Model,
    private readonly onThere: (isThere: boolean) => void,
  ) {
    put(this.host, this.canvas);
    new ResizeObserver(() => this.draw(this.shownTime)).observe(this.host);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw(this.shownTime));
    this.rename();
  }

  /** True if the table has a scene. */
  get isThere(): boolean {
    return this.film !== null;
  }

  rename(): void {
    this.canvas.setAttribute("aria-label", w("scene"));
  }

  /** Asks for the pictures, if the run is another one; and draws that of the present. */
  show(): void {
    const place = this.model.place;
    if (!place) return;
    if (!this.film) void this.load();
    else {
      if (this.key() !== this.shownFor) this.reload();
      this.draw(place.time);
    }
  }

  /** While a knob moves curves come first: a film is made again when nothing has changed for a while. */
  private readonly reload = later(CALM, () => void this.load());

  /** Tells what is to be shown from what is. */
  private key(): string {
    const place = this.model.place;
    if (!this.model.window) this.sum = checksum(this.model.curves);
    return [place?.file, place?.text, place?.branch, place?.known.join(), this.sum].join("|");
  }

  private async load(): Promise<void> {
    const key = this.key();
    if (key === this.shownFor || this.isLoading) return;
    this.isLoading = true;
    this.shownFor = key;
    try {
      const was = this.isThere;
      const replies = await this.model.data(`frames into ${FRAMES}`);
      const film = result<Film | null>(replies[0]);
      this.film = film?.frames.length ? film : null;
      if (was !== this.isThere) this.onThere(this.isThere);
      if (this.key() !== key) this.reload();
    } catch {
      this.shownFor = "";
    } finally {
      this.isLoading = false;
    }
    this.draw(this.model.place?.time ?? 0);
  }

  /** Draws the picture of a time. */
  draw(time: number): void {
    this.shownTime = time;
    const { film, canvas } = this;
    const width = this.host.clientWidth - 28;
    if (!film?.size || width <= 0) return;
    const scale = Math.min(1.25, width / film.size[0]);
    const pixels = devicePixelRatio * scale;
    const [wide, high] = [Math.round(film.size[0] * pixels), Math.round(film.size[1] * pixels)];
    if (canvas.width !== wide || canvas.height !== high) {
      [canvas.width, canvas.height] = [wide, high];
      canvas.style.width = `${film.size[0] * scale}px`;
      canvas.style.height = `${film.size[1] * scale}px`;
    }
    const ctx = canvas.getContext("2d");
    if (!ctx) return;
    ctx.setTransform(pixels, 0, 0, pixels, 0, 0);
    ctx.clearRect(0, 0, film.size[0], film.size[1]);
    for (const mark of this.at(film, time)) paint(ctx, mark);
    this.drawn += 1;
    canvas.dataset["frames"] = String(this.drawn);
  }

  /** The marks of the last picture that is not after a time. */
  private at(film: Film, time: number): Mark[] {
    const { frames } = film;
    let [low, high] = [0, frames.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((frames[middle]?.time ?? 0) <= time) low = middle;
      else high = middle - 1;
    }
    return frames[low]?.marks ?? [];
  }
}

/** A number that differs for curves that differ. */
function checksum(curves: Curves | null): number {
  let sum = 0;
  for (const curve of curves?.reals ?? []) {
    curve.values.forEach((value, at) => {
      if (typeof value === "number") sum = (sum * 31 + value * (at + 1)) % 1e9;
    });
  }
  return sum;
}

const isDark = (): boolean => {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

const ink = (shade: Shade): string => `rgb(${(isDark() ? shade.dark : shade.light).join(" ")})`;

function paint(ctx: CanvasRenderingContext2D, mark: Mark): void {
  const { circle, line, text } = mark.outline;
  ctx.globalAlpha = mark.opacity;
  ctx.lineWidth = mark.width;
  ctx.lineJoin = "round";
  ctx.lineCap = "round";
  ctx.setLineDash(mark.dash > 0 ? [mark.dash, mark.dash] : []);
  if (text) {
    ctx.fillStyle = mark.fill ? ink(mark.fill) : "transparent";
    ctx.font = `${text.height}px system-ui, sans-serif`;
    ctx.textAlign = ANCHORS[text.anchor];
    ctx.textBaseline = "middle";
    ctx.fillText(text.letters, text.at[0], text.at[1]);
    ctx.globalAlpha = 1;
    return;
  }
  ctx.beginPath();
  if (circle) ctx.arc(circle.centre[0], circle.centre[1], Math.max(0, circle.radius), 0, 2 * Math.PI);
  else if (line) {
    line.points.forEach(([x, y], at) => (at ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    if (line.closed) ctx.closePath();
  }
  if (mark.fill) {
    ctx.fillStyle = ink(mark.fill);
    ctx.fill();
  }
  if (mark.stroke && mark.width > 0) {
    ctx.strokeStyle = ink(mark.stroke);
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}
