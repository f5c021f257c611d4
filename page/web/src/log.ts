// The log: events, what the run comes to, how it converges, how often rules acted, branches compared.

import { h, later, put, shown } from "./dom";
import { type Model, plain, result, spelt } from "./model";
import { type Convergence, type Summary, convergenceTables, summaryTables } from "./study";
import { LOGS, type View } from "./view";
import { w } from "./words";

/** Events that are listed. */
const MOST = 300;
/** Up to so many are looked at for the border that was nearest: the session goes to each of them. */
const MOST_LOOKED_AT = 60;
/** That is done so long after the last question [ms]. */
const WAIT = 700;

interface Border {
  time: number;
  range: string;
  margin: number;
}

interface Change {
  time: number;
  begins: string[];
  ends: string[];
}

export class LogView {
  readonly host = h("div", { class: "log" });
  private readonly body = h("div", { class: "scroll", tabindex: "0", role: "region" });
  private shownAt = "";
  private pair: [string, string] | null = null;
  /** Cells of the events that stand, by their times. */
  private borders: Map<number, HTMLElement> | null = null;
  private readonly measures = h("input", { class: "wide", spellcheck: "false" });
  /** What was run for this table and these settings is not run again. */
  private converged: [string, (HTMLElement | null)[]] | null = null;

  constructor(
    private readonly model: Model,
    private readonly view: View,
    private readonly onWhy: (name: string, time: number) => void,
    private readonly onView: () => void,
  ) {
    this.rename();
  }

  rename(): void {
    this.measures.setAttribute("aria-label", w("measures"));
    this.measures.placeholder = w("measures");
    this.measures.onchange = () => {
      this.shownAt = "";
      void this.show();
    };
    const choose = (tab: View["log"]): void => {
      this.view.log = tab;
      this.onView();
      this.rename();
    };
    put(
      this.host,
      h("div", { class: "tabs", role: "tablist" }, ...LOGS.map((tab) => h("button", { role: "tab", "aria-selected": String(this.view.log === tab), onclick: () => choose(tab) }, w(tab)))),
      this.body,
    );
    this.body.setAttribute("aria-label", w("log"));
    this.shownAt = "";
    void this.show();
  }

  async show(): Promise<void> {
    const place = this.model.place;
    if (!place || !this.host.isConnected) return;
    const key = [place.time, place.steps, place.text, place.branch, place.branches.join(), place.done, this.view.log, this.pair?.join()].join("|");
    if (key === this.shownAt) return;
    this.shownAt = key;
    try {
      if (this.view.log === "events") await this.events();
      else if (this.view.log === "summary") await this.summary();
      else if (this.view.log === "converge") this.converge();
      else if (this.view.log === "coverage") await this.coverage();
      else await this.compare();
    } catch {
      this.shownAt = "";
    }
  }

