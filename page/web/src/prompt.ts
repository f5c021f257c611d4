// The prompt: any line that a session understands, with completion.

import { h, put } from "./dom";
import { type Model, plain } from "./model";
import { w } from "./words";

const MOST = 60;

export class PromptView {
  readonly host = h("div", { class: "prompt" });
  private readonly shown = h("div", { class: "scroll output", tabindex: "0", role: "log" });
  private readonly field = h("input", { class: "code", spellcheck: "false", autocapitalize: "off", list: "words" });
  private readonly words = h("datalist", { id: "words" });
  private readonly lines: string[] = [];
  private at = 0;

  constructor(private readonly model: Model) {
    this.field.addEventListener("keydown", (event) => void this.key(event));
    this.field.addEventListener("input", () => void this.complete());
    put(this.host, this.shown, this.field, this.words);
    this.rename();
  }

  rename(): void {
    this.field.placeholder = w("promptHint");
    this.field.setAttribute("aria-label", w("prompt"));
    this.shown.setAttribute("aria-label", w("prompt"));
  }

  private async key(event: KeyboardEvent): Promise<void> {
    if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      this.at = Math.max(0, Math.min(this.lines.length, this.at + (event.key === "ArrowUp" ? -1 : 1)));
      this.field.value = this.lines[this.at] ?? "";
      event.preventDefault();
    }
    if (event.key !== "Enter") return;
    const line = this.field.value.trim();
    if (!line) return;
    this.field.value = "";
    this.lines.push(line);
    this.at = this.lines.length;
    const replies = await this.model.act([line], true).catch(() => []);
    const reply = replies[0];
    this.shown.append(h("pre", { class: reply?.failed ? "failed" : "" }, `> ${line}\n${plain(reply?.text ?? w("lost"))}`));
    while (this.shown.childElementCount > MOST) this.shown.firstElementChild?.remove();
    this.shown.scrollTop = this.shown.scrollHeight;
  }

  private async complete(): Promise<void> {
    const line = this.field.value;
    const answer = await this.model.link.ask<{ begin: number; found: [string, string][] }>({ complete: line }).catch(() => null);
    if (!answer || line !== this.field.value) return;
    const head = line.slice(0, answer.begin);
    put(this.words, ...answer.found.slice(0, 30).map(([text, about]) => h("option", { value: head + text }, about)));
  }
}
