// The text of the table in CodeMirror, with live diagnostics, completion, and the rows that act lit.
//
// It stands in a shadow root: there CodeMirror brings its styles as sheets, which a strict policy allows.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentUnit, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { h, later } from "./dom";
import type { Report } from "./link";
import type { Model, Row } from "./model";
import { w } from "./words";

const setLit = StateEffect.define<{ from: number; to: number; kind: "lit" | "shown" }[]>();

/** Rows that are lit, as marks that move with the text. */
const lit = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, change) {
    let now = marks.map(change.changes);
    for (const effect of change.effects) {
      if (!effect.is(setLit)) continue;
      const made: Range<Decoration>[] = effect.value.map(({ from, to, kind }) => Decoration.mark({ class: `cm-${kind}` }).range(from, to));
      now = Decoration.set(made, true);
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** RON with the words of rules. */
const ron = StreamLanguage.define<{ quoted: boolean }>({
  startState: () => ({ quoted: false }),
  token(stream, state) {
    if (!state.quoted && stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.eat('"')) {
      state.quoted = !state.quoted;
      return "string";
    }
    if (state.quoted) {
      if (stream.eat("\\")) {
        stream.next();
        return "string";
      }
      if (stream.eat("#")) {
        stream.eatWhile(/[^"]/);
        return "comment";
      }
      if (stream.match(/^\[[^\]"]*\]/)) return "labelName";
    }
    if (stream.match(/^(when|event|otherwise|start|time|pi|solve|noevent|smooth)\b/)) return "keyword";
    if (stream.match(/^[0-9][0-9_]*(\.[0-9]+)?([eE][-+]?[0-9]+)?/)) return "number";
    if (stream.match(/^[\p{L}_][\p{L}\p{N}_]*(?=\s*:)/u)) return state.quoted ? "variableName" : "propertyName";
    if (stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u)) return "variableName";
    stream.next();
    return state.quoted ? "operator" : null;
  },
  languageData: { commentTokens: { line: "//" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--quote)" },
  { tag: tags.number, color: "var(--number)" },
  { tag: tags.keyword, color: "var(--accent-text)", fontWeight: "600" },
  { tag: tags.labelName, color: "var(--soft)" },
  { tag: tags.propertyName, color: "var(--field)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "transparent", fontSize: "13px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--accent)", padding: "8px 0" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  ".cm-activeLine": { backgroundColor: "var(--hover)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  "&.cm-focused .cm-cursor": { borderLeftColor: "var(--accent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--select)" },
  ".cm-lit": { backgroundColor: "var(--lit)", borderRadius: "3px", boxShadow: "-3px 0 0 0 var(--lit-edge)" },
  ".cm-shown": { outline: "2px solid var(--accent)", borderRadius: "3px" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "8px", boxShadow: "var(--shadow)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--ink)" },
  // Drawn here, as the pictures that the library brings are in addresses that the policy forbids.
  ".cm-lintRange": { backgroundImage: "none !important", textDecorationLine: "underline", textDecorationStyle: "wavy", textDecorationThickness: "1px", textUnderlineOffset: "3px" },
  ".cm-lintRange-error": { textDecorationColor: "var(--bad)" },
  ".cm-lintRange-warning, .cm-lintRange-info, .cm-lintRange-hint": { textDecorationColor: "var(--lit-edge)" },
  ".cm-lintRange-active": { backgroundColor: "var(--hover)" },
  ".cm-lint-marker": { content: "'' !important", width: "8px !important", height: "8px !important", margin: "6px 2px 0", borderRadius: "50%", backgroundColor: "var(--lit-edge)" },
  ".cm-lint-marker-error": { backgroundColor: "var(--bad)" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", whiteSpace: "pre-wrap" },
});

/** Place of a byte of UTF-8 in a text. */
function unitsOf(text: string): (byte: number) => number {
  const places = new Map<number, number>();
  const encoder = new TextEncoder();
  let bytes = 0;
  let units = 0;
  for (const letter of text) {
    places.set(bytes, units);
    bytes += letter.length === 1 && letter.charCodeAt(0) < 128 ? 1 : encoder.encode(letter).length;
    units += letter.length;
  }
  places.set(bytes, units);
  return (byte) => places.get(byte) ?? Math.min(byte, text.length);
}

/** Reports as CodeMirror takes them. */
function diagnostics(text: string, reports: Report[], file: string | null): Diagnostic[] {
  const at = unitsOf(text);
  return reports.map((report) => {
    const own = report.labels.filter((label) => label.file === (file ?? "untitled"));
    const label = own.find((one) => one.primary) ?? own[0];
    const from = label ? at(label.bytes[0]) : 0;
    const to = label ? Math.max(at(label.bytes[1]), from) : 0;
    const said = [report.code ? `${report.code}: ${report.message}` : report.message, label?.text, report.help].filter(Boolean).join("\n");
    return { from, to, severity: report.severity === "note" ? "info" : report.severity, message: said };
  });
}

export class Editor {
  readonly host = h("div", { class: "editor", "data-part": "editor" });
  private readonly view: EditorView;
  private readonly named = new Compartment();
  /** The text that the session has. */
  private taken = "";
  /** The text that was typed into. */
  private base = "";
  private file: string | null = null;
  private shownRow: string | null = null;
  private readonly examineSoon = later(250, () => void this.examine());

  constructor(
    private readonly model: Model,
    private readonly onRow: (row: Row) => void,
    private readonly onDraft: () => void,
  ) {
    const root = this.host.attachShadow({ mode: "open" });
    const parent = document.createElement("div");
    parent.style.height = "100%";
    root.append(parent);
    this.view = new EditorView({
      parent,
      root,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          bracketMatching(),
          closeBrackets(),
          indentUnit.of("    "),
          highlightSelectionMatches(),
          lintGutter(),
          lit,
          ron,
          syntaxHighlighting(colours),
          theme,
          autocompletion({ override: [(context) => this.complete(context)], icons: false }),
          keymap.of([
            { key: "Mod-Enter", run: () => (void this.apply(), true) },
            { key: "Mod-s", run: () => (void this.save(), true) },
            ...closeBracketsKeymap,
            ...completionKeymap,
            ...searchKeymap,
            ...lintKeymap,
            ...historyKeymap,
            ...defaultKeymap,
            indentWithTab,
          ]),
          this.named.of([]),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            this.keepDraft();
            this.examineSoon();
            this.onDraft();
          }),
          EditorView.domEventHandlers({
            click: (event, view) => {
              const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
              const row = at === null || this.isDraft ? undefined : this.rowAt(at);
              if (row && !view.state.selection.main.empty) return false;
              if (row && this.model.lit.has(`${row.list}.${row.id}`)) this.onRow(row);
              return false;
            },
          }),
        ],
      }),
    });
    // What scrolls can be reached by keys.
    this.view.scrollDOM.tabIndex = 0;
    this.rename();
  }

  /** Tells screen readers what this is, in the language of the page. */
  rename(): void {
    this.view.dispatch({ effects: this.named.reconfigure(EditorView.contentAttributes.of({ "aria-label": w("table") })) });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** True if something is typed that the run does not have. */
  get isDraft(): boolean {
    return this.text !== this.taken;
  }

  /** True if the session has another text than the one that was typed into: to take the draft in would undo a change. */
  get isOutdated(): boolean {
    return this.isDraft && this.base !== this.taken;
  }

  /** Keeps a draft over the text that the session has now. */
  keep(): void {
    this.base = this.taken;
    this.keepDraft();
    this.onDraft();
  }

  private get key(): string {
    return `draft:${this.file ?? ""}`;
  }

  private keepDraft(): void {
    if (!this.isDraft) {
      this.base = this.taken;
      sessionStorage.removeItem(this.key);
    } else sessionStorage.setItem(this.key, JSON.stringify([this.base, this.text]));
  }

  /** Shows the text of the session; what is typed and not taken yet stays. */
  show(): void {
    const table = this.model.table;
    if (!table) return;
    const isOther = this.file !== table.file || this.taken === "";
    let text = !isOther && this.isDraft ? this.text : table.text;
    this.file = table.file;
    this.taken = table.text;
    if (isOther) {
      const kept = sessionStorage.getItem(this.key);
      this.base = table.text;
      if (kept) [this.base, text] = JSON.parse(kept) as [string, string];
    }
    if (text !== this.text) {
      const at = Math.min(this.view.state.selection.main.head, text.length);
      this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, selection: { anchor: at } });
    }
    if (!this.isDraft) this.report(table.findings);
    this.keepDraft();
    this.light();
    this.onDraft();
  }

  /** Lights the rows that act. */
  light(): void {
    const table = this.model.table;
    if (!table || this.isDraft) return;
    const length = this.view.state.doc.length;
    const marks = table.rows.flatMap((row): { from: number; to: number; kind: "lit" | "shown" }[] => {
      const key = `${row.list}.${row.id}`;
      if (row.from === null || row.to === null || row.to > length || row.from >= row.to) return [];
      if (key === this.shownRow) return [{ from: row.from, to: row.to, kind: "shown" }];
      return this.model.lit.has(key) ? [{ from: row.from, to: row.to, kind: "lit" }] : [];
    });
    this.view.dispatch({ effects: setLit.of(marks) });
  }

  /** Leads to a row. */
  lead(id: string): void {
    const row = this.model.table?.rows.find((one) => one.id === id && one.list === "relations") ?? this.model.table?.rows.find((one) => one.id === id);
    if (!row || row.from === null || this.isDraft) return;
    this.shownRow = `${row.list}.${row.id}`;
    this.light();
    this.view.dispatch({ effects: EditorView.scrollIntoView(row.from, { y: "center" }) });
  }

  private rowAt(at: number): Row | undefined {
    return this.model.table?.rows.find((row) => row.from !== null && row.to !== null && row.from <= at && at <= row.to);
  }

  private report(reports: Report[]): void {
    const text = this.text;
    const length = text.length;
    const found = diagnostics(text, reports, this.file).map((one) => ({ ...one, from: Math.min(one.from, length), to: Math.min(one.to, length) }));
    this.view.dispatch(setDiagnostics(this.view.state, found));
    this.model.isWrong = this.isDraft && reports.some((report) => report.severity === "error");
    this.model.tell("draft");
  }

  private async examine(): Promise<void> {
    const text = this.text;
    try {
      const reports = await this.model.link.ask<Report[]>({ examine: text });
      if (text === this.text) this.report(reports);
    } catch {
      // It is examined again when something is typed, or the link is back.
    }
  }

  private async complete(context: CompletionContext): Promise<CompletionResult | null> {
    const word = context.matchBefore(/[\p{L}_`][\p{L}\p{N}_]*/u);
    if (!word && !context.explicit) return null;
    const line = context.state.doc.lineAt(context.pos);
    const before = context.state.sliceDoc(line.from, context.pos);
    if ((before.match(/"/g)?.length ?? 0) % 2 === 0) return null;
    const typed = word?.text ?? "";
    // Not a command: names, procedures and words of the language.
    const answer = await this.model.link.ask<{ found: [string, string][] }>({ complete: `= ${typed}` }).catch(() => null);
    if (!answer) return null;
    return {
      from: word?.from ?? context.pos,
      options: answer.found.map(([label, detail]) => ({ label, detail, apply: label.trimEnd() })),
      validFor: /^[\p{L}_`][\p{L}\p{N}_]*$/u,
    };
  }

  async apply(): Promise<boolean> {
    if (!this.isDraft) return true;
    if (this.isOutdated) return false;
    const { text } = this;
    const replies = await this.model.change(`rewrite ${JSON.stringify(text)}`);
    // What was typed meanwhile was typed into it.
    if (this.taken === text) this.keep();
    return replies.every((reply) => !reply.failed);
  }

  revert(): void {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: this.taken } });
    this.show();
  }

  /** Takes the text into the run and writes it to its file. */
  async save(over = ""): Promise<void> {
    if (!(await this.apply())) return;
    await this.model.act([over ? `save! ${over}` : "save!"]);
    this.model.isStale = false;
    this.model.tell("link");
  }

  focus(): void {
    this.view.focus();
  }
}
