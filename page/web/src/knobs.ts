// Knobs: while one moves, the run is done anew and drawn.

import { h, put, shown } from "./dom";
import { type Knob, type Model, type Setting, spelt } from "./model";
import { w } from "./words";

const PARTS = 400;
/** Settings that are shown at once; the others stand below a fold. */
const FIRST = ["stepping", "method", "locate", "step", "stop", "rtol", "atol"];

export class KnobsView {
  readonly host = h("div", { class: "knobs" });
  private shownFor = "";
  private readonly fields = new Map<string, (value: number) => void>();
  /** Values that the run does not have yet, by the names that they are for. */
  private readonly waiting = new Map<string, string>();
  private isTurning = false;
  /** True if a slider that moves has been answered before. */
  private goesOn = false;

  constructor(private readonly model: Model) {}

  /** The last run took so long, from the moved slider to the drawn curves [ms]. */
  lasted = 0;

  show(): void {
    const knobs = this.model.knobs;
    if (!knobs) return;
    const key = JSON.stringify([knobs.numbers.map((one) => [one.name, one.unit]), knobs.switches, knobs.cases, knobs.case, knobs.settings, document.documentElement.lang]);
    if (key === this.shownFor) {
      for (const knob of knobs.numbers) this.fields.get(knob.name)?.(knob.value);
      return;
    }
    if (this.isTurning) return;
    this.shownFor = key;
    this.fields.clear();
    const of = (kind: Knob["kind"]): HTMLElement[] => knobs.numbers.filter((one) => one.kind === kind).map((one) => this.knob(one));
    const group = (label: string, parts: HTMLElement[]): HTMLElement | null => (parts.length ? h("fieldset", {}, h("legend", {}, label), ...parts) : null);
    const settings = [...knobs.settings].sort((a, b) => rank(a) - rank(b));
    const rest = settings.filter((one) => rank(one) === FIRST.length);
    put(
      this.host,
      this.cases(),
      group(w("constants"), of("constant")),
      group(w("starts"), of("start")),
      group(w("switches"), knobs.switches.map((one) => this.flag(one))),
      knobs.numbers.some((one) => one.guessed) ? h("p", { class: "hint" }, w("guessed")) : null,
      group(w("settings"), settings.filter((one) => rank(one) < FIRST.length).map((one) => this.setting(one))),
      rest.length ? h("details", {}, h("summary", {}, "…"), ...rest.map((one) => this.setting(one))) : null,
    );
  }

  private cases(): HTMLElement | null {
    const knobs = this.model.knobs;
    if (!knobs?.cases.length) return null;
    const choice = h(
      "select",
      { id: "case", onchange: () => void this.takeCase(choice.value) },
      h("option", { value: "none" }, w("noCase")),
      ...knobs.cases.map((one) => h("option", { value: one.name, selected: one.name === knobs.case }, one.about ? `${one.name}: ${one.about}` : one.name)),
    );
    return h("div", { class: "field wide" }, h("label", { for: "case" }, w("cases")), choice);
  }

  private async takeCase(name: string): Promise<void> {
    await this.model.act([`case ${name}`, "run"], true);
  }

  private knob(knob: Knob): HTMLElement {
    const [least, most] = knob.range;
    const id = `knob-${knob.name}`;
    const slider = h("input", { type: "range", min: "0", max: String(PARTS), step: "1", "aria-label": `${knob.name}${knob.about ? `: ${knob.about}` : ""}` });
    const field = h("input", { id, class: "number", inputmode: "decimal" });
    const place = (value: number): void => {
      // What is being turned is ahead of the answers.
      if (this.isTurning && [slider, field].includes(document.activeElement as HTMLInputElement)) return;
      slider.value = String(Math.round(((value - least) / (most - least || 1)) * PARTS));
      field.value = shown(value, 10);
      slider.setAttribute("aria-valuetext", `${shown(value)} ${knob.unit}`);
    };
    place(knob.value);
    this.fields.set(knob.name, place);
    slider.addEventListener("input", () => {
      const value = Number((least + ((most - least) * Number(slider.value)) / PARTS).toPrecision(6));
      field.value = shown(value, 10);
      this.turn(spelt(knob.name), String(value));
    });
    // Keys move it as long as it has the focus.
    for (const begin of ["pointerdown", "focus"]) slider.addEventListener(begin, () => (this.goesOn = false));
    field.addEventListener("change", () => this.set(spelt(knob.name), field.value.replace(",", ".")));
    return h("div", { class: "knob" }, h("label", { for: id, title: knob.about }, h("b", {}, knob.name), knob.about ? h("span", { class: "about" }, knob.about) : null), slider, field, h("span", { class: "unit" }, knob.unit));
  }

  private flag(one: { name: string; value: boolean; about: string }): HTMLElement {
    const box = h("input", { type: "checkbox", checked: one.value, onchange: () => this.set(spelt(one.name), String(box.checked)) });
    return h("label", { class: "check" }, box, h("b", {}, one.name), h("span", { class: "about" }, one.about));
  }

  private setting(one: Setting): HTMLElement {
    const id = `setting-${one.name}`;
    const label = h("label", { for: id, title: one.about }, one.name);
    if (one.words.length) {
      const choice = h(
        "select",
        { id, title: one.about, onchange: () => choice.value && this.set(one.name, choice.value) },
        one.value === null ? h("option", { value: "" }, `${w("byDefault")}: ${one.default}`) : null,
        ...one.words.map((word) => h("option", { value: word, selected: word === one.value }, word)),
      );
      return h("div", { class: "field" }, label, choice);
    }
    const field = h("input", { id, class: "number", inputmode: "decimal", title: one.about, placeholder: one.default, value: one.value === null ? "" : shown(one.value, 10) });
    field.addEventListener("change", () => field.value && this.set(one.name, field.value.replace(",", ".")));
    return h("div", { class: "field" }, label, field);
  }

  /** Runs anew with a value that was not slid to. */
  private set(name: string, value: string): void {
    this.goesOn = false;
    this.turn(name, value);
  }

  /** Runs anew; while one answer is awaited, only the last value of each name counts. */
  private turn(name: string, value: string): void {
    this.waiting.set(name, value);
    if (!this.isTurning) void this.work();
  }

  private async work(): Promise<void> {
    this.isTurning = true;
    try {
      for (const [name, value] of this.waiting) {
        this.waiting.delete(name);
        const { goesOn } = this;
        this.goesOn = true;
        const begun = performance.now();
        await this.model.rerun(name, value, goesOn);
        this.lasted = performance.now() - begun;
        this.host.dataset["lasted"] = String(Math.round(this.lasted));
      }
    } catch {
      // The link was lost: what is shown is what there was before.
      this.waiting.clear();
    } finally {
      this.isTurning = false;
      this.show();
    }
  }
}

const rank = (setting: Setting): number => {
  const at = FIRST.indexOf(setting.name);
  return at < 0 ? FIRST.length : at;
};
