// The page in a real Chromium, as somebody uses it.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, launch, open, quiet, ready, serve, stopServers, timeOf } from "./browser.mjs";

const folder = mkdtempSync(join(tmpdir(), "situ-page-"));
const shots = process.env["SHOTS"];
let browser;

const BALL = `(
    format: 1,
    name: "ball",
    about: "A ball bounces",
    clock: (stepping: events, stop: 3),
    constants: {"g": (start: 9.81, unit: "m/s^2", about: "gravity"), "k": (start: 0.8, about: "share of the speed that stays")},
    reals: {"y": (start: 1, unit: "m", about: "height"), "v": (start: 0, unit: "m/s", about: "speed")},
    ranges: ["floor: y <= 0", "falling: v < 0"],
    situations: ["event hit: floor & falling", "up: !falling"],
    relations: ["[1] v := -k * v when hit", "[2] y = integral(v)", "[3] v = integral(-g)"],
    cases: {"soft": (about: "a soft ball", set: {"k": 0.5})},
)
`;

before(async () => {
  mkdirSync(join(folder, "ball"));
  writeFileSync(join(folder, "ball", "table.ron"), BALL);
  cpSync("scenarios/stand", join(folder, "stand"), { recursive: true });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  stopServers();
});

/** A page with a table of the folder, from a server of its own if it is given none. */
async function table(file, options = {}, server = serve(folder)) {
  const opened = { server, ...(await open(browser, await server.address, options)) };
  await opened.page.locator(".welcome button", { hasText: file }).click();
  await ready(opened.page);
  return opened;
}

