// Host actions, faults and assumptions in the console: done by the keyboard alone, refused at the field, tried in a fork, and undone.
import type { Locator } from "playwright-core";
import { expect, it } from "vitest";
import { inBrowser } from "./browser-kit.ts";
import { openFirst, pressScreen, tabTo } from "./keyboard.ts";
import { callControl, readRecord } from "./requests.ts";

inBrowser("Host actions in the console", (kit) => {
  it("are found and run with the keyboard only", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui?world=${world.id}`, { refusals: true });
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    await pressScreen(page, "a");
    await page.getByLabel("Filter acts").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("cancelBook");
    await expect.poll(() => page.getByRole("list", { name: "Acts" }).getByRole("link").count()).toBe(1);
    await openFirst(page, "cancelBooking");
    await page.getByRole("heading", { name: "cancelBooking" }).waitFor();
    await tabTo(page, /^booking_id/);
    await page.keyboard.type("bkg-no");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("There is no booking bkg-no.").waitFor();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("bkg-026");
    await page.getByText("sandbox act cancelBooking --set booking_id=bkg-026").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("Done:").waitFor();
    await page.getByText("booking cancelled: ").getByRole("link").click();
    await page.getByRole("heading", { name: "bkg-026" }).waitFor();
    await expect.poll(() => page.url()).toContain(`/records/bookings/bkg-026?world=${world.id}`);
  });

  it("offer valid values, show a rejection at its field, and keep the input in the address", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui/acts/bookAsHost?world=${world.id}`, { refusals: true });
    await page.getByLabel("event_id").fill("evt-evening");
    await page.getByRole("button", { name: "+ name" }).click();
    await page.getByLabel("name", { exact: true }).fill("Ida");
    await page.getByRole("button", { name: "Add to items" }).click();
    await page.getByLabel("type_id").focus();
    await expect.poll(() => page.locator('datalist option[value="var-adult"]').count()).toBe(1);
    await page.getByLabel("type_id").fill("var-adult");
    await page.getByLabel("item_type").selectOption("VARIANT");
    await page.getByLabel("quantity").fill("0");
    await page.getByRole("button", { name: "Perform act" }).click();
    await page.getByLabel("quantity").locator("..").getByRole("alert").getByText(">= 1").waitFor();
    await page.getByLabel("quantity").fill("2");
    await expect.poll(() => page.url()).toContain("quantity%22%3A2");
    await page.reload();
    await expect.poll(() => page.getByLabel("quantity").inputValue()).toBe("2");
    await kit.mustBeAccessible(page);
  });

  it("offer values that match the other fields, including records created since", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui/acts/startCheckout?world=${world.id}`);
    await page.getByRole("button", { name: "Add to items" }).click();
    const [event, type] = [page.getByLabel("event_id"), page.getByLabel("type_id")];
    const offered = (field: Locator) =>
      field.evaluate((input) =>
        [...((input as unknown as { list: { options: Iterable<{ value: string }> } }).list.options ?? [])].map(
          ({ value }) => value,
        ),
      );
    await type.focus();
    await event.fill("evt-evening");
    await type.focus();
    await expect.poll(() => offered(type)).toContain("var-adult");
    await event.fill("evt-hudson");
    await type.focus();
    await expect.poll(() => offered(type)).toContain("var-rower");
    expect(await offered(type)).not.toContain("var-adult");
    await event.fill("");
    await expect.poll(() => offered(event)).toContain("evt-evening");
    await type.focus();
    const sessions = [{ start_time: "2030-06-05T10:00:00", end_time: "2030-06-05T11:00:00" }];
    await world.act("createEvent", { id: "evt-made", experience_id: "exp-canal", capacity: 4, sessions });
    await event.focus();
    await expect.poll(() => offered(event)).toContain("evt-made");
  });

  it("are tried in a fork that is deleted afterwards", async () => {
    const world = await kit.sandbox.world();
    const input = encodeURIComponent(JSON.stringify({ booking_id: "bkg-026" }));
    const page = await kit.open(`/_sandbox/ui/acts/cancelBooking?world=${world.id}&input=${input}`, { refusals: true });
    const list = async (what: string) => (await callControl<{ items: [] }>(world, "GET", what)).items;
    const [before, logged] = [(await list("worlds")).length, await list("log")];
    await page.getByRole("button", { name: "Try in a fork first" }).click();
    await page.getByText("Succeeded in a fork.").waitFor();
    expect((await list("worlds")).length).toBe(before);
    expect(await list("log")).toEqual(logged);
    expect(await readRecord(world, "bookings", "bkg-026")).toMatchObject({ status: "ACTIVE" });
  });

  it("are not reported as tried if no fork could be created", async () => {
    const input = encodeURIComponent(JSON.stringify({ booking_id: "bkg-026" }));
    const page = await kit.open(`/_sandbox/ui/acts/cancelBooking?input=${input}`, { refusals: true });
    const message = "acme has 5 of 5 worlds, so it can't have another.";
    await page.route(/\/fork$/, (route) =>
      route.fulfill({
        status: 409,
        headers: { "sandbox-request-id": "req-1" },
        json: { code: "QUOTA_EXCEEDED", message },
      }),
    );
    await page.getByRole("button", { name: "Try in a fork first" }).click();
    await page.getByText(message, { exact: true }).waitFor();
    expect(await page.getByText("Failed in a fork.").count()).toBe(0);
  });

  it("have an accessible form with lists and choices", async () => {
    const page = await kit.open("/_sandbox/ui/acts/createExperience", { refusals: true });
    await page.getByRole("button", { name: "Use example" }).click();
    await page.getByLabel("name *").first().waitFor();
    await kit.mustBeAccessible(page);
  });
});

inBrowser("Faults in the console", (kit) => {
  it("are armed with the keyboard only, hit, and disarmed", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui?world=${world.id}`, { refusals: true });
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    await pressScreen(page, "f");
    await page.getByText("No fault is armed.").waitFor();
    await page.getByRole("button", { name: "+ status" }).waitFor();
    await tabTo(page, /^operation/);
    await page.keyboard.type("listEvents");
    await tabTo(page, /^\+ status/);
    await page.keyboard.press("Enter");
    await tabTo(page, /^times/);
    await page.keyboard.press("Tab");
    await page.keyboard.type("99");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("400").waitFor();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("503");
    await page.keyboard.press("Enter");
    await page.getByText("0 of 1").waitFor();
    await page.getByText("1 fault armed").waitFor();
    await kit.mustBeAccessible(page);
    await page.getByRole("button", { name: "Disarm listEvents: 503" }).click();
    await page.getByText("No fault is armed.").waitFor();
  });
});

