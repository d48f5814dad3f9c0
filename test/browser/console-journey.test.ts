// The console by the keyboard alone: two people look at one world, and the server goes away and comes back.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, expect, it } from "vitest";
import type { World } from "../../src/index.ts";
import { inBrowser } from "./browser-kit.ts";
import { openFirst, pressScreen, tabTo } from "./keyboard.ts";
import { bookSeats } from "./requests.ts";

/** Out of a field, then by "g" and the key of a screen. */
async function go(page: Page, screen: string): Promise<void> {
  await page.keyboard.press("Escape");
  await pressScreen(page, screen);
}

/** By "g" and the key of a screen, then "/" and words, to the first line of its list. */
async function choose(page: Page, screen: string, words: string): Promise<void> {
  await go(page, screen);
  await page.locator("input[type=search]").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(words);
  await openFirst(page, words);
}

inBrowser("The console, by the keyboard alone", (kit) => {
  const opened = async (world: World, screen = "timeline") => {
    const page = await kit.open(`/_sandbox/ui/${screen}?world=${world.id}`, { refusals: true });
    await page.getByText("live", { exact: true }).waitFor();
    return page;
  };

  it("shows two people the same world", async () => {
    const world = await kit.sandbox.world();
    const [anna, bo] = [await opened(world), await opened(world)];
    await choose(anna, "a", "cancelEvent");
    await tabTo(anna, /^event_id/);
    await anna.keyboard.type("evt-morning");
    await anna.keyboard.press("Enter");
    await anna.getByRole("status").getByText("event cancelled").waitFor();
    await bo.getByText("cancelEvent").first().waitFor();
  });
});

const folder = mkdtempSync(join(tmpdir(), "console-"));
afterAll(() => rmSync(folder, { recursive: true }));

inBrowser(
  "The console of a sandbox with a data file",
  (kit) => {
    it("shows what happened before a restart", async () => {
      await kit.sandbox.act("cancelBooking", { booking_id: "bkg-evening" });
      await kit.whileStopped(async () => undefined);
      const page = await kit.open("/_sandbox/ui");
      await page.getByText("cancelBooking").first().waitFor();
    });
  },
  { data: join(folder, "world.json") },
);

inBrowser("The console of a sandbox that stops", (kit) => {
  it("reports a stopped sandbox, and continues when another is started", async () => {
    const page = await kit.open("/_sandbox/ui", { refusals: true, outage: true });
    await page.getByText("live", { exact: true }).waitFor();
    await bookSeats(kit.sandbox);
    const countBookings = () => page.getByRole("link", { name: /createBooking/ }).count();
    await expect.poll(countBookings).toBe(1);
    await kit.whileStopped(async () => {
      await page.getByText(/is unreachable/).waitFor();
    });
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByText(/is unreachable/).waitFor({ state: "detached" });
    // What the sandbox before it did is not shown as done by this one.
    await expect.poll(countBookings).toBe(0);
    await bookSeats(kit.sandbox);
    await expect.poll(countBookings).toBe(1);
  });

  it("reports a stopped sandbox once per screen without claims about data, and fills the screen when another starts", async () => {
    const home = await kit.open("/_sandbox/ui", { refusals: true, outage: true });
    await home.getByText("live", { exact: true }).waitFor();
    await bookSeats(kit.sandbox);
    const filled: Record<string, (tab: Page) => Locator> = {
      s: (tab) => tab.getByRole("article"),
      a: (tab) => tab.getByRole("link", { name: "cancelBooking" }),
      r: (tab) => tab.getByRole("link", { name: /^bkg-evening/ }),
      f: (tab) => tab.getByLabel(/^operation/),
      v: (tab) => tab.getByText("No verdicts yet."),
      o: (tab) => tab.getByRole("rowheader", { name: /^default/ }),
    };
    const tabs: [Page, string][] = [];
    for (const screen of Object.keys(filled)) {
      const tab = await home.context().newPage();
      await tab.goto(home.url());
      await tab
        .getByRole("link", { name: /createBooking/ })
        .first()
        .waitFor();
      tabs.push([tab, screen]);
    }
    await kit.whileStopped(async () => {
      await Promise.all(
        tabs.map(async ([tab, screen]) => {
          await tab.getByText(/is unreachable/).waitFor();
          await pressScreen(tab, screen);
          // Longer than it takes to find out that nobody answers.
          await tab.waitForTimeout(500);
          const text = await tab.getByRole("main").innerText();
          expect(text.match(/is unreachable/g)).toHaveLength(1);
          expect(text).not.toMatch(/No verdicts|last 0|No entry found|There is no|world has no/);
        }),
      );
    });
    await Promise.all(tabs.map(([tab, screen]) => filled[screen]?.(tab).first().waitFor()));
  });
});
