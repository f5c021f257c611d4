// The page: panels in their places, what they say to each other, messages.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { ColumnsView, subject } from "./columns";
import { CurvesView } from "./curves";
import { h, icon, put } from "./dom";
import { Editor } from "./editor";
import { KnobsView } from "./knobs";
import { LabView } from "./lab";
import { LogView } from "./log";
import { Model, plain, spelt } from "./model";
import { PromptView } from "./prompt";
import { SceneView } from "./scene";
import { TimeBar } from "./time";
import { type Panel, PANELS, readView, writeView } from "./view";
import { setLanguage, type Word, w } from "./words";
import { WhyView } from "./why";

const view = readView();
const model = new Model();
model.picked = view.curves;
model.window = view.window;

const keep = (): void => writeView(view);
const setTheme = (): void => {
  if (view.theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = view.theme;
};
setTheme();

const why = new WhyView(model, (id) => lead(id));
const askWhy = (name: string, time?: number): void => {
  const line = `why ${spelt(name)}`;
  openPanel("why");
  void (time === undefined ? why.ask(line) : model.goto(time).then(() => why.ask(line)));
};
const editor = new Editor(
  model,
  (row) => {
    const name = subject(row);
    if (name) askWhy(name);
  },
  () => drawDraft(),
);
const columns = new ColumnsView(model, (name) => askWhy(name));
const curves = new CurvesView(
  model,
  view,
  (time) => void model.goto(Math.min(model.place?.known[1] ?? time, Math.max(model.place?.known[0] ?? time, time))),
  askWhy,
  keep,
);
const knobs = new KnobsView(model);
const log = new LogView(model, view, askWhy, keep);
const prompt = new PromptView(model);
const time = new TimeBar(model);
const scene = new SceneView(model, () => layOut());
const lab = new LabView(model, () => layOut());
time.onFrame = (at) => scene.draw(at);

const notices = h("div", { class: "notices", role: "status" });
const working = h("div", { role: "status" });
const draft = h("div", { class: "draft" });
const header = h("header", {});
const tableBody = h("div", { class: "body" });
const main = h("main", { id: "main" });
const welcome = h("section", { class: "welcome" });

const parts: { [panel in Panel]?: HTMLElement } = { table: tableBody, scene: scene.host, lab: lab.host, curves: curves.host, why: why.host, knobs: knobs.host, log: log.host, prompt: prompt.host };
/** The column of the wide layout in which a panel stands. */
const COLUMN: { [panel in Panel]: number } = { table: 0, prompt: 0, scene: 1, curves: 1, lab: 2, why: 2, knobs: 2, log: 2 };

function lead(id: string): void {
  openPanel("table");
  if (view.tab !== "text") chooseTab("text");
  editor.lead(id);
}

function openPanel(panel: Panel): void {
  if (view.panels.includes(panel)) return;
  view.panels = PANELS.filter((one) => one === panel || view.panels.includes(one));
  keep();
  layOut();
}

function closePanel(panel: Panel): void {
  view.panels = view.panels.filter((one) => one !== panel);
  keep();
  layOut();
}

function chooseTab(tab: "text" | "columns"): void {
  view.tab = tab;
  keep();
  drawTable();
}

function drawTable(): void {
  const tabs = (["text", "columns"] as const).map((tab) => h("button", { role: "tab", "aria-selected": String(view.tab === tab), onclick: () => chooseTab(tab) }, w(tab)));
  put(tableBody, h("div", { class: "tabs", role: "tablist" }, ...tabs), view.tab === "text" ? draft : null, view.tab === "text" ? editor.host : columns.host);
  if (view.tab === "columns") columns.show();
}

function drawDraft(): void {
  const { isDraft, isOutdated } = editor;
  put(
    draft,
    h("button", { class: isDraft ? "primary" : "", disabled: !isDraft || isOutdated, title: w("applyHint"), onclick: () => void editor.apply() }, w("apply")),
    h("button", { disabled: !isDraft, onclick: () => editor.revert() }, w("revert")),
    h("button", { disabled: isOutdated, onclick: () => void editor.save(), title: "Ctrl+S" }, w("save")),
    isDraft ? h("span", { class: "note" }, model.isWrong ? w("mistakes") : w("unapplied")) : null,
    isOutdated ? h("div", { class: "notice warn" }, h("p", {}, w("outdated")), h("button", { onclick: () => editor.keep() }, w("keepDraft"))) : null,
  );
  document.body.classList.toggle("greyed", isDraft && model.isWrong);
}

/** True if a panel has something to show: not every table has a scene and an exercise. */
const isThere = (panel: Panel): boolean => (panel === "scene" ? scene.isThere : panel === "lab" ? lab.isThere : true);

function layOut(): void {
  const made = [0, 1, 2].map((column) => {
    const panels = PANELS.filter((panel) => view.panels.includes(panel) && isThere(panel) && COLUMN[panel] === column);
    return panels.length ? h("div", { class: `track track-${column}` }, ...panels.map(panelOf)) : null;
  });
  main.dataset["tracks"] = made.map((track, at) => (track ? at : "")).join("");
  put(main, ...made);
  drawHeader();
  void log.show();
}

function panelOf(panel: Panel): HTMLElement {
  const word: Word = panel;
  const title = h("h2", { id: `title-${panel}` }, w(word));
  const close = h("button", { class: "quiet icon", title: `${w("close")}: ${w(word)}`, "aria-label": `${w("close")}: ${w(word)}`, onclick: () => closePanel(panel) }, icon("close"));
  return h("section", { class: `panel panel-${panel}`, "aria-labelledby": `title-${panel}`, "data-panel": panel }, h("div", { class: "bar" }, title, close), parts[panel]);
}

function drawHeader(): void {
  const place = model.place;
  const files = model.tables;
  const file = h("select", { "aria-label": w("open"), class: "file", onchange: () => file.value && void open(file.value) }, place?.file && files.includes(place.file) ? null : h("option", { value: "" }, w("open")), ...files.map((one) => h("option", { value: one, selected: one === place?.file }, one)));
  const branch = place?.branches.length
    ? h("select", { "aria-label": w("branch"), onchange: () => void model.act([`checkout ${branch?.value ?? ""}`], true) }, ...[place.branch, ...place.branches].sort().map((one) => h("option", { value: one, selected: one === place.branch }, one)))
    : null;
  const panels = h(
    "details",
    { class: "menu" },
    h("summary", {}, w("panels")),
    h(
      "div",
      { class: "sheet" },
      ...PANELS.filter(isThere).map((panel) => {
        const box = h("input", { type: "checkbox", checked: view.panels.includes(panel), onchange: () => (box.checked ? openPanel(panel) : closePanel(panel)) });
        return h("label", { class: "check" }, box, w(panel));
      }),
    ),
  );
  const wasOpen = header.querySelector("details")?.open ?? false;
  panels.open = wasOpen;
  put(
    header,
    h("a", { class: "skip", href: "#main", onclick: (event: Event) => (event.preventDefault(), editor.focus()) }, w("skip")),
    h("strong", { class: "brand" }, "situ"),
    file,
    h("h1", { title: model.table?.about ?? "" }, model.table?.name ?? "", model.table?.about ? h("span", { class: "about" }, model.table.about) : null),
    branch,
    h("div", { class: "group" }, h("button", { disabled: !place?.undo, title: `${w("undo")}: ${place?.undo?.slice(0, 60) ?? ""}`, onclick: () => void model.undo() }, w("undo")), h("button", { disabled: !place?.redo, title: w("redo"), onclick: () => void model.redo() }, w("redo"))),
    panels,
    h("button", { class: "quiet", onclick: () => changeLanguage() }, w("language")),
    h("button", { class: "quiet icon", title: w("theme"), "aria-label": w("theme"), onclick: () => changeTheme() }, icon("theme")),
  );
}

async function open(file: string): Promise<void> {
  await model.open(file);
  view.curves = [];
  view.window = null;
  view.phase = null;
  keep();
}

function changeLanguage(): void {
  view.language = view.language === "en" ? "ru" : "en";
  setLanguage(view.language);
  keep();
  editor.rename();
  why.rename();
  log.rename();
  prompt.rename();
  time.rename();
  knobs.show();
  scene.rename();
  void lab.show();
  curves.show();
  drawTable();
  drawDraft();
  layOut();
  put(working);
  notify();
}

function changeTheme(): void {
  const isDark = view.theme === "dark" || (view.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  view.theme = isDark ? "light" : "dark";
  keep();
  setTheme();
  curves.anew();
  scene.show();
}

function notice(kind: string, text: string, ...ways: [string, () => unknown][]): HTMLElement {
  return h("div", { class: `notice ${kind}` }, h("p", {}, text), ...ways.map(([label, run]) => h("button", { onclick: () => void run() }, label)));
}

let isDismissed = false;

/** Messages, each with a way on. */
function notify(): void {
  const all: HTMLElement[] = [];
  const broken = model.broken;
  const again = (): void => model.link.open();
  const anew = (): void => {
    sessionStorage.removeItem("session");
    again();
  };
  if (broken?.why === "lost") all.push(notice("warn", `${w("lost")} ${w("serverEnded")}`, [w("lostAgain"), again]));
  if (broken?.why === "taken") all.push(notice("warn", w("taken"), [w("takenAgain"), again], [w("newSession"), anew]));
  if (broken?.why === "full") all.push(notice("warn", w("full"), [w("lostAgain"), again]));
  if (broken?.why === "ended") all.push(notice("info", w("ended"), [w("dismiss"), () => ((model.broken = null), model.link.isOpen ? notify() : again())]));
  if (broken?.why === "refused") all.push(notice("warn", `${w("refused")} ${broken.said}`));
  if (model.isStale && !isDismissed) {
    all.push(notice("warn", w("stale"), [w("reload"), () => ((model.isStale = false), model.act(["reload"], true))], [w("dismiss"), () => ((isDismissed = true), notify())]));
  }
  const fault = model.fault;
  if (fault) {
    const said = plain(fault.text).trim();
    const dismiss: [string, () => unknown] = [w("close"), () => ((model.fault = null), notify())];
    all.push(h("div", { class: "notice fault", role: "alert" }, h("pre", {}, fault.interrupted ? w("interrupted") : said), h("button", { onclick: dismiss[1] }, dismiss[0])));
  }
  put(notices, ...all);
  showWork();
}

/** How far the work is; its button stays the same while it is pressed. */
function showWork(): void {
  const { busy } = model;
  if (!busy) return put(working);
  let bar = working.querySelector("progress");
  if (!bar) {
    bar = h("progress", { "aria-label": w("working") });
    put(working, h("div", { class: "notice busy" }, h("p", {}, w("working")), bar, h("button", { onclick: () => model.stop() }, w("stop"))));
  }
  if (!busy.all) return bar.removeAttribute("value");
  bar.max = busy.all;
  bar.value = busy.done;
}

function drawWelcome(): void {
  const isNeeded = model.hello !== null && model.place !== null && model.place.file === null && model.table?.rows.length === 0;
  document.body.classList.toggle("empty", isNeeded);
  if (!isNeeded) return put(welcome);
  put(welcome, h("h2", {}, w("open")), h("p", {}, model.tables.length ? w("noTable") : w("noTables")), h("ul", {}, ...model.tables.map((file) => h("li", {}, h("button", { onclick: () => void open(file) }, file)))));
}

model.onChange((changed) => {
  if (changed.has("table")) {
    editor.show();
    if (view.tab === "columns") columns.show();
  }
  if (changed.has("values")) {
    editor.light();
    columns.light();
    why.show();
  }
  if (changed.has("curves") || changed.has("view")) curves.show();
  else if (changed.has("place")) curves.mark();
  if ((changed.has("place") || changed.has("knobs")) && !model.busy) {
    scene.show();
    void lab.show();
  }
  if (changed.has("knobs")) knobs.show();
  if (changed.has("place")) {
    time.show();
    drawHeader();
    if (!model.busy) void log.show();
    document.title = model.place?.model ? `${model.place.model} – situ` : "situ";
  }
  if (changed.has("link") || changed.has("table")) drawWelcome();
  if (changed.has("draft")) drawDraft();
  if (changed.has("busy")) {
    // Quick work is not announced.
    window.setTimeout(notify, model.busy ? 250 : 0);
  }
  if (changed.has("link")) notify();
});

document.body.append(header, notices, welcome, main, time.host, working);
drawTable();
drawDraft();
layOut();
keep();
model.link.open();

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") header.querySelector("details")?.removeAttribute("open");
});

/** Looks now and then whether the file has been changed by somebody else. */
window.setInterval(() => {
  if (document.visibilityState !== "visible" || !model.link.isOpen || model.busy || !model.place?.file) return;
  void model.link
    .ask<{ stale: boolean }>({ disk: true })
    .then(({ stale }) => {
      if (stale === model.isStale) return;
      model.isStale = stale;
      isDismissed = false;
      notify();
    })
    .catch(() => undefined);
}, 3000);
