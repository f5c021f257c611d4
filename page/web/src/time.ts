// The time bar: one slider over the whole past, steps, events, situations, play.

import { h, type Icon, icon, later, put, shown } from "./dom";
import { type Model, spelt } from "./model";
import { w } from "./words";

/** Parts of the slider. */
const PARTS = 2000;
/** Times a second at which a session is asked while it plays. */
const BEATS = 30;

export class TimeBar {
  readonly host = h("footer", { class: "time", "aria-label": w("time") });
  private readonly slider = h("input", { type: "range", min: "0", max: String(PARTS), step: "1", class: "slide" });
  private readonly reading = h("output", { class: "reading" });
  private readonly note = h("span", { class: "note" });
  private readonly field = h("input", { class: "number", inputmode: "decimal" });
  private readonly choice = h("select", {});
  private readonly playing = h("button", { class: "primary icon" });
  private speed = 1;
  private loops = false;
  private isPlaying = false;
  private isMoving = false;
  private wanted: number | null = null;
  private readonly move = later(10, () => void this.follow());
  /** What draws a time without asking the session for it; false if nothing does. */
  onFrame: (time: number) => void = () => undefined;

  constructor(private readonly model: Model) {
    this.slider.addEventListener("input", () => {
      const [from, to] = this.known;
      this.wanted = from + ((to - from) * Number(this.slider.value)) / PARTS;
      this.reading.textContent = `t = ${shown(this.wanted)}${this.unit()}`;
      this.onFrame(this.wanted);
      this.move();
    });
    this.field.addEventListener("change", () => {
      const time = Number(this.field.value.replace(",", "."));
      if (!Number.isFinite(time)) return;
      void (time > this.known[1] ? this.model.act([...(this.model.place?.past ? ["goto end"] : []), `run to ${time}`]) : this.model.goto(time));
    });
    this.rename();
  }

  private get known(): [number, number] {
    return this.model.place?.known ?? [0, 1];
  }

  /** Words in the language of the page. */
  rename(): void {
    this.host.setAttribute("aria-label", w("time"));
    this.slider.setAttribute("aria-label", w("time"));
    this.field.setAttribute("aria-label", w("time"));
    this.choice.setAttribute("aria-label", w("situation"));
    const act = (label: string, sign: Icon, run: () => unknown): HTMLElement => h("button", { class: "icon", title: label, "aria-label": label, onclick: () => void run() }, icon(sign));
    const name = (): string => spelt(this.choice.value);
    const toSituation = (line: string): unknown => this.choice.value && this.model.move(`${line} until ${name()}`);
    this.playing.onclick = () => (this.isPlaying ? this.pause() : this.play());
    const speeds = h("select", { "aria-label": w("speed"), title: w("speed") }, ...[0.1, 0.25, 0.5, 1, 2, 5, 10].map((speed) => h("option", { value: String(speed), selected: speed === this.speed }, `×${speed}`)));
    speeds.addEventListener("change", () => (this.speed = Number(speeds.value)));
    const loop = h("input", { type: "checkbox", checked: this.loops });
    loop.addEventListener("change", () => (this.loops = loop.checked));
    put(
      this.host,
      h(
        "div",
        { class: "group" },
        act(w("start"), "start", () => this.model.goto("start")),
        act(w("back"), "back", () => this.model.move("back")),
        this.playing,
        act(w("step"), "step", () => this.model.move("step")),
        act(w("next"), "next", () => this.model.move("next")),
        act(w("end"), "end", () => this.model.goto("end")),
      ),
      this.slider,
      this.reading,
      this.field,
      h("div", { class: "group" }, speeds, h("label", { class: "check" }, loop, w("loop"))),
      h("div", { class: "group" }, act(w("backUntil"), "backUntil", () => toSituation("back")), this.choice, act(w("until"), "until", () => toSituation("run"))),
      h("button", { title: w("runOnHint"), onclick: () => void this.runOn() }, w("runOn")),
      this.note,
    );
    this.show();
  }

  show(): void {
    const place = this.model.place;
    if (!place) return;
    const [from, to] = place.known;
    if (!this.isPlaying && this.wanted === null) {
      this.slider.value = String(to > from ? Math.round((PARTS * (place.time - from)) / (to - from)) : PARTS);
      this.reading.textContent = `t = ${shown(place.time)}${this.unit()}`;
    }
    this.slider.setAttribute("aria-valuetext", `t = ${shown(place.time)}${this.unit()}`);
    if (document.activeElement !== this.field) this.field.value = shown(place.time, 10);
    this.note.textContent = place.past ? w("past") : "";
    const names = this.model.booleanNames();
    if (names.join() !== [...this.choice.options].slice(1).map((option) => option.value).join()) {
      const before = this.choice.value;
      put(this.choice, h("option", { value: "" }, w("choose")), ...names.map((name) => h("option", { value: name, selected: name === before }, name)));
    }
    put(this.playing, icon(this.isPlaying ? "pause" : "play"));
    this.playing.title = w(this.isPlaying ? "pause" : "play");
    this.playing.setAttribute("aria-label", this.playing.title);
  }

  /** The unit of the time behind a number. */
  private unit(): string {
    const unit = this.model.curves?.time_unit;
    return unit ? ` ${unit}` : "";
  }

  /** Goes where the slider is; while one answer is awaited, only the last place counts. */
  private async follow(): Promise<void> {
    if (this.isMoving) return;
    this.isMoving = true;
    try {
      while (this.wanted !== null) {
        const time = this.wanted;
        await this.model.goto(time);
        if (this.wanted === time) this.wanted = null;
      }
    } catch {
      this.wanted = null;
    } finally {
      this.isMoving = false;
      this.show();
    }
  }

  /** Plays the known time, from where the session stands. */
  private play(): void {
    const [from, to] = this.known;
    const place = this.model.place;
    if (!place || to <= from) return;
    this.isPlaying = true;
    let at = place.time >= to ? from : place.time;
    let last = performance.now();
    let asked = 0;
    const frame = (now: number): void => {
      if (!this.isPlaying) return;
      at += ((now - last) / 1000) * this.speed;
      last = now;
      const [begin, end] = this.known;
      let isOver = false;
      if (at >= end) {
        isOver = !this.loops;
        at = isOver ? end : begin;
      }
      this.slider.value = String(Math.round((PARTS * (at - begin)) / (end - begin)));
      this.reading.textContent = `t = ${shown(at, 4)}${this.unit()}`;
      this.onFrame(at);
      if (now - asked > 1000 / BEATS && !this.isMoving) {
        asked = now;
        this.wanted = at;
        void this.follow();
      }
      if (isOver) {
        this.wanted = end;
        void this.follow();
        this.pause();
      } else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    this.show();
  }

  pause(): void {
    this.isPlaying = false;
    this.show();
  }

  private async runOn(): Promise<void> {
    const [from, to] = this.known;
    const lines = this.model.place?.past ? ["goto end"] : [];
    const span = this.model.place?.stop !== null && to < (this.model.place?.stop ?? 0) ? "run" : `run for ${to > from ? (to - from) / 2 : 1}`;
    await this.model.act([...lines, span]);
  }
}
