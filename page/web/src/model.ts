// What the page knows of its session, and the actions that change it. Every action is lines of the prompt.

import { Link, type Answer, type Broken, type Hello, type Place, type Reply, type Report } from "./link";

export interface Row {
  list: string;
  id: string;
  line: string;
  note: string;
  from: number | null;
  to: number | null;
}

export interface Table {
  name: string;
  about: string;
  file: string | null;
  text: string;
  rows: Row[];
  findings: Report[];
}

export interface Curve {
  name: string;
  unit: string;
  about: string;
  values: (number | string | null)[];
}

export interface Span {
  name: string;
  kind: "range" | "situation" | "switch" | "event";
  holds: boolean;
  turns: number[];
}

export interface Curves {
  from: number;
  to: number;
  branch: string;
  times: number[];
  time_unit: string;
  reals: Curve[];
  booleans: Span[];
}

export interface Knob {
  name: string;
  kind: "constant" | "start";
  value: number;
  range: [number, number];
  guessed: boolean;
  unit: string;
  about: string;
}

export interface Setting {
  name: string;
  about: string;
  value: number | string | null;
  default: string;
  words: string[];
}

export interface Knobs {
  numbers: Knob[];
  switches: { name: string; value: boolean; about: string }[];
  cases: { name: string; about: string }[];
  case: string | null;
  settings: Setting[];
}

export type Value = number | string | boolean;

/** Parts of what is known, so that a panel draws what has changed. */
export type Part = "place" | "table" | "values" | "curves" | "knobs" | "link" | "busy" | "view" | "draft";

const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/** A name as it is written in lines. */
export const spelt = (name: string): string => (IDENTIFIER.test(name) ? name : `\`${name}\``);

export const result = <T>(reply: Reply | undefined): T | undefined => (reply && !reply.failed ? (reply.data?.result as T | undefined) : undefined);

/** A reply without the colours of a terminal. */
// eslint-disable-next-line no-control-regex
export const plain = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, "");

export class Model {
  readonly link: Link;
  hello: Hello | null = null;
  place: Place | null = null;
  table: Table | null = null;
  values: Record<string, Value> = {};
  /** Rows that acted in the last step, as `list.id`. */
  lit = new Set<string>();
  curves: Curves | null = null;
  /** Curves of other branches that are drawn behind. */
  behind: Curves[] = [];
  knobs: Knobs | null = null;
  broken: { why: Broken; said: string } | null = null;
  busy: { done: number; all: number } | null = null;
  isStale = false;
  /** True if the text that is typed has mistakes. */
  isWrong = false;
  /** Reply to the last action, if it failed or was stopped. */
  fault: Reply | null = null;
  /** Reals that are drawn; empty: those that the server chooses. */
  picked: string[] = [];
  overlaid: string[] = [];
  window: [number, number] | null = null;
  pixels = 600;
  tables: string[] = [];
  /** Numbers of lines done, in order, at which an action begins or ends: what undo and redo go to. */
  private bounds: number[] = [];
  private listeners: ((parts: Set<Part>) => void)[] = [];
  private queue: Promise<unknown> = Promise.resolve();

  constructor() {
    this.link = new Link(
      (hello) => void this.greeted(hello),
      (why, said) => {
        this.broken = { why, said };
        this.busy = null;
        this.tell("link", "busy");
      },
      (done, all) => {
        this.busy = { done, all };
        this.tell("busy");
      },
    );
  }

  onChange(listener: (parts: Set<Part>) => void): void {
    this.listeners.push(listener);
  }

  tell(...parts: Part[]): void {
    const set = new Set(parts);
    for (const listener of this.listeners) listener(set);
  }

  private async greeted(hello: Hello): Promise<void> {
    const lost = this.hello !== null && !hello.resumed;
    const file = this.place?.file ?? hello.table;
    this.hello = hello;
    this.broken = lost ? { why: "ended", said: "" } : null;
    if (!hello.resumed) this.bounds = [];
    this.tell("link");
    if (!hello.resumed && file) await this.act([`load "${file}"`, "run"], true);
    else await this.refresh(true);
    this.tables = await this.link.ask<string[]>({ tables: true });
    this.tell("link");
  }

  /** Opens a table and runs it to its end. */
  async open(file: string): Promise<void> {
    this.picked = [];
    this.window = null;
    this.overlaid = [];
    this.behind = [];
    await this.act([`load "${file}"`, "run"], true);
  }

