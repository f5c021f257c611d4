// Tables of runs that are done for the log: the summary of a run with measures, and how runs converge.

import { h, shown } from "./dom";
import { w } from "./words";

export interface Summary {
  reals: { name: string; start: number; end: number; unit: string }[];
  situations: { name: string; kind: string; time: number; fired?: number }[];
  never_fired: { kind: string; id: string; line: string }[];
  measures: { measure: string; value: number | null }[];
}

export interface Convergence {
  setting: string;
  values: number[];
  reals: { name: string; unit: string; changes: number[]; order: number | null; error: number | null }[];
  verdict: string;
}

const right = (text: string): HTMLElement => h("td", { class: "right" }, text);

/** A table with a head, whose columns but the first stand to the right. */
const table = (heads: string[], rows: HTMLElement[]): HTMLElement | null =>
  rows.length ? h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((head, at) => h("th", at ? { class: "right" } : {}, head)))), h("tbody", {}, ...rows)) : null;

/** What a run was: `headline` is the first line of its text. */
export function summaryTables(found: Summary, headline: string): (HTMLElement | null)[] {
  const unit = (one: { name: string; unit: string }): string => (one.unit ? `${one.name}, ${one.unit}` : one.name);
  return [
    h("p", { class: "hint" }, headline),
    table([w("measure"), w("value")], found.measures.map((one) => h("tr", {}, h("td", {}, h("code", {}, one.measure)), right(shown(one.value))))),
    table([w("name"), w("atStart"), w("atEnd")], found.reals.map((one) => h("tr", {}, h("td", {}, unit(one)), right(shown(one.start)), right(shown(one.end))))),
    table(
      [w("name"), w("held"), w("fired")],
      found.situations.map((one) => h("tr", {}, h("td", {}, one.name), right(one.fired === undefined ? shown(one.time) : ""), right(one.fired === undefined ? "" : String(one.fired)))),
    ),
    table([w("neverActed")], found.never_fired.map((one) => h("tr", { class: "never" }, h("td", {}, h("code", {}, `[${one.id}] ${one.line}`))))),
  ];
}

/** How runs with ever smaller steps or tolerances approach each other. */
export function convergenceTables(found: Convergence): (HTMLElement | null)[] {
  const steps = found.values.slice(1).map((value) => `${found.setting} ${shown(value)}`);
  return [
    h("p", { class: "hint" }, found.verdict),
    table(
      [w("name"), ...steps, w("order"), w("errorLeft")],
      found.reals.map((one) =>
        h("tr", {}, h("td", {}, one.unit ? `${one.name}, ${one.unit}` : one.name), ...one.changes.map((change) => right(shown(change, 3))), right(one.order === null ? "–" : one.order.toFixed(1)), right(shown(one.error, 3))),
      ),
    ),
  ];
}
