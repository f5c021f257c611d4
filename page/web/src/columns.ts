// The columns of the table, cell by cell: ranges, situations, relations, with what acts lit.

import { h, icon, put } from "./dom";
import type { Model, Row } from "./model";
import { type Word, w } from "./words";

const LISTS: [string, Word][] = [
  ["ranges", "ranges"],
  ["situations", "situations"],
  ["assignments", "assignments"],
  ["relations", "relations"],
  ["reactions", "reactions"],
];

/** The name that a question about a row is about: what it defines, or what it writes. */
export function subject(row: Row): string | null {
  const line = row.line.replace(/^event /, "");
  const end = row.list === "ranges" || row.list === "situations" ? line.indexOf(":") : line.search(/:?=/);
  const head = (end < 0 ? line : line.slice(0, end)).split(",")[0]?.trim().replace(/^`|`$/g, "") ?? "";
  return head || null;
}

export class ColumnsView {
  readonly host = h("div", { class: "columns" });
  private editing: string | null = null;

  constructor(
    private readonly model: Model,
    private readonly onWhy: (name: string) => void,
  ) {}

  show(): void {
    if (this.editing !== null) return;
    const rows = this.model.table?.rows ?? [];
    const lists = LISTS.filter(([list]) => rows.some((row) => row.list === list));
    put(
      this.host,
      ...lists.map(([list, word]) =>
        h(
          "section",
          { class: "column" },
          h("h3", {}, w(word)),
          h("ol", {}, ...rows.filter((row) => row.list === list).map((row) => this.cell(row))),
        ),
      ),
    );
  }

  /** Lights what acts, without making the cells anew. */
  light(): void {
    for (const cell of this.host.querySelectorAll<HTMLElement>("li[data-row]")) cell.classList.toggle("lit", this.model.lit.has(cell.dataset["row"] ?? ""));
  }

  private cell(row: Row): HTMLElement {
    const key = `${row.list}.${row.id}`;
    const name = subject(row);
    const hasId = row.list === "relations" || row.list === "assignments" || row.list === "reactions";
    const cell = h("li", { "data-row": key, class: this.model.lit.has(key) ? "lit" : "" });
    const ask = h(
      "button",
      { class: "cell", title: row.note || row.line, onclick: () => name && this.onWhy(name), ondblclick: () => this.edit(cell, row) },
      hasId ? h("span", { class: "id" }, row.id) : null,
      h("code", {}, row.line),
      row.note ? h("span", { class: "note" }, row.note) : null,
    );
    const edit = h("button", { class: "quiet icon", title: w("edit"), "aria-label": `${w("edit")}: ${row.id || row.line}`, onclick: () => this.edit(cell, row) }, icon("edit"));
    put(cell, ask, edit);
    return cell;
  }

  private edit(cell: HTMLElement, row: Row): void {
    this.editing = `${row.list}.${row.id}`;
    const field = h("input", { class: "code", value: row.line, "aria-label": `${w("edit")}: ${row.id}`, spellcheck: "false" });
    const fault = h("p", { class: "fault", role: "alert" });
    const done = (): void => {
      this.editing = null;
      this.show();
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") done();
      if (event.key !== "Enter") return;
      if (field.value.trim() === row.line) return done();
      const id = row.list === "relations" ? row.id : `${row.list}.${row.id}`;
      void this.model.change(`replace ${id}: ${field.value}`).then((replies) => {
        const failed = replies.find((reply) => reply.failed);
        if (!failed) return done();
        fault.textContent = failed.data?.diagnostics?.[0]?.message ?? failed.data?.error ?? failed.text;
        return undefined;
      });
    });
    put(cell, field, fault);
    field.focus();
  }
}