  /** One action after the other: an answer is shown before the next is asked for. */
  private inOrder<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.queue.then(run, run);
    this.queue = turn.catch(() => undefined);
    return turn;
  }

  private curvesLine(branch?: string, names = this.names()): string {
    const of = branch === undefined ? "" : ` of ${branch}`;
    const window = this.window ? ` from ${this.window[0]} to ${this.window[1]}` : "";
    return `curves ${names.map(spelt).join(" ")}${of}${window} into ${Math.max(50, Math.min(4000, Math.round(this.pixels)))}`;
  }

  /** Reals that are drawn and all booleans; nothing lets the server choose. */
  names(): string[] {
    if (!this.picked.length) return [];
    return [...this.picked, ...this.booleanNames()];
  }

  booleanNames(): string[] {
    return Object.entries(this.values).filter(([, value]) => typeof value === "boolean").map(([name]) => name).slice(0, 40);
  }

  realNames(): string[] {
    return Object.entries(this.values).filter(([, value]) => typeof value !== "boolean").map(([name]) => name);
  }

  /**
   * Does lines, and shows what has come of them.
   *
   * `given`: the lines, or what gives them when those of the actions before are done. `edits`: the text or the knobs may have
   * changed. `moves`: only the present time does, unless the run goes on. Result: the replies of the lines themselves.
   */
  act(given: string[] | (() => string[]), edits = false, moves = false): Promise<Reply[]> {
    return this.inOrder(async () => {
      const lines = typeof given === "function" ? given() : given;
      this.busy = { done: 0, all: 0 };
      this.tell("busy");
      const before = this.place?.done ?? 0;
      try {
        const shows = edits ? [] : ["state", "rules", ...(moves ? [] : [this.curvesLine()])];
        const known = this.known();
        const answer = await this.link.lines(lines, shows);
        const own = answer.replies.slice(0, lines.length);
        const fault = own.find((reply) => reply.failed || reply.interrupted) ?? null;
        this.fault = fault;
        this.bound(before, answer.place);
        if (fault || edits || answer.place.text !== this.place?.text) await this.fetch(true);
        else {
          this.take(answer, lines.length);
          if (moves && this.known() !== known) await this.fetch(false);
        }
        await this.overlays();
        return own;
      } finally {
        this.busy = null;
        this.tell("busy", "place");
      }
    });
  }

  /** Notes where an action began and ended; what can be done again keeps its bounds. */
  private bound(before: number, { done, redo }: Place): void {
    if (before === done) return;
    const kept = redo === null ? this.bounds.filter((at) => at <= Math.min(before, done)) : this.bounds;
    this.bounds = [...new Set([...kept, before, done])].sort((a, b) => a - b);
  }

  /** The lines that take the last action back, if it was one line with that beginning. */
  private again(begin: string): string[] {
    const done = this.place?.done ?? 0;
    return this.place?.undo?.startsWith(begin) && this.bounds.includes(done - 1) ? ["undo"] : [];
  }

  /** Goes somewhere in the run. */
  move(...lines: string[]): Promise<Reply[]> {
    return this.act(lines, false, true);
  }

  /** What curves there are: those of a branch, over a span. */
  private known(): string {
    return [this.place?.branch, this.place?.known.join()].join("|");
  }

  /** Asks without changing anything. */
  ask(...lines: string[]): Promise<Reply[]> {
    return this.asked(lines, []);
  }

  /** Asks without changing anything, and for data alone: texts of the replies are empty. */
  data(...lines: string[]): Promise<Reply[]> {
    return this.asked([], lines);
  }

  private asked(lines: string[], shows: string[]): Promise<Reply[]> {
    return this.inOrder(async () => {
      const answer = await this.link.lines(lines, shows);
      this.place = answer.place;
      return answer.replies;
    });
  }

  refresh(edits = false): Promise<void> {
    return this.inOrder(() => this.fetch(edits));
  }

  private async fetch(edits: boolean): Promise<void> {
    if (!edits) {
      this.take(await this.link.lines([], ["state", "rules", this.curvesLine()]), 0);
      return;
    }
    // What was picked may be gone; where nothing was, all is asked for at once.
    const isFree = !this.picked.length;
    const shows = ["table", "knobs", "state", "rules"];
    const answer = await this.link.lines([], isFree ? [...shows, this.curvesLine()] : shows);
    this.table = result<Table>(answer.replies[0]) ?? null;
    this.knobs = result<Knobs>(answer.replies[1]) ?? null;
    this.take(answer, 2);
    this.picked = this.picked.filter((name) => name in this.values);
    const drawn = isFree ? answer.replies[4] : (await this.link.lines([], [this.curvesLine()])).replies[0];
    this.curves = result<Curves>(drawn) ?? null;
    this.tell("table", "knobs", "curves", "place");
  }

  private take(answer: Answer, at: number): void {
    this.place = answer.place;
    const [state, rules, curves] = answer.replies.slice(at);
    this.values = result<{ values: Record<string, Value> }>(state)?.values ?? {};
    const active = result<{ list: string; id: string; active: boolean }[]>(rules) ?? [];
    this.lit = new Set(Array.isArray(active) ? active.filter((row) => row.active).map((row) => `${row.list}.${row.id}`) : []);
    const drawn = result<Curves>(curves);
    if (drawn) this.curves = drawn;
    this.tell("place", "values", ...(drawn ? (["curves"] as Part[]) : []));
  }

  private async overlays(): Promise<void> {
    const there = this.overlaid.filter((branch) => this.place?.branches.includes(branch));
    if (!there.length) {
      if (this.behind.length) {
        this.behind = [];
        this.tell("curves");
      }
      return;
    }
    const names = this.curves?.reals.map((curve) => curve.name) ?? [];
    const found: Curves[] = [];
    for (const branch of there) {
      const answer = await this.link.lines([], [this.curvesLine(branch, names)]);
      const curves = result<Curves>(answer.replies[0]);
      if (curves) found.push(curves);
    }
    this.behind = found;
    this.tell("curves");
  }

  async overlay(branch: string, isOn: boolean): Promise<void> {
    this.overlaid = this.overlaid.filter((other) => other !== branch);
    if (isOn) this.overlaid.push(branch);
    await this.inOrder(() => this.overlays());
  }

  /** Goes to a time; the steps of a slider on its way are one. */
  goto(time: number | "start" | "end"): Promise<Reply[]> {
    return this.act(() => [...this.again("goto "), `goto ${time}`], false, true);
  }

  /** Does an edit from the present state, and runs as far as it was run before. In the past it opens a branch. */
  change(line: string): Promise<Reply[]> {
    return this.act(() => {
      const place = this.place;
      if (!place) return [];
      const [begin, end] = place.known;
      const atStart = place.steps === 0 && place.time === begin;
      const opens = place.past && !atStart;
      const name = opens ? this.freeBranch() : null;
      const lines = [...(name ? [`branch ${name}`] : []), line];
      if (end > place.time) lines.push(`run to ${end}`, atStart ? "goto start" : `goto ${place.time}`);
      if (name) this.overlaid.push(place.branch);
      return lines;
    }, true);
  }

  private freeBranch(): string {
    const taken = new Set([this.place?.branch, ...(this.place?.branches ?? [])]);
    for (let n = 1; ; n++) if (!taken.has(`b${n}`)) return `b${n}`;
  }

  /** Runs anew with another value; the steps of a knob on its way (`goesOn`) are one. */
  rerun(name: string, value: string, goesOn: boolean): Promise<Reply[]> {
    const begin = `rerun ${name} = `;
    return this.act(() => [...(goesOn ? this.again(begin) : []), `${begin}${value}`, "knobs"]).then((replies) => {
      this.knobs = result<Knobs>(replies.at(-1)) ?? this.knobs;
      this.tell("knobs");
      return replies;
    });
  }

  /** Takes the last action back. */
  undo(): Promise<Reply[]> {
    return this.act(() => {
      const done = this.place?.done ?? 0;
      return [`undo ${done - (this.bounds.filter((at) => at < done).at(-1) ?? done - 1)}`];
    }, true);
  }

  /** Does the action again that was taken back last. */
  redo(): Promise<Reply[]> {
    return this.act(() => {
      const done = this.place?.done ?? 0;
      return [`redo ${(this.bounds.find((at) => at > done) ?? done + 1) - done}`];
    }, true);
  }

  stop(): void {
    void this.link.ask({ stop: true }).catch(() => undefined);
  }

  async look(window: [number, number] | null): Promise<void> {
    this.window = window;
    await this.refresh();
  }

  async pick(name: string, isOn: boolean): Promise<void> {
    if (!this.picked.length) this.picked = this.curves?.reals.map((curve) => curve.name) ?? [];
    this.picked = this.picked.filter((other) => other !== name);
    if (isOn) this.picked.push(name);
    await this.refresh();
    this.tell("view");
  }
}
