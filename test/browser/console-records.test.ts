// Records, the ledger and the calendar in the console: found by the keyboard, followed from one to the other, and as they came to be.
import { expect, it } from "vitest";
import { withConsents } from "../many-records.ts";
import { inBrowser } from "./browser-kit.ts";
import { openFirst, pressScreen } from "./keyboard.ts";
import { bookSeats, callControl } from "./requests.ts";

/** Of each line with such a name: where the first date stands, and whether it reads from left to right. */
const DATES = `[...document.querySelectorAll("main li")].filter((line) => /\u05d3|\u202e/.test(line.textContent)).slice(-2).map((line) => {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const letters = [];
  while (walker.nextNode())
    for (let at = 0; at < walker.currentNode.length; at++) {
      const range = document.createRange();
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + 1);
      letters.push({ text: walker.currentNode.data[at], left: range.getBoundingClientRect().left });
    }
  const text = letters.map((letter) => letter.text).join("");
  const name = text.search(/\u05d3|Dana/);
  const date = letters.slice(name).slice(text.slice(name).search(/ \u00b7 2030-/) + 3).slice(0, 16);
  const isInOrder = date.every(({ left }, at) => at === 0 || left > date[at - 1].left);
  const nameEnds = Math.max(...letters.slice(name, name + 3).map(({ left }) => left));
  return isInOrder && date[0].left > nameEnds ? "after its name" : date.map((letter) => letter.text + Math.round(letter.left)).join(" ");
})`;

