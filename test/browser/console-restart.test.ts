// The console of a server that goes away and comes back.
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { makeTempFolder } from "../temp-folder.ts";
import { inBrowser } from "./browser-kit.ts";
import { pressScreen } from "./keyboard.ts";
import { bookSeats } from "./requests.ts";

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
  { data: join(makeTempFolder(), "world.json") },
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

  it("shows the records of another sandbox that replaced the first between two polls", async () => {
    const page = await kit.open("/_sandbox/ui/records/bookings", { refusals: true, outage: true });
    await bookSeats(kit.sandbox, { name: "Zoe Quick" });
    const booking = page.getByRole("link", { name: /Zoe Quick/ });
    await booking.waitFor();
    let release = () => {};
    const restarted = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/_sandbox/, (route) => restarted.then(() => route.continue()));
    await kit.whileStopped(async () => undefined);
    release();
    await booking.waitFor({ state: "detached" });
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
