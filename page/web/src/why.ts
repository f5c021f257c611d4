// Answers to why: each line leads to its row, its names and its instants.

import { h, put } from "./dom";
import { type Model, plain, spelt } from "./model";
import { w } from "./words";

/** Answers that are kept. */
const MOST = 12;

interface Answered {
  line: string;
  text: string;
  failed: boolean;
}

export class WhyView {
  readonly host = h("div", { class: "why" });
  private readonly answers: Answered[] = [];
  private readonly list = h("div", { class: "answers", "aria-live": "polite" });
  private readonly choice = h("select", {});

  constructor(
    private readonly model: Model,
    private readonly onRow: (id: string) => void,
  ) {
    this.rename();
  }

  rename(): void {
    this.choice.setAttribute("aria-label", w("name"));
    const act = (label: string, line: (name: string) => string): HTMLElement => h("button", { onclick: () => this.choice.value && void this.ask(line(spelt(this.choice.value))) }, label);
    put(
      this.host,
      h("div", { class: "tools" }, this.choice, act(w("why"), (name) => `why ${name}`), act(w("whyNot"), (name) => `why not ${name}`), act(w("blame"), (name) => `blame ${name}`)),
      this.list,
    );
    this.show();
    this.draw();
  }

  show(): void {
    const names = Object.keys(this.model.values);
    if (names.join() === [...this.choice.options].map((option) => option.value).join()) return;
    const before = this.choice.value;
    put(this.choice, ...names.map((name) => h("option", { value: name, selected: name === before }, name)));
  }

  /** Asks, and shows the answer on top. */
  async ask(line: string): Promise<void> {
    const replies = await this.model.ask(line).catch(() => []);
    const reply = replies[0];
    if (!reply) return;
    this.answers.unshift({ line, text: plain(reply.text).trimEnd(), failed: reply.failed });
    this.answers.length = Math.min(this.answers.length, MOST);
    this.draw();
  }

  private draw(): void {
    if (!this.answers.length) return put(this.list, h("p", { class: "hint" }, w("askHint")));
    put(
      this.list,
      ...this.answers.map((answer, at) =>
        h("article", { class: `answer${at ? " old" : ""}${answer.failed ? " failed" : ""}` }, h("h3", {}, answer.line), h("ul", {}, ...answer.text.split("\n").map((line) => this.line(line)))),
      ),
    );
  }

  /** A line with its names, rows and times as what can be clicked. */
  private line(text: string): HTMLElement {
    const indent = text.length - text.trimStart().length;
    const body = text.trimStart();
    const mark = /^[+-] /.exec(body)?.[0][0];
    const item = h("li", { class: mark === "+" ? "holds" : mark === "-" ? "fails" : "" });
    item.style.setProperty("--depth", String(indent / 2));
    const rest = mark ? body.slice(2) : body;
    const known = new Set(Object.keys(this.model.values));
    const parts: (Node | string)[] = [];
    let at = 0;
    for (const found of rest.matchAll(/\[([^\]\s]+)\]|\bt = (-?[\d.]+(?:e[-+]?\d+)?)|`([^`]+)`|([\p{L}_][\p{L}\p{N}_]*)/gu)) {
      const [whole, row, time, quoted, word] = found;
      const name = quoted ?? word;
      let link: HTMLElement | null = null;
      if (row !== undefined) link = h("button", { class: "link row", onclick: () => this.onRow(row) }, whole);
      else if (time !== undefined) link = h("button", { class: "link", onclick: () => void this.model.goto(Number(time)) }, whole);
      else if (name !== undefined && known.has(name)) link = h("button", { class: "link name", onclick: () => void this.ask(`why ${spelt(name)}`) }, whole);
      if (!link) continue;
      parts.push(rest.slice(at, found.index), link);
      at = found.index + whole.length;
    }
    parts.push(rest.slice(at));
    put(item, ...parts);
    return item;
  }
}
