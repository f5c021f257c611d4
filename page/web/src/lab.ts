// The exercise of a table: what is set, what is predicted, and the log, in the language of the page.

import { h, put, shown } from "./dom";
import { type Model, plain, result, spelt } from "./model";
import { languageNow, w } from "./words";

interface Said {
  en: string;
  ru: string;
}

interface Exercise {
  task: Said | null;
  set: { name: string; label: Said; unit: string; value: number; range: [number, number] | null; step: number | null }[];
  predict: { name: string; label: Said; unit: string }[];
  questions: Said[];
}

interface LogRow {
  name: string;
  label: Said;
  unit: string;
  obtained: number | null;
  predicted: number | null;
  error: number | null;
  relative_error: number | null;
}

/** Settings that an exercise compares: how a run steps, and how it finds events. */
const WAYS = ["stepping", "method", "locate", "step"];

const said = (text: Said | null): string => (text ? text[languageNow()] : "");

export class LabView {
  readonly host = h("div", { class: "lab" });
  private exercise: Exercise | null = null;
  private readonly predicted = new Map<string, string>();
  private log: LogRow[] | null = null;
  private csv = "";
  private shownFor = "";
  private note = "";

  constructor(
    private readonly model: Model,
    private readonly onThere: () => void,
  ) {}

  get isThere(): boolean {
    return this.exercise !== null;
  }

  /** Asks for the exercise, if the table is another one. */
  async show(): Promise<void> {
    const place = this.model.place;
    const knobs = this.model.knobs;
    const key = JSON.stringify([place?.file, place?.text, place?.case, knobs?.numbers.map((one) => one.value), knobs?.settings.map((one) => one.value), languageNow()]);
    if (!place || key === this.shownFor || this.host.contains(document.activeElement)) return;
    this.shownFor = key;
    const replies = await this.model.ask("lab").catch(() => []);
    const was = this.isThere;
    this.exercise = result<{ exercise: Exercise } | null>(replies[0])?.exercise ?? null;
    if (was !== this.isThere) this.onThere();
    this.draw();
  }

  private draw(): void {
    const exercise = this.exercise;
    if (!exercise) return put(this.host);
    put(
      this.host,
      h("p", { class: "task" }, said(exercise.task)),
      h("div", { class: "given" }, ...this.cases(), ...exercise.set.map((one) => this.input(one)), ...this.ways()),
      h("h3", {}, w("predict")),
      h("form", { class: "predict", onsubmit: (event: Event) => (event.preventDefault(), void this.check()) }, ...exercise.predict.map((one) => this.field(one)), h("div", { class: "tools" }, h("button", { class: "primary", type: "submit" }, w("compareNow")), h("button", { type: "button", disabled: !this.log, onclick: () => void this.save() }, w("saveCsv")), h("span", { class: "note", role: "status" }, this.note))),
      this.log ? this.table(this.log) : null,
      exercise.questions.length ? h("h3", {}, w("questions")) : null,
      exercise.questions.length ? h("ol", { class: "questions" }, ...exercise.questions.map((one) => h("li", {}, said(one)))) : null,
    );
  }

  private cases(): HTMLElement[] {
    const knobs = this.model.knobs;
    if (!knobs?.cases.length) return [];
    const choice = h("select", { id: "lab-case" }, h("option", { value: "none" }, w("noCase")), ...knobs.cases.map((one) => h("option", { value: one.name, selected: one.name === knobs.case }, one.name)));
    choice.addEventListener("change", () => void this.act([`case ${choice.value}`, "run"]));
    return [h("label", { for: "lab-case" }, w("cases")), choice];
  }

  private input(one: Exercise["set"][number]): HTMLElement {
    const id = `lab-${one.name}`;
    const field = h("input", { id, type: "number", class: "number", value: shown(one.value, 10), step: one.step ?? "any", min: one.range?.[0], max: one.range?.[1] });
    field.addEventListener("change", () => field.value && void this.act([`rerun ${spelt(one.name)} = ${field.value}`]));
    const row = h("div", { class: "row" }, h("label", { for: id }, said(one.label), h("b", {}, one.name)), field, h("span", { class: "unit" }, one.unit));
    return row;
  }

  private ways(): HTMLElement[] {
    const settings = this.model.knobs?.settings ?? [];
    return WAYS.flatMap((name) => {
      const one = settings.find((setting) => setting.name === name);
      if (!one) return [];
      const id = `lab-way-${name}`;
      const made = one.words.length
        ? h("select", { id }, ...(one.value === null ? [h("option", { value: "" }, `${w("byDefault")}: ${one.default}`)] : []), ...one.words.map((word) => h("option", { value: word, selected: word === one.value }, word)))
        : h("input", { id, class: "number", inputmode: "decimal", value: one.value === null ? "" : shown(one.value, 10), placeholder: one.default });
      made.addEventListener("change", () => made.value && void this.act([`rerun ${name} = ${made.value.replace(",", ".")}`]));
      return [h("div", { class: "row" }, h("label", { for: id }, w(name === "step" ? "stepLength" : (name as "method"))), made)];
    });
  }

  private field(one: Exercise["predict"][number]): HTMLElement {
    const id = `lab-predict-${one.name}`;
    const field = h("input", { id, class: "number", inputmode: "decimal", value: this.predicted.get(one.name) ?? "" });
    field.addEventListener("input", () => this.predicted.set(one.name, field.value));
    return h("div", { class: "row" }, h("label", { for: id }, said(one.label), h("b", {}, one.name)), field, h("span", { class: "unit" }, one.unit));
  }

  private async act(lines: string[]): Promise<void> {
    await this.model.act(lines, true);
    if (this.log) await this.check();
    this.shownFor = "";
    (document.activeElement as HTMLElement | null)?.blur();
    await this.show();
  }

  private line(): string {
    const exercise = this.exercise;
    const all = [...this.predicted].filter(([name, value]) => value.trim() && exercise?.predict.some((one) => one.name === name));
    return all.map(([name, value]) => `${name} = ${value.replace(",", ".")}`).join(", ");
  }

  private async check(): Promise<void> {
    const first = this.exercise?.predict[0]?.name;
    // Without a prediction the obtained numbers are shown alone.
    const replies = await this.model.ask(`lab ${this.line() || ","}`).catch(() => []);
    const found = result<{ log: LogRow[]; csv: string }>(replies[0]);
    this.note = found || !replies[0] || !first ? "" : (replies[0].data?.error ?? plain(replies[0].text).trim());
    if (found) [this.log, this.csv] = [found.log, found.csv];
    this.draw();
  }

  /** Saves the log where the browser saves files. */
  private async save(): Promise<void> {
    await this.check();
    const address = URL.createObjectURL(new Blob([this.csv], { type: "text/csv" }));
    const link = h("a", { href: address, download: `${this.model.place?.model ?? "lab"}-log.csv` });
    link.click();
    URL.revokeObjectURL(address);
  }

  private table(log: LogRow[]): HTMLElement {
    const head = ["", w("obtained"), w("predicted"), w("error"), "%"];
    return h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": w("lab") },
      h(
        "table",
        { class: "lablog" },
        h("thead", {}, h("tr", {}, ...head.map((text, at) => h("th", { class: at ? "right" : "" }, text)))),
        h("tbody", {}, ...log.map((row) => h("tr", {}, h("td", {}, row.name), h("td", { class: "right" }, shown(row.obtained, 8)), h("td", { class: "right" }, shown(row.predicted, 8)), h("td", { class: "right" }, shown(row.error, 4)), h("td", { class: "right" }, row.relative_error === null ? "–" : shown(100 * row.relative_error, 3))))),
      ),
    );
  }
}