inBrowser("Records in the console", (kit) => {
  it("are found with the keyboard, and shown as stored, as in API responses, and with their history", async () => {
    const world = await kit.sandbox.world();
    await world.act("updateBooking", { booking_id: "bkg-026", internal_note: "Late" });
    await world.act("cancelBooking", { booking_id: "bkg-026" });
    const page = await kit.open(`/_sandbox/ui?world=${world.id}`, { refusals: true });
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    await pressScreen(page, "r");
    await page.getByRole("link", { name: "bkg-048" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("molly");
    await expect.poll(() => page.getByRole("list", { name: "bookings" }).getByRole("link").count()).toBe(1);
    await openFirst(page, "bkg-026");
    await page.getByRole("heading", { name: "bkg-026" }).waitFor();
    await page.getByText('"internal_note"').or(page.getByText('"order_id"')).first().waitFor();
    await page.getByRole("button", { name: "API response" }).click();
    await page.getByText("getBooking").waitFor();
    await page.getByRole("button", { name: "History" }).click();
    await page.getByText("CANCELLED", { exact: true }).last().waitFor();
    await page.locator(".history > li").first().getByRole("link", { name: "cancelBooking" }).waitFor();
    await kit.mustBeAccessible(page);
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await page.getByRole("link", { name: "exp-canal", exact: true }).click();
    await page.getByRole("heading", { name: "exp-canal" }).waitFor();
    await expect.poll(() => page.url()).toContain("/records/experiences/exp-canal");
    await kit.mustBeAccessible(page);
  });

  it("are reported as none in the console's own words", async () => {
    const page = await kit.open("/_sandbox/ui/records/bookings/bkg-none", { refusals: true });
    await page.getByRole("alert").getByText("no record bkg-none").waitFor();
    expect(await page.getByRole("alert").textContent()).not.toContain("GET /");
    await page.getByLabel("Find in bookings").fill("nobody-has-this");
    await page.getByText("No record of bookings has “nobody-has-this”.").waitFor();
  });

  it("are searched to the first match, and reported as none only after all were searched", async () => {
    const world = await kit.sandbox.world({ fixture: "empty" });
    await withConsents(kit.sandbox.url, world.id, 10_500);
    const page = await kit.open(`/_sandbox/ui/records/consents?world=${world.id}`);
    const lines = page.getByRole("list", { name: "consents" }).getByRole("link");
    const status = page.getByRole("status").filter({ hasText: "were searched" });
    await page.getByLabel("Find in consents").fill("guest-03000");
    await expect.poll(() => lines.allTextContents()).toEqual([expect.stringContaining("Guest 03000")]);
    await page.getByLabel("Find in consents").fill("guest-00000");
    const searched = "10000 of 10500 records were searched, none has “guest-00000”. Select “More” to continue.";
    await expect.poll(() => status.textContent()).toBe(searched);
    expect(await page.getByText("No record of consents").count()).toBe(0);
    await kit.mustBeAccessible(page);
    await page.getByRole("button", { name: "More" }).click();
    await expect.poll(() => lines.allTextContents()).toEqual([expect.stringContaining("Guest 00000")]);
    expect(await status.count()).toBe(0);
    await page.getByLabel("Find in consents").fill("nobody-has-this");
    await page.getByText("No record of consents has “nobody-has-this”.").waitFor();
  });

  it("are searched with Find up to the reported point", async () => {
    const world = await kit.sandbox.world({ fixture: "empty" });
    await withConsents(kit.sandbox.url, world.id, 5_500);
    const page = await kit.open(`/_sandbox/ui/timeline?world=${world.id}&find=guest-01000`);
    await page.getByRole("list", { name: "Found" }).getByText("Guest 01000").waitFor();
    await page.getByRole("dialog").getByRole("searchbox").fill("guest-00100");
    await page.getByRole("link", { name: "consents: only the newest 5000 of 5500 were searched" }).waitFor();
    expect(await page.getByText("Nothing has").count()).toBe(0);
    await kit.mustBeAccessible(page);
    await page.getByRole("link", { name: "only the newest 5000" }).click();
    await expect.poll(() => page.getByLabel("Find in consents").inputValue()).toBe("guest-00100");
  });

  it("show dates unchanged next to a name with right-to-left script", async () => {
    const world = await kit.sandbox.world();
    // Hebrew letters; and a mark that turns what follows it.
    for (const name of ["\u05d3\u05e0\u05d4", "\u202eDana"])
      expect((await bookSeats(world, { name, quantity: 1 })).status).toBe(201);
    const page = await kit.open(`/_sandbox/ui?world=${world.id}`, { height: 6000 });
    for (const screen of ["timeline", "records/bookings", "records/tickets", "webhooks"]) {
      await page.goto(`${kit.sandbox.url}/_sandbox/ui/${screen}?world=${world.id}`);
      // A list of tickets need not have both in sight.
      const found = async () => [...new Set(await page.evaluate<string[]>(DATES))];
      await expect.poll(found, { message: screen }).toEqual(["after its name"]);
    }
  });

  it("add up to T-accounts whose identities hold", async () => {
    const page = await kit.open("/_sandbox/ui/records/ledger", { refusals: true });
    await page.getByText("BOOKING_PREPAYMENT").first().waitFor();
    await expect.poll(() => page.getByText("holds", { exact: true }).count()).toBe(2);
    const payments = page.getByRole("table", { name: "PAYMENT DKK", exact: true });
    expect(await payments.locator("tfoot").textContent()).toMatch(/^Balance [\d,.]+ debit$/);
    const orders = await callControl<{ items: [{ number: string }] }>(kit.sandbox, "GET", "records/orders?limit=1");
    const [{ number }] = orders.items;
    await page.getByLabel("Of one order").fill(number);
    await page.getByLabel("Of one order").press("Enter");
    await page.getByRole("heading", { name: `Order ${number}` }).waitFor();
    await page.getByText("left in prepayment DKK").waitFor();
    await kit.mustBeAccessible(page);
  });
});

inBrowser("The calendar in the console", (kit) => {
  it("is navigated with the keyboard, and shows what is sold and the night of the clock change", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui/calendar?world=${world.id}`, { refusals: true });
    await page.getByRole("heading", { name: "2030-05-27 – 2030-06-02" }).waitFor();
    await page.getByRole("link", { name: "19:00–20:30" }).first().waitFor();
    await kit.mustBeAccessible(page);
    await page.keyboard.press("u");
    await page.getByRole("link", { name: "17:00–18:30" }).first().waitFor();
    await page.keyboard.press("u");
    await page.keyboard.press("l");
    await page.getByRole("heading", { name: "2030-06-03 – 2030-06-09" }).waitFor();
    await page.goto(`${kit.sandbox.url}/_sandbox/ui/calendar?world=${world.id}&week=2030-10-21`);
    await page.getByText("03:00 → 02:00, 25 h").waitFor();
    await page.keyboard.press("n");
    await page.getByRole("heading", { name: "2030-05-27 – 2030-06-02" }).waitFor();
    await page.getByRole("link", { name: "14:00–15:30 5/30" }).first().click();
    await page.getByRole("region", { name: /^evt-/ }).waitFor();
  });

  it("follows changes in the world", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui/calendar?world=${world.id}`, { refusals: true });
    const evening = page.locator('a[href*="events/evt-evening"]');
    await evening.waitFor();
    await world.act("lockEvent", { event_id: "evt-evening", booking_id: "bkg-evening" });
    await evening.getByText("locked").waitFor();
  });
});
