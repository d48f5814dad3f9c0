// How the console looks: every screen is held against a coarse picture of itself, breaks no rule of accessibility in both themes and on
// a phone, and never scrolls sideways. After a change that is meant: `npm run docs:pictures`, look at dist/.pictures/, commit.
import { mkdirSync, writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inBrowser } from "./browser-kit.ts";
import { difference, gridOf } from "./look/grid.ts";
import { HELD, nameOf, referencesOf } from "./look/references.ts";
import { SCENES } from "./look/scenes.ts";
import { openSteady, type Stage, setStage, shoot } from "./look/stage.ts";

/** Another font changes at most 0.5 % of the parts, another state of a screen mostly 4 to 25 %. */
const TOLERANCE = 0.02;

inBrowser("A screen of the console looks as it did:", (kit) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage(kit);
  });
  afterAll(() => stage.close());

  it.each(SCENES.map((scene) => [scene.name, scene] as const))("%s", async (_, scene) => {
    const page = await openSteady(kit, stage);
    const references = referencesOf(scene);
    const differing: string[] = [];
    for (const shot of HELD) {
      const png = await shoot(page, kit, { scene, shot, stage });
      const name = nameOf(shot);
      const far = difference(await gridOf(page, png), references.get(name) ?? "");
      if (far > TOLERANCE) {
        const file = `dist/.pictures/differing-${scene.name}-${name.replaceAll(" ", "-")}.png`;
        mkdirSync("dist/.pictures", { recursive: true });
        writeFileSync(file, png);
        differing.push(`${name}: ${(far * 100).toFixed(1)} % of the picture, which is ${file}`);
      }
      expect(await sideways(page), `${name} scrolls sideways`).toBe(0);
      if (shot.state === "usual" && shot.theme === "light" && shot.width !== 900) await kit.mustBeAccessible(page);
    }
    expect(differing).toEqual([]);
  });
});

const sideways = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollWidth - innerWidth");