const editorOf = (page) => page.locator(".editor .cm-content");
const textOf = (page) => page.evaluate(() => [...document.querySelector(".editor").shadowRoot.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n"));
/** Puts another text into the editor. */
async function type(page, from, to) {
  while (!(await textOf(page)).includes(from)) await page.waitForTimeout(50);
  const text = (await textOf(page)).replace(from, to);
  await editorOf(page).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}
const reading = async (page, name) => Number((await page.locator(".chip", { hasText: name }).locator(".reading").textContent()).split(" ")[0]);
const slide = (page, label) => page.getByRole("slider", { name: label });

async function end({ context, faults, server }) {
  await context.close();
  server.stop();
  assert.deepEqual(faults, [], "no error in the console, no request to another host");
}

test("the first curve is there soon, and the run is that of the formula", async () => {
  const server = serve(folder);
  const opened = { server, ...(await open(browser, await server.address)) };
  const { page } = opened;
  await page.locator(".welcome button", { hasText: "ball/table.ron" }).waitFor();
  const begun = Date.now();
  await page.locator(".welcome button", { hasText: "ball/table.ron" }).click();
  await page.waitForSelector(".uplot canvas");
  const took = Date.now() - begun;
  console.log(`first curve after ${took} ms`);
  await quiet(page);
  assert.equal(await timeOf(page), 3);
  // t = sqrt(2 / g), then 2 k sqrt(2 / g) for each bounce.
  const first = Math.sqrt(2 / 9.81);
  const times = await page.locator(".log tbody tr", { hasText: "hit" }).locator("td.right").allTextContents();
  const least = Math.min(...times.map(Number));
  assert.ok(Math.abs(least - first) < 1e-6, `${least} ${first}`);
  // Something is drawn: the canvas is not of one colour.
  const colours = await page.evaluate(() => {
    const canvas = document.querySelector(".uplot canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const found = new Set();
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 200) found.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
    return found.size;
  });
  assert.ok(colours > 10, `${colours} colours`);
  await end(opened);
});

test("a row is edited in mid-run: a branch opens, undo takes it back", async () => {
  const opened = await table("ball/table.ron");
  const { page } = opened;
  await page.locator(".time input.number").fill("1");
  await page.keyboard.press("Enter");
  await quiet(page);
  assert.equal(await timeOf(page), 1);
  const before = await reading(page, "y");
  await type(page, "integral(-g)", "integral(-0.2 * g)");
  await page.locator(".draft .note").waitFor();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("combobox", { name: "Branch" }).waitFor();
  await quiet(page);
  assert.equal(await page.getByRole("combobox", { name: "Branch" }).inputValue(), "b1");
  assert.equal(await timeOf(page), 1, "it goes on from where it stood");
  assert.ok(Math.abs((await reading(page, "y")) - before) < 1e-9);
  assert.ok((await textOf(page)).includes("-0.2 * g"));
  if (shots) await page.screenshot({ path: join(shots, "branch.png") });
  await page.getByRole("tab", { name: "Compare" }).click();
  await page.locator(".log tbody tr", { hasText: "y" }).first().waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await quiet(page);
  assert.equal(await page.getByRole("combobox", { name: "Branch" }).count(), 0);
  assert.ok((await textOf(page)).includes("integral(-g)"));
  await end(opened);
});

test("a cell of the columns is edited", async () => {
  const opened = await table("ball/table.ron", { hash: "#lang=en&tab=columns" });
  const { page } = opened;
  const cell = page.locator("li[data-row='relations.1']");
  await cell.hover();
  await cell.getByRole("button", { name: /^Edit/ }).click();
  const field = cell.getByRole("textbox");
  await field.fill("v := -q * v when hit");
  await field.press("Enter");
  await cell.getByRole("alert").filter({ hasText: "q" }).waitFor();
  await field.fill("v := -0.5 * v when hit");
  await field.press("Enter");
  await page.locator("li[data-row='relations.1'] code", { hasText: "-0.5" }).waitFor();
  await end(opened);
});

test("mistakes are underlined, the last good run stays in grey, nothing typed is lost", async () => {
  const opened = await table("ball/table.ron");
  const { page } = opened;
  await type(page, "integral(v)", "integral(w)");
  await page.locator(".editor .cm-lintRange-error").waitFor();
  assert.ok(await page.evaluate(() => document.body.classList.contains("greyed")));
  if (shots) await page.screenshot({ path: join(shots, "mistake.png") });
  await page.reload();
  await ready(page);
  assert.ok((await textOf(page)).includes("integral(w)"), "what was typed is there after a reload");
  await page.getByRole("button", { name: "Revert" }).click();
  assert.ok((await textOf(page)).includes("integral(v)"));
  assert.ok(!(await page.evaluate(() => document.body.classList.contains("greyed"))));
  await end(opened);
});

test("a click asks why, and each line leads on", async () => {
  const opened = await table("ball/table.ron");
  const { page } = opened;
  const hits = page.locator(".timeline .bar.event").first();
  const { width, height } = await hits.boundingBox();
  await hits.click({ position: { x: (width * 0.45) / 3, y: height / 2 } });
  await page.locator(".answer h3", { hasText: "why hit" }).waitFor();
  assert.ok(Math.abs((await timeOf(page)) - Math.sqrt(2 / 9.81)) < 1e-6);
  await page.locator(".answer .link.name", { hasText: "floor" }).first().click();
  await page.locator(".answer h3", { hasText: "why floor" }).waitFor();
  await page.locator(".legend .chip button", { hasText: "v" }).first().click();
  await page.locator(".answer .link.row", { hasText: "[1]" }).first().waitFor();
  await page.locator(".answer .link.row", { hasText: "[1]" }).first().click();
  await page.locator(".editor .cm-shown").first().waitFor();
  if (shots) await page.screenshot({ path: join(shots, "why.png") });
  await page.getByRole("combobox", { name: "Name", exact: true }).selectOption("up");
  await page.getByRole("button", { name: "Why not" }).click();
  await page.locator(".answer h3", { hasText: "why not up" }).waitFor();
  await page.getByRole("combobox", { name: "Name", exact: true }).selectOption("y");
  await page.getByRole("button", { name: "Who moved it" }).click();
  await page.locator(".answer h3", { hasText: "blame y" }).waitFor();
  await end(opened);
});

test("the past is gone through by slider, steps, events and situations", async () => {
  const opened = await table("ball/table.ron");
  const { page } = opened;
  await page.getByRole("button", { name: "To the start" }).click();
  await quiet(page);
  assert.equal(await timeOf(page), 0);
  await page.getByRole("button", { name: "Next event" }).click();
  await quiet(page);
  assert.ok((await timeOf(page)) > 0 && (await timeOf(page)) < 0.5);
  await page.getByRole("button", { name: "To the start" }).click();
  await quiet(page);
  await page.getByRole("combobox", { name: "To a situation" }).selectOption("hit");
  await page.getByRole("button", { name: "Run until it arises" }).click();
  await quiet(page);
  const hit = await timeOf(page);
  assert.ok(Math.abs(hit - Math.sqrt(2 / 9.81)) < 1e-6, `${hit}`);
  const step = page.getByRole("button", { name: "Step", exact: true });
  await step.click();
  await quiet(page);
  assert.equal(await timeOf(page), hit, "the microsteps that were left of the instant");
  await step.click();
  await quiet(page);
  assert.ok((await timeOf(page)) > hit);
  await page.getByRole("button", { name: "Step back" }).click();
  await quiet(page);
  await page.getByRole("button", { name: "To the end" }).click();
  await quiet(page);
  const slider = page.locator(".time .slide");
  await slider.focus();
  for (let n = 0; n < 20; n++) await page.keyboard.press("ArrowLeft");
  await quiet(page);
  assert.ok(Math.abs((await timeOf(page)) - 2.97) < 1e-6, "twenty parts of two thousand back");
  const y = await reading(page, "y");
  await page.reload();
  await ready(page);
  assert.ok(Math.abs((await timeOf(page)) - 2.97) < 1e-6, "a reload keeps the session");
  assert.equal(await reading(page, "y"), y);
  await end(opened);
});

test("the log sums the run up, with measures, and tells how it converges", async () => {
  const opened = await table("ball/table.ron");
  const { page } = opened;
  const row = (text) => page.locator(".log tbody tr", { hasText: text });
  // Each bounce stands with its rule, and with the border that was nearest besides.
  await row("hit").first().waitFor();
  assert.ok((await row("event hit: floor & falling").count()) > 0);
  await page.locator(".log tbody td", { hasText: /^(floor|falling) \(/ }).first().waitFor();
  await page.getByRole("tab", { name: "Summary" }).click();
  await row("hit").first().waitFor();
  await page.getByRole("textbox", { name: /^Measures/ }).fill("max(y), count(hit)");
  await page.keyboard.press("Enter");
  await row("max(y)").waitFor();
  assert.equal(await row("max(y)").locator("td.right").textContent(), "1");
  // The bounces before 3: t = s (1 + 2 k + 2 k^2 + ..), s = sqrt(2 / g).
  assert.equal(await row("count(hit)").locator("td.right").textContent(), "6");
  await page.getByRole("textbox", { name: /^Measures/ }).fill("max(q)");
  await page.keyboard.press("Enter");
  await page.locator(".log .fault", { hasText: "q" }).waitFor();
  await page.getByRole("tab", { name: "Converge" }).click();
  await page.getByRole("button", { name: /^Run with ever smaller/ }).click();
  await row("y, m").waitFor();
  if (shots) await page.screenshot({ path: join(shots, "converge.png") });
  await end(opened);
});

test("while a knob moves the run is done anew, and one undo takes it back", async () => {
  const opened = await table("ball/table.ron");
  const { page } = opened;
  const y = await reading(page, "y");
  const knob = slide(page, "k: share of the speed that stays");
  await knob.focus();
  for (let n = 0; n < 10; n++) await page.keyboard.press("ArrowLeft");
  await quiet(page);
  assert.notEqual(await reading(page, "y"), y);
  assert.equal(await page.locator("#knob-k").inputValue(), "0.76");
  console.log(`from the moved slider to new curves ${await page.locator(".knobs").getAttribute("data-lasted")} ms`);
  await page.getByRole("combobox", { name: "Case" }).selectOption("soft");
  await quiet(page);
  await page.locator("#setting-method").selectOption("rk4");
  await page.locator("#setting-step").fill("0.01");
  await page.locator("#setting-step").press("Enter");
  await quiet(page);
  assert.equal(await page.locator("#setting-method").inputValue(), "rk4");
  await end(opened);
});

test("one undo takes back what was done at once, one redo does it again", async () => {
  const opened = await table("ball/table.ron");
  const { page } = opened;
  const press = async (name) => {
    await page.getByRole("button", { name, exact: true }).click();
    await quiet(page);
  };
  const slider = page.locator(".time .slide");
  const number = (name) => page.locator(`#knob-${name}`).inputValue();
  // Each key is answered before the next is pressed.
  const keys = async (what, count) => {
    await what.focus();
    for (let n = 0; n < count; n++) {
      await page.keyboard.press("ArrowLeft");
      await quiet(page);
    }
  };
  await keys(slide(page, "k: share of the speed that stays"), 3);
  await keys(slide(page, "g: gravity"), 2);
  assert.deepEqual([await number("k"), await number("g")], ["0.788", "9.7119"], "a knob takes back no other");
  await press("Undo");
  assert.deepEqual([await number("k"), await number("g")], ["0.788", "9.81"]);
  await press("Undo");
  assert.deepEqual([await number("k"), await timeOf(page)], ["0.8", 3], "the run is there");
  await press("Redo");
  assert.deepEqual([await number("k"), await number("g")], ["0.788", "9.81"]);
  await press("Undo");
  await keys(slider, 3);
  await press("Undo");
  assert.equal(await timeOf(page), 3, "the way of a slider is one");
  // An edit in the past is several lines, of which the last goes to where it was.
  await page.locator(".time input.number").fill("1");
  await page.keyboard.press("Enter");
  await quiet(page);
  await type(page, "integral(-g)", "integral(-0.2 * g)");
  await page.locator(".draft .note").waitFor();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("combobox", { name: "Branch" }).waitFor();
  await quiet(page);
  await keys(slider, 2);
  await press("Undo");
  assert.equal(await timeOf(page), 1);
  assert.ok((await textOf(page)).includes("-0.2 * g"));
  await press("Undo");
  assert.equal(await page.getByRole("combobox", { name: "Branch" }).count(), 0);
  assert.equal(await timeOf(page), 1);
  assert.ok((await textOf(page)).includes("integral(-g)"));
  await press("Redo");
  assert.equal(await page.getByRole("combobox", { name: "Branch" }).inputValue(), "b1");
  assert.ok((await textOf(page)).includes("-0.2 * g"));
  await end(opened);
});

test("a run that is stopped stands where it came to, and says so", async () => {
  mkdirSync(join(folder, "long"));
  writeFileSync(join(folder, "long", "table.ron"), `(format: 1, clock: (step: 0.01, stop: 1), counters: {"j": "1 .. 300"}, reals: {"x": 1}, relations: ["x = integral(-x - sum(sin(j * x)^2 for j) / 300)"])`);
  const opened = await table("long/table.ron");
  const { page } = opened;
  await page.locator(".time input.number").fill("1e6");
  await page.keyboard.press("Enter");
  // A press takes a while, and it is told how far it is meanwhile.
  await page.getByRole("button", { name: "Stop", exact: true }).click({ delay: 300 });
  await page.locator(".notice.fault", { hasText: "Stopped" }).waitFor();
  await quiet(page);
  const time = await timeOf(page);
  assert.ok(time > 1 && time < 1e6, `${time}`);
  assert.ok((await reading(page, "x")) < 0.4);
  await end(opened);
});

test("the curves are zoomed, chosen and put against each other; the address keeps it", async () => {
  const opened = await table("ball/table.ron");
  const { page } = opened;
  const over = page.locator(".uplot .u-over").first();
  const box = await over.boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 30, { steps: 5 });
  await page.mouse.up();
  await quiet(page);
  assert.match(page.url(), /window=0\.[89]\d*%2C1\.[78]\d*/);
  await page.getByRole("combobox", { name: "Phase plot", exact: true }).selectOption("v");
  await page.locator("canvas.phase").waitFor();
  await page.getByRole("button", { name: "Close: v", exact: true }).click();
  await page.locator(".chip button", { hasText: "v" }).waitFor({ state: "detached" });
  await quiet(page);
  assert.equal(await page.locator(".chip").count(), 1);
  await page.getByRole("button", { name: "Close: Log" }).click();
  await page.reload();
  await ready(page);
  assert.equal(await page.locator(".panel-log").count(), 0);
  assert.equal(await page.locator(".chip").count(), 1);
  assert.equal(await page.locator("canvas.phase").count(), 1);
  await page.getByRole("button", { name: "Show all" }).click();
  await quiet(page);
  assert.ok(!page.url().includes("window"));
  await end(opened);
});

test("two pages on one table: who saves second is told", async () => {
  const first = await table("ball/table.ron");
  const second = await table("ball/table.ron", {}, first.server);
  await type(first.page, "A ball bounces", "A ball is edited");
  await first.page.keyboard.press("Control+s");
  await quiet(first.page);
  assert.ok(readFileSync(join(folder, "ball", "table.ron"), "utf8").includes("A ball is edited"));
  await second.page.locator(".notice", { hasText: "changed on disk" }).waitFor({ timeout: 10_000 });
  await type(second.page, "A ball bounces", "Another edit");
  await second.page.keyboard.press("Control+s");
  await second.page.locator(".notice.fault", { hasText: "has not read" }).waitFor();
  assert.ok(readFileSync(join(folder, "ball", "table.ron"), "utf8").includes("A ball is edited"));
  await second.page.getByRole("button", { name: "Read it" }).click();
  await quiet(second.page);
  assert.ok((await textOf(second.page)).includes("A ball is edited"));
  writeFileSync(join(folder, "ball", "table.ron"), BALL);
  await end(first);
  await end(second);
});

test("a draft takes back no change of the table unannounced", async () => {
  const path = join(folder, "ball", "table.ron");
  const server = serve(path);
  const opened = { server, ...(await open(browser, await server.address)) };
  const { page } = opened;
  const theirs = BALL.replace("gravity", "gravity of theirs");
  const notice = page.locator(".draft .notice", { hasText: "has changed since" });
  await ready(page);
  await type(page, "A ball bounces", "A ball of mine");
  await quiet(page);
  assert.equal(await notice.count(), 0);
  // The file changes while no session is there to see it.
  writeFileSync(path, theirs);
  await page.evaluate(() => sessionStorage.removeItem("session"));
  await page.reload();
  await ready(page);
  await notice.waitFor();
  assert.ok((await textOf(page)).includes("A ball of mine"), "what was typed is there");
  await editorOf(page).click();
  await page.keyboard.press("Control+s");
  await quiet(page);
  assert.equal(readFileSync(path, "utf8"), theirs);
  if (shots) await page.screenshot({ path: join(shots, "outdated.png") });
  await page.getByRole("button", { name: "Revert" }).click();
  assert.ok((await textOf(page)).includes("gravity of theirs"));
  assert.equal(await notice.count(), 0);
  // So while it is open; what was typed can be kept.
  await type(page, "A ball bounces", "A ball of mine");
  await quiet(page);
  writeFileSync(path, BALL);
  await page.getByRole("button", { name: "Read it" }).click();
  await notice.waitFor();
  await page.getByRole("button", { name: "Keep mine" }).click();
  await notice.waitFor({ state: "detached" });
  await editorOf(page).click();
  await page.keyboard.press("Control+s");
  await quiet(page);
  assert.equal(readFileSync(path, "utf8"), theirs.replace("A ball bounces", "A ball of mine"));
  writeFileSync(path, BALL);
  await end(opened);
});

test("a session goes to the page that takes it, and comes back", async () => {
  const opened = await table("ball/table.ron");
  const { page, context } = opened;
  const session = await page.evaluate(() => sessionStorage.getItem("session"));
  const other = await context.newPage();
  await other.addInitScript((name) => sessionStorage.setItem("session", name), session);
  await other.goto(`${new URL(page.url()).origin}/#lang=en`);
  await ready(other);
  await page.locator(".notice", { hasText: "Another page" }).waitFor();
  await page.getByRole("button", { name: "Take it back" }).click();
  await page.locator(".notice", { hasText: "Another page" }).waitFor({ state: "detached" });
  await other.locator(".notice", { hasText: "Another page" }).waitFor();
  await end(opened);
});

test("a server that ends is told, and what is typed stays", async () => {
  const own = serve(join(folder, "ball", "table.ron"));
  const opened = await open(browser, await own.address);
  const { page, context } = opened;
  await ready(page);
  await type(page, "A ball bounces", "Typed and not lost");
  own.interrupt();
  assert.equal(await own.ended, 130);
  await page.locator(".notice", { hasText: "does not answer" }).waitFor();
  assert.ok((await textOf(page)).includes("Typed and not lost"));
  await context.close();
});

test("with --once the server ends with its page", async () => {
  const own = serve(join(folder, "ball"), "--once");
  const { page, context } = await open(browser, await own.address);
  await ready(page);
  await page.reload();
  await ready(page);
  await context.close();
  assert.equal(await own.ended, 0);
});

test("in both languages, light and dark, on every width: axe finds nothing serious", async () => {
  for (const [width, height, dark, language] of [
    [1280, 800, false, "en"],
    [1280, 800, true, "ru"],
    [800, 1000, true, "en"],
    [390, 844, false, "ru"],
  ]) {
    const opened = await table("stand/table.ron", { width, height, dark, hash: `#lang=${language}` });
    const { page } = opened;
    const name = `stand-${width}-${language}${dark ? "-dark" : ""}.png`;
    if (shots) await page.screenshot({ path: join(shots, name), fullPage: width < 1100 });
    assert.deepEqual(await axe(page), [], name);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${name}: ${wide} pixels wide`);
    assert.equal(await page.evaluate(() => document.documentElement.lang), language);
    await end(opened);
  }
});

test("keys alone suffice: from the table to an edit, a knob and a reason", async () => {
  const opened = await table("ball/table.ron");
  const { page } = opened;
  const reached = new Set();
  await page.reload();
  await ready(page);
  for (let n = 0; n < 160; n++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent?.trim() ?? ""));
    // Out of the editor, in which Tab indents.
    if (await page.evaluate(() => document.activeElement?.classList.contains("editor"))) await page.keyboard.press("Escape");
  }
  for (const name of ["Skip", "Undo", "Panels", "Columns", "Save", "Zoom in", "Why", "Play", "Next event", "k: share of the speed that stays"]) {
    const label = name === "Skip" ? "To the table" : name;
    assert.ok(reached.has(label), `${label} is not reached: ${[...reached].join(", ")}`);
  }
  await end(opened);
});

test("the stand: its form, its ways of location, its log with the numbers of the reference", async () => {
  const { cases } = JSON.parse(readFileSync("tests/data/exact/stand.json", "utf8"));
  const opened = await table("stand/table.ron", { height: 1000 });
  const { page } = opened;
  const lab = page.locator(".panel-lab");
  await lab.locator("#lab-case").selectOption("A_theta0.6");
  await quiet(page);
  await lab.locator("#lab-way-stepping").selectOption("events");
  await quiet(page);
  await lab.locator("#lab-way-step").fill("0.05");
  await lab.locator("#lab-way-step").press("Enter");
  await quiet(page);
  await lab.locator("[id='lab-predict-x[1]']").fill("1.01");
  await lab.locator("[id='lab-predict-x[2]']").fill("2,2");
  await lab.getByRole("button", { name: "Compare with the run" }).click();
  await lab.locator(".lablog").waitFor();
  for (const [method, locate, run] of [
    ["rk4", "linear", "parabola/fixed_dt/linear"],
    ["rk4", "quadratic", "parabola/fixed_dt/quadratic"],
    ["rk4", "root", "parabola/fixed_dt/quadratic"],
    ["euler", "linear", "euler/fixed_dt/linear"],
    ["euler", "quadratic", "euler/fixed_dt/quadratic"],
  ]) {
    await lab.locator("#lab-way-method").selectOption(method);
    await quiet(page);
    await lab.locator("#lab-way-locate").selectOption(locate);
    await quiet(page);
    const cells = await lab.locator(".lablog tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
    const expected = cases["A_theta0.6"].runs[run];
    for (let n = 0; n < 3; n++) {
      const obtained = Number(cells[n][1]);
      assert.ok(Math.abs(obtained - expected[n].x) < 2e-7, `${run} ${n + 1}: ${obtained}, not ${expected[n].x}`);
    }
    assert.ok(Math.abs(Number(cells[0][3]) - (1.01 - expected[0].x)) < 1e-5);
    assert.ok(Math.abs(Number(cells[1][2]) - 2.2) < 1e-12, "a comma is a point");
  }
  if (shots) await page.screenshot({ path: join(shots, "lab.png") });
  const saved = page.waitForEvent("download");
  await lab.getByRole("button", { name: "Save the log" }).click();
  const text = readFileSync(await (await saved).path(), "utf8");
  assert.ok(text.startsWith("name,obtained,predicted,error,relative_error\nx[1],1.0"), text);
  await page.getByRole("button", { name: "Русский" }).click();
  await lab.getByText("Шарик брошен").waitFor();
  assert.deepEqual(await axe(page), []);
  await end(opened);
});

test("the scene moves with the time", async () => {
  const opened = await table("stand/table.ron");
  const { page } = opened;
  const canvas = page.locator(".scene canvas");
  await canvas.waitFor();
  const picture = () => canvas.evaluate((one) => one.toDataURL());
  await page.getByRole("button", { name: "To the start" }).click();
  await quiet(page);
  const before = await picture();
  await page.getByRole("button", { name: "Play" }).click();
  const first = Number(await canvas.getAttribute("data-frames"));
  await page.waitForTimeout(1000);
  const drawn = Number(await canvas.getAttribute("data-frames")) - first;
  console.log(`${drawn} pictures of the scene in a second`);
  assert.ok(drawn > 0, `${drawn}`);
  await page.getByRole("button", { name: "Pause" }).click();
  await quiet(page);
  assert.notEqual(await picture(), before);
  assert.ok((await timeOf(page)) > 0);
  await end(opened);
});
