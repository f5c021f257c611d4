// A server and a Chromium for the tests of the page.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const program = process.env["SITU"] ?? "target/debug/situ-for-tests";
const browsers = [process.env["CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = browsers.find((path) => path && existsSync(path));

const servers = [];
/** Ends all servers, also those of tests that failed: they would keep the process. */
export const stopServers = () => servers.forEach((server) => server.kill("SIGKILL"));
process.on("exit", stopServers);

/** Starts `situ open`: its address, and what ends it. */
export function serve(what, ...options) {
  const server = spawn(program, ["open", what, "--no-browser", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  servers.push(server);
  const ended = new Promise((done) => server.on("exit", done));
  const address = new Promise((done, failed) => {
    let said = "";
    server.stdout.on("data", (bytes) => {
      said += bytes;
      if (said.includes("\n")) done(said.trim());
    });
    server.on("exit", (code) => failed(new Error(`situ open ended with ${code}`)));
  });
  return { address, ended, stop: () => server.kill("SIGKILL"), interrupt: () => server.kill("SIGINT") };
}

export const launch = () => chromium.launch({ executablePath, args: ["--no-sandbox", "--force-color-profile=srgb"] });

/** A tab that notes every error, and every request to another host. */
export async function tab(browser, { width = 1280, height = 800, dark = false, locale = "en-US" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", locale, reducedMotion: "reduce" });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  const visit = async (address) => {
    const { host } = new URL(address);
    page.on("request", (request) => new URL(request.url()).host !== host && !request.url().startsWith("data:") && faults.push(`asks ${request.url()}`));
    await page.goto(address);
  };
  return { page, context, faults, visit };
}

/** The page in a tab of its own. */
export async function open(browser, address, { hash = "#lang=en", ...look } = {}) {
  const opened = await tab(browser, look);
  await opened.visit(address + hash);
  return opened;
}

/** Waits until the session has run and its curves are drawn. */
export async function ready(page) {
  await page.waitForSelector(".uplot canvas", { timeout: 20_000 });
  await quiet(page);
}

/** Waits until nothing is asked and nothing is drawn. */
export async function quiet(page) {
  // What is typed or moved is asked about a little later, and one answer may lead to another question.
  for (let calm = 0; calm < 4; ) {
    await page.waitForTimeout(60);
    calm = (await page.evaluate(() => document.body.dataset.asking)) === "0" ? calm + 1 : 0;
  }
}

/** The time at which the session stands. */
export const timeOf = (page) => page.$eval(".time input.number", (field) => Number(field.value));

/** Faults that axe finds and calls serious. */
export async function axe(page) {
  const require = createRequire(import.meta.url);
  // Its text is put in by the debugger: the policy of the page allows no other way.
  const source = (await import("node:fs")).readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter((one) => ["serious", "critical"].includes(one.impact)).map((one) => `${one.id}: ${one.nodes.map((node) => node.html).slice(0, 4).join(" | ")}`);
}