inBrowser("Faults with long names in the console", (kit) => {
  it.each([390, 900])("keep hits and the button visible at a width of %i pixels", async (width) => {
    const world = await kit.sandbox.world();
    const name = "n".repeat(100);
    await world.faults.arm({ operation: "listEvents", status: 503, times: 2, name });
    const page = await kit.open(`/_sandbox/ui/faults?world=${world.id}`, { width });
    for (const each of [page.getByText("0 of 2"), page.getByRole("button", { name: `Disarm ${name}` })]) {
      const { x = 0, width: wide = width } = (await each.boundingBox()) ?? {};
      expect(x + wide).toBeLessThanOrEqual(width);
    }
    expect(await page.evaluate("document.scrollingElement.scrollWidth")).toBe(width);
    expect(await page.evaluate("document.querySelector('main').scrollWidth")).toBeLessThanOrEqual(width);
  });
});

inBrowser("Assumptions in the console", (kit) => {
  it("are found, overridden, shown in the top bar, and reset", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui?world=${world.id}`, { refusals: true });
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    await pressScreen(page, "u");
    await page.getByLabel("Filter assumptions").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("booking-create-status");
    await expect.poll(() => page.getByRole("list", { name: "Assumptions" }).getByRole("link").count()).toBe(1);
    await openFirst(page, "booking-create-status");
    await page.getByRole("heading", { name: "booking-create-status" }).waitFor();
    await page.getByRole("radio", { name: "201" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.getByText("1 override").waitFor();
    await page.getByText("current", { exact: true }).waitFor();
    await kit.mustBeAccessible(page);
    await page.getByRole("button", { name: "Overridden" }).click();
    await page.getByRole("radio", { name: "201" }).check();
    await page.getByText("No assumption is overridden.").waitFor();
    await page.getByText("1 override").waitFor({ state: "detached" });
  });
});
