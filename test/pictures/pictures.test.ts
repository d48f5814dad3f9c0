// Takes the pictures of the console: those that the documents show, all others for somebody to look at (dist/.pictures/), and the coarse
// ones that the browser tests hold the screens against. Whatever changes a screen: `npm run docs:pictures`, and look at them.
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inBrowser } from "../browser/browser-kit.ts";
import { gridOf } from "../browser/look/grid.ts";
import { hasTexts, heldOf, nameOf, shotsOf, writeReferences, writeTexts } from "../browser/look/references.ts";
import { SCENES, show } from "../browser/look/scenes.ts";
import { openSteady, type Stage, setStage, shoot } from "../browser/look/stage.ts";
import { textsOf } from "../browser/look/texts.ts";

const pictures = fileURLToPath(new URL("../../docs/pictures", import.meta.url));
const all = fileURLToPath(new URL("../../dist/.pictures", import.meta.url));
const MOST_BYTES = 1_500_000;
const SIZE = { width: 1180, height: 660 };
/** No document shows these. */
const UNDOCUMENTED = ["bookings", "messages", "find", "docs"];

inBrowser("The pictures of the console", (kit) => {
  let stage: Stage;
  beforeAll(async () => {
    for (const folder of [pictures, all]) mkdirSync(folder, { recursive: true });
    stage = await setStage(kit);
  });
  afterAll(() => stage.close());

  it.each(SCENES.map((scene) => [scene.name, scene] as const))("are taken of %s", async (name, scene) => {
    const page = await openSteady(kit, stage);
    const grids = new Map<string, string>();
    const held = heldOf(scene);
    for await (const [shot, png] of shoot(page, kit, { scene, stage, shots: shotsOf(scene) })) {
      await writeFile(join(all, `${name}-${nameOf(shot).replaceAll(" ", "-")}.png`), png);
      if (held.includes(shot)) grids.set(nameOf(shot), await gridOf(page, png));
      if (hasTexts(shot, scene)) writeTexts(scene, await textsOf(page));
    }
    writeReferences(scene, grids);
    if (UNDOCUMENTED.includes(name)) return;
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.setViewportSize(SIZE);
    await show(page, kit.sandbox.url, scene, stage.worlds.usual);
    await page.screenshot({ path: join(pictures, `${name}.png`) });
  });

  it("are small", () => {
    const sizes = readdirSync(pictures)
      .filter((name) => name.endsWith(".png"))
      .map((name) => statSync(join(pictures, name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
  });
});