  private async events(): Promise<void> {
    const replies = await this.model.ask(`events ${MOST}`);
    const found = result<Change[]>(replies[0]);
    const changes = Array.isArray(found) ? found : [];
    if (!changes.length) return put(this.body, h("p", { class: "hint" }, w("nothing")));
    const borders = new Map<number, HTMLElement>(changes.map((change) => [change.time, h("td", {})]));
    this.borders = changes.length <= MOST_LOOKED_AT ? borders : null;
    this.lookForBorders();
    const rule = (one: string): string => this.model.table?.rows.find((row) => row.line.replace(/^event /, "").startsWith(`${spelt(one)}:`))?.line ?? "";
    const name = (one: string, time: number): HTMLElement => h("button", { class: "link name", title: rule(one), onclick: () => this.onWhy(one, time) }, one);
    const names = (all: string[], time: number): HTMLElement => h("td", {}, ...all.flatMap((one, at) => (at ? [", ", name(one, time)] : [name(one, time)])));
    put(
      this.body,
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, h("th", { class: "right" }, "t"), h("th", {}, w("begins")), h("th", {}, w("rule")), h("th", {}, w("ends")), h("th", {}, w("nearest")))),
        h("tbody", {}, ...[...changes].reverse().map((change) => h("tr", {}, h("td", { class: "right" }, h("button", { class: "link", onclick: () => void this.model.goto(change.time) }, shown(change.time, 7))), names(change.begins, change.time), h("td", {}, ...change.begins.map((one) => h("code", { class: "rule" }, rule(one)))), names(change.ends, change.time), borders.get(change.time)))),
      ),
    );
  }

  /** Writes beside each event which border was nearest: when nothing else has been asked for a while. */
  private readonly lookForBorders = later(WAIT, () => void this.fillBorders());

  private async fillBorders(): Promise<void> {
    const borders = this.borders;
    if (!borders?.size || this.view.log !== "events") return;
    // Without an answer the cells stay empty; that the link is lost is said elsewhere.
    const replies = await this.model.ask(`tight ${borders.size}`).catch(() => []);
    const found = result<Border[]>(replies[0]);
    for (const one of Array.isArray(found) ? found : []) borders.get(one.time)?.replaceChildren(`${one.range} (${shown(one.margin)})`);
  }

  private async summary(): Promise<void> {
    const [reply] = await this.model.ask(`summary ${this.measures.value}`.trim());
    const found = result<Summary>(reply);
    const headline = (reply?.text ?? "").split("\n")[1] ?? "";
    const tables = found ? summaryTables(found, headline) : [h("p", { class: "fault", role: "alert" }, plain(reply?.text ?? ""))];
    // What is being typed keeps its field.
    if (!this.body.contains(this.measures)) put(this.body, this.measures, h("div", { class: "tables" }));
    put(this.body.lastElementChild ?? this.body, ...tables);
  }

  private converge(): void {
    const place = this.model.place;
    const of = [place?.text, place?.branch, JSON.stringify(this.model.knobs?.settings), JSON.stringify(this.model.knobs?.numbers)].join("|");
    const isKnown = this.converged?.[0] === of;
    const run = h("button", { class: "primary" }, w("convergeNow"));
    run.onclick = async () => {
      run.disabled = true;
      const [reply] = await this.model.ask("converge").catch(() => []);
      const found = result<Convergence>(reply);
      this.converged = [of, found ? convergenceTables(found) : [h("p", { class: "fault", role: "alert" }, plain(reply?.text ?? ""))]];
      this.shownAt = "";
      void this.show();
    };
    put(this.body, isKnown ? null : h("div", { class: "tools" }, run), ...(isKnown ? (this.converged?.[1] ?? []) : []));
  }

  private async coverage(): Promise<void> {
    const replies = await this.model.ask("coverage");
    const rows = result<{ rule: string; steps: number }[]>(replies[0]) ?? [];
    const most = Math.max(1, this.model.place?.steps ?? 1);
    put(
      this.body,
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, h("th", {}, w("rule")), h("th", { class: "right" }, w("steps")), h("th", { class: "right" }, "%"))),
        h("tbody", {}, ...rows.map((row) => h("tr", { class: row.steps ? "" : "never" }, h("td", {}, h("code", {}, row.rule)), h("td", { class: "right" }, String(row.steps)), h("td", { class: "right" }, ((100 * row.steps) / most).toFixed(1))))),
      ),
    );
  }

  private async compare(): Promise<void> {
    const place = this.model.place;
    if (!place?.branches.length) return put(this.body, h("p", { class: "hint" }, w("noBranches")));
    const all = [...place.branches, place.branch].sort();
    const pair: [string, string] = this.pair && this.pair.every((one) => all.includes(one)) ? this.pair : [place.branches[0] ?? "", place.branch];
    const choice = (at: 0 | 1): HTMLElement => {
      const made = h("select", { "aria-label": `${w("branch")} ${at ? "B" : "A"}` }, ...all.map((one) => h("option", { value: one, selected: one === pair[at] }, one)));
      made.addEventListener("change", () => {
        this.pair = at ? [pair[0], made.value] : [made.value, pair[1]];
        void this.show();
      });
      return made;
    };
    const replies = await this.model.ask(`compare ${pair[0]} ${pair[1]}`);
    const found = result<{ part: number | null; reals: Record<string, { a: number; b: number; greatest: number; at: number }> }>(replies[0]);
    put(
      this.body,
      h("div", { class: "tools" }, h("label", { class: "inline" }, "A", choice(0)), h("label", { class: "inline" }, "B", choice(1))),
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, h("th", {}, w("name")), h("th", { class: "right" }, w("atEndA")), h("th", { class: "right" }, w("atEndB")), h("th", { class: "right" }, w("greatest")), h("th", { class: "right" }, "t"))),
        h(
          "tbody",
          {},
          ...Object.entries(found?.reals ?? {}).map(([name, row]) =>
            h("tr", {}, h("td", {}, spelt(name)), h("td", { class: "right" }, shown(row.a)), h("td", { class: "right" }, shown(row.b)), h("td", { class: "right" }, shown(row.greatest)), h("td", { class: "right" }, row.greatest ? h("button", { class: "link", onclick: () => void this.model.goto(row.at) }, shown(row.at)) : "")),
          ),
        ),
      ),
    );
  }
}
