// How quick the page is: `SITU=target/release/situ node tests/speed.mjs [SCENARIO..]`, at the root of the repository.
// A table in Markdown: milliseconds from the start of `situ open` to the first curve in a tab of a browser that runs,
// from a moved slider to new curves (median of 15), and frames a second while the scene moves, counted by the page.

import { launch, open, quiet, ready, serve, tab } from "./browser.mjs";

const MOVES = 15;
const SECONDS = 4;

const asked = process.argv.slice(2);
const scenarios = asked.length ? asked : ["hoop", "pendulum", "elastic_thread", "cart", "rlc", "stand"];
const browser = await launch();
// The first page of a browser is slower than all others.
const first = serve("scenarios/hoop/table.ron");
const { context: warm } = await open(browser, await first.address);
await warm.close();
first.stop();

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

/** Frames a second in a page while what it plays moves. */
const frames = (page, seconds) =>
  page.evaluate(
    (seconds) =>
      new Promise((done) => {
        let count = 0;
        const begun = performance.now();
        const frame = (now) => {
          if (now - begun > 1000 * seconds) return done((1000 * count) / (now - begun));
          count += 1;
          requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      }),
    seconds,
  );

console.log("| scenario | first curve, ms | moved slider to new curves, ms | frames a second |");
console.log("| --- | --- | --- | --- |");
for (const scenario of scenarios) {
  const { page, context, visit } = await tab(browser);
  const begun = performance.now();
  const server = serve(`scenarios/${scenario}/table.ron`);
  await visit((await server.address) + "#lang=en");
  await page.waitForSelector(".uplot canvas");
  const curve = performance.now() - begun;
  await ready(page);
  const knob = page.locator(".knobs input[type=range]").first();
  await knob.focus();
  const moves = [];
  for (let move = 0; move < MOVES; move += 1) {
    await page.keyboard.press(move % 2 ? "ArrowLeft" : "ArrowRight");
    await quiet(page);
    moves.push(Number(await page.locator(".knobs").getAttribute("data-lasted")));
  }
  await page.getByRole("button", { name: "Play" }).click();
  const rate = await frames(page, SECONDS);
  console.log(`| ${scenario} | ${curve.toFixed(0)} | ${median(moves)} | ${rate.toFixed(1)} |`);
  await context.close();
  server.stop();
}
await browser.close();
