// Pictures of the page, to be looked at: `node tests/shots.mjs FOLDER [TABLE..]`.

import { axe, launch, open, ready, serve } from "./browser.mjs";

const [folder, ...tables] = process.argv.slice(2);
const browser = await launch();
for (const table of tables.length ? tables : ["scenarios/stand/table.ron", "scenarios/hoop/table.ron"]) {
  const server = serve(table);
  const address = await server.address;
  const name = table.split("/")[1];
  for (const [width, height, dark, language] of [[1280, 800, false, "en"], [1280, 800, true, "ru"], [800, 1000, false, "en"], [390, 844, false, "ru"]]) {
    const { page, context, faults } = await open(browser, address, { width, height, dark, hash: `#lang=${language}` });
    await ready(page);
    await page.screenshot({ path: `${folder}/${name}-${width}${dark ? "-dark" : ""}.png`, fullPage: width < 1100 });
    console.log(name, width, dark, faults, await axe(page));
    await context.close();
  }
  server.stop();
}
await browser.close();
