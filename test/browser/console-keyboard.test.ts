// The console by the keyboard alone: whatever a mouse can press on any screen is reached by Tab, with a focus that is seen, and Tab leaves
// every screen again; the two small controls of a line in a list have keys instead. Dialogs are closed by Escape, and give the focus back.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inBrowser } from "./browser-kit.ts";
import { SCENES, show } from "./look/scenes.ts";
import { startReceiver } from "./look/stage.ts";
import { byDefaultWorld, type Pictured } from "./look/worlds.ts";

/** What can be pressed, typed into or chosen with a mouse. */
const CONTROLS = `[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=button], [tabindex='0']")]
  .filter((each) => !each.disabled && each.checkVisibility({ visibilityProperty: true }) && !each.closest("details:not([open]) > :not(summary)"))`;

/** No stops of the Tab: what has a key of its line (x, v), and of a group of radio buttons all but one, which the arrows move between. */
const WITH_OTHER_KEYS = `each.matches(".list li > :is(.fold, .pick)") ||
  (each.type === "radio" && document.querySelector("[data-reached][name='" + each.name + "']"))`;

/**
 * Called after each Tab: where the focus is, and whether that is seen. Of a long list the next lines are drawn in a frame to come, and a
 * hand is not so quick that it would be past them.
 */
const NEXT = `(async () => {
  const at = document.activeElement;
  if (!at || at === document.body) return "";
  at.dataset.reached = "";
  const line = at.closest(".list li");
  const isLast = () => !line.nextElementSibling && line.getAttribute("aria-posinset") !== line.getAttribute("aria-setsize");
  while (line?.isConnected && isLast()) await new Promise((drawn) => requestAnimationFrame(drawn));
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  const box = at.getBoundingClientRect();
  const inSight = box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight;
  const seen = outlineStyle !== "none" && parseFloat(outlineWidth) >= 1 && inSight;
  return seen ? "seen" : "unseen: " + at.outerHTML.slice(0, 120);
})()`;

const UNREACHED = `${CONTROLS}.filter((each) => !("reached" in each.dataset) && !(${WITH_OTHER_KEYS}))
  .map((each) => each.outerHTML.slice(0, 120))`;

const MOST_STOPS = 400;

/** By Tab through the whole page, until it is left. */
async function walk(page: Page): Promise<string[]> {
  const missed: string[] = [];
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    await page.keyboard.press("Tab");
    const met = await page.evaluate<string>(NEXT);
    if (met === "") return missed;
    if (met !== "seen") missed.push(met);
  }
  return [...missed, `Tab does not leave the page in ${MOST_STOPS} stops.`];
}

/** Without the page that is another's, and the box, which is walked through as a dialog. */
const SCREENS = SCENES.filter(({ name, isPage }) => !isPage && name !== "find");

inBrowser("By the keyboard", (kit) => {
  let byDefault: Pictured;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  beforeAll(async () => {
    receiver = await startReceiver();
    byDefault = await byDefaultWorld(kit.sandbox, receiver.url);
  });
  afterAll(() => receiver.close());

  it.each(SCREENS.map((scene) => [scene.name, scene] as const))(
    "every control is reachable and visible: %s",
    async (_, scene) => {
      const page = await kit.open("/healthz", { refusals: true });
      await show(page, kit.sandbox.url, scene, byDefault);
      // What has been read only after the Tab was past it is met the second time.
      const walked = async () => [...(await walk(page)), ...(await page.evaluate<string[]>(UNREACHED))];
      const first = await walked();
      expect(first.length === 0 ? first : await walked()).toEqual([]);
    },
  );

  const DIALOGS = [
    { title: "Keys", path: "timeline", opener: (page: Page) => page.getByRole("button", { name: "Keys" }) },
    { title: "Find", path: "timeline", opener: (page: Page) => page.getByRole("button", { name: "Find" }) },
    {
      title: "Save as scenario",
      path: "timeline",
      refused: "pick",
      opener: (page: Page) => page.getByRole("button", { name: "Save as scenario" }),
    },
    {
      title: "Edit and send again",
      path: "story",
      refused: "rest",
      opener: (page: Page) => page.getByRole("button", { name: "Edit and send again" }),
    },
    {
      title: /^Rewind to /,
      path: "clock",
      opener: (page: Page) => page.getByRole("button", { name: /^Rewind …/ }).first(),
    },
  ] as const;

  it.each(DIALOGS)(
    "a dialog opens with Enter, is navigated with the keyboard, closes with Escape, and returns the focus: $title",
    async (dialog) => {
      const refused = byDefault.refused ?? "";
      const where = "refused" in dialog ? { rest: `/${refused}?`, pick: `?pick=${refused}&` }[dialog.refused] : "?";
      const page = await kit.open(`/_sandbox/ui/${dialog.path}${where}world=usual`, { refusals: true });
      await dialog.opener(page).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: dialog.title }).waitFor();
      const met = new Set<boolean>();
      for (let stops = 0; stops < 20; stops++) {
        await page.keyboard.press("Tab");
        met.add(
          await page.evaluate<boolean>(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog')",
          ),
        );
      }
      expect([...met]).toEqual([true]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await expect.poll(() => dialog.opener(page).and(page.locator(":focus")).count()).toBe(1);
    },
  );
});
