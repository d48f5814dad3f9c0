// Records, the ledger and the calendar in the console: found by the keyboard, followed from one to the other, and as they came to be.
import { expect, it } from "vitest";
import { inBrowser } from "./browser-kit.ts";
import { openFirst, pressScreen } from "./keyboard.ts";

inBrowser("Records in the console", (kit) => {
  it("are found by the keyboard, as they are kept, as the API answers them, and as they came to be", async () => {
    const world = await kit.sandbox.world();
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
    await page.getByRole("button", { name: "As the API answers" }).click();
    await page.getByText("getBooking").waitFor();
    await page.getByRole("button", { name: "History" }).click();
    await page.getByText("CANCELLED", { exact: true }).last().waitFor();
    await page.locator(".history").getByRole("link", { name: "cancelBooking" }).waitFor();
    await kit.mustBeAccessible(page);
    await page.getByRole("button", { name: "As it is kept" }).click();
    await page.getByRole("link", { name: "exp-canal", exact: true }).click();
    await page.getByRole("heading", { name: "exp-canal" }).waitFor();
    await expect.poll(() => page.url()).toContain("/records/experiences/exp-canal");
    await kit.mustBeAccessible(page);
  });

  it("say when there is none, in words of the console", async () => {
    const page = await kit.open("/_sandbox/ui/records/bookings/bkg-none", { refusals: true });
    await page.getByRole("alert").getByText("no record bkg-none").waitFor();
    expect(await page.getByRole("alert").textContent()).not.toContain("GET /");
    await page.getByLabel("Find in bookings").fill("nobody-has-this");
    await page.getByText("No record of bookings has “nobody-has-this”.").waitFor();
  });

  it("add up to T-accounts whose identities hold", async () => {
    const page = await kit.open("/_sandbox/ui/records/ledger", { refusals: true });
    await page.getByText("BOOKING_PREPAYMENT").first().waitFor();
    await expect.poll(() => page.getByText("holds", { exact: true }).count()).toBe(2);
    const orders = await fetch(`${kit.sandbox.url}/_sandbox/records/orders?limit=1`);
    const [{ number }] = ((await orders.json()) as { items: [{ number: string }] }).items;
    await page.getByLabel("Of one order").fill(number);
    await page.getByLabel("Of one order").press("Enter");
    await page.getByRole("heading", { name: `Order ${number}` }).waitFor();
    await page.getByText("left in prepayment DKK").waitFor();
    await kit.mustBeAccessible(page);
  });
});

inBrowser("The calendar in the console", (kit) => {
  it("is moved in by the keyboard, shows what is sold, and the night on which the clocks move", async () => {
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

  it("follows what happens in the world", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui/calendar?world=${world.id}`, { refusals: true });
    const evening = page.locator('a[href*="events/evt-evening"]');
    await evening.waitFor();
    await world.act("lockEvent", { event_id: "evt-evening", booking_id: "bkg-evening" });
    await evening.getByText("locked").waitFor();
  });
});
