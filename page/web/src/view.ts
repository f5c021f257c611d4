// The layout, kept in the address: which panels are open, the language, the curves, the window.

import { setLanguage, type Language } from "./words";

export const PANELS = ["table", "scene", "curves", "why", "knobs", "log", "lab", "prompt"] as const;
export type Panel = (typeof PANELS)[number];

export const LOGS = ["events", "summary", "converge", "coverage", "compare"] as const;

export interface View {
  panels: Panel[];
  tab: "text" | "columns";
  log: (typeof LOGS)[number];
  language: Language;
  theme: "auto" | "light" | "dark";
  curves: string[];
  phase: [string, string] | null;
  window: [number, number] | null;
}

/** Panels that are open where the address says nothing. */
const USUAL: Panel[] = ["table", "scene", "curves", "why", "knobs", "log", "lab"];

const isOneOf = <T extends string>(word: string | null, all: readonly T[], usual: T): T => all.find((one) => one === word) ?? usual;

export function readView(): View {
  const said = new URLSearchParams(location.hash.slice(1));
  const panels = said.get("panels")?.split(",");
  const numbers = said.get("window")?.split(",").map(Number);
  const phase = said.get("phase")?.split(",");
  const usual: Language = navigator.language.startsWith("ru") ? "ru" : "en";
  const view: View = {
    panels: panels ? PANELS.filter((panel) => panels.includes(panel)) : USUAL,
    tab: isOneOf(said.get("tab"), ["text", "columns"], "text"),
    log: isOneOf(said.get("log"), LOGS, "events"),
    language: isOneOf(said.get("lang"), ["en", "ru"], usual),
    theme: isOneOf(said.get("theme"), ["auto", "light", "dark"], "auto"),
    curves: said.get("curves")?.split(",").filter(Boolean) ?? [],
    phase: phase && phase.length === 2 ? [phase[0] ?? "", phase[1] ?? ""] : null,
    window: numbers && numbers.length === 2 && numbers.every(Number.isFinite) ? [numbers[0] ?? 0, numbers[1] ?? 0] : null,
  };
  setLanguage(view.language);
  return view;
}

export function writeView(view: View): void {
  const said = new URLSearchParams();
  if (view.panels.join() !== USUAL.join()) said.set("panels", view.panels.join());
  if (view.tab !== "text") said.set("tab", view.tab);
  if (view.log !== "events") said.set("log", view.log);
  said.set("lang", view.language);
  if (view.theme !== "auto") said.set("theme", view.theme);
  if (view.curves.length) said.set("curves", view.curves.join());
  if (view.phase) said.set("phase", view.phase.join());
  if (view.window) said.set("window", view.window.join());
  history.replaceState(null, "", `#${said}`);
}
