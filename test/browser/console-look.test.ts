// How the console looks: every screen is held against a coarse picture of itself, breaks no rule of accessibility in both themes and on
// a phone, and never scrolls sideways. After a change that is meant: `npm run docs:pictures`, look at dist/.pictures/, commit.
import { mkdirSync, writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { extent } from "../extent.ts";
import { inBrowser } from "./browser-kit.ts";
import { difference, gridOf } from "./look/grid.ts";
import { hasTexts, heldOf, nameOf, referencesOf, type Shot, textsReferenceOf } from "./look/references.ts";
import { SCENES, show } from "./look/scenes.ts";
import { openSteady, type Stage, setStage, shoot } from "./look/stage.ts";
import { textsDiffering, textsOf } from "./look/texts.ts";
import { STATES } from "./look/worlds.ts";

const hasAll = extent(true, false, true);
const others = STATES.filter((state) => state !== "usual");
/** In CI the usual world in each width in one of the themes, and one of the other worlds, in turn. */
const isTried = ({ state, theme, width }: Shot, at: number) =>
  hasAll || ((width === 900) === (theme === "light") && (state === "usual" || state === others[at % others.length]));

/** Another font changes at most 0.5 % of the parts, another state of a screen mostly 4 to 25 %. */
const TOLERANCE = 0.02;

inBrowser("A screen of the console looks as it did:", (kit) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage(kit);
  });
  afterAll(() => stage.close());

  it.each(SCENES.map((scene, at) => [scene.name, scene, at] as const))("%s", async (_, scene, at) => {
    const page = await openSteady(kit, stage);
    const references = referencesOf(scene);
    const differing: string[] = [];
    for await (const [shot, png] of shoot(page, kit, {
      scene,
      stage,
      shots: heldOf(scene).filter((shot) => isTried(shot, at)),
    })) {
      const name = nameOf(shot);
      const far = difference(await gridOf(page, png), references.get(name) ?? "");
      if (far > TOLERANCE) {
        const file = `dist/.pictures/differing-${scene.name}-${name.replaceAll(" ", "-")}.png`;
        mkdirSync("dist/.pictures", { recursive: true });
        writeFileSync(file, png);
        differing.push(`${name}: ${(far * 100).toFixed(1)} % of the picture, which is ${file}`);
      }
      if (hasTexts(shot, scene)) differing.push(...textsDiffering(await textsOf(page), textsReferenceOf(scene)));
      expect(await sideways(page), `${name} scrolls sideways`).toBe(0);
      // On a phone in both themes; wide, where the colours are the same, in one, and by hand.
      if (name === "usual dark 390") await kit.mustBeAccessible(page);
      if (name === "usual dark 1440" && hasAll) await kit.mustBeAccessible(page, ["dark"]);
    }
    expect(differing).toEqual([]);
  });

  it.each([
    [
      "a label that is another one",
      "document.querySelector('main .field-label, main legend, main h2').textContent = 'Other'",
    ],
    ["a block that has moved", "document.querySelector('main h2').style.marginTop = '40px'"],
  ])("and sees %s on every screen", async (_, change) => {
    const page = await openSteady(kit, stage, { width: 900, height: 800 });
    const unnoticed: string[] = [];
    for (const scene of SCENES.filter(({ name }) => ["acts", "assumptions", "faults", "clock"].includes(name))) {
      await show(page, kit.sandbox.url, scene, stage.worlds.usual);
      await page.evaluate(change);
      if (textsDiffering(await textsOf(page), textsReferenceOf(scene)).length === 0) unnoticed.push(scene.name);
    }
    expect(unnoticed).toEqual([]);
  });
});

const sideways = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollWidth - innerWidth");
