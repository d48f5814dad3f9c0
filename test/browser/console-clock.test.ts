// The clock, the worlds and the comparison of two moments in the console.
import { expect, it } from "vitest";
import { inBrowser } from "./browser-kit.ts";
import { callControl, readRecord } from "./requests.ts";

inBrowser("The clock", (kit) => {
  it("moves forward and back with the keyboard, after a confirmation", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui/clock?world=${world.id}`);
    // The key leads to what falls due, which has to be known.
    await page.getByRole("button", { name: "Move to next" }).waitFor();
    await kit.mustBeAccessible(page);
    await page.keyboard.press("n");
    await page.getByText("Up to the handle:").waitFor();
    await page.getByRole("slider", { name: "Instant" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Move clock" }).focus();
    await kit.mustBeAccessible(page);
    expect(await world.clock.now()).toBe("2030-06-01T09:00:00.000Z");
    await page.keyboard.press("Enter");
    const receipt = page.getByRole("status", { name: "Receipt" });
    const line = receipt.getByRole("listitem").first();
    // By the clocks of where it takes place, and by what it is called.
    await expect
      .poll(() => line.innerText())
      .toBe(
        [
          ...["2030-06-01 11:11", "checkout lapses", "Bo Lund · 2030-06-01 19:00 · Canal tour"],
          "order.updated, order.cancelled, booking.lapsed",
        ].join("\n"),
      );
    await expect
      .poll(() => line.locator("time").getAttribute("title"))
      .toBe("Europe/Copenhagen; 2030-06-01T09:11:00.000Z");
    expect(await world.clock.now()).not.toBe("2030-06-01T09:00:00.000Z");

    await world.act("cancelBooking", { booking_id: "bkg-evening" });
    await page.getByText(/booking cancelled: /).waitFor();
    await page
      .getByRole("button", { name: /^Rewind … right after/ })
      .first()
      .focus();
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Rewind", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByText(/undone, .* put back/).waitFor();
    const status = async () => (await readRecord<{ status: string }>(world, "bookings", "bkg-evening")).status;
    expect(await status()).toBe("ACTIVE");
    await page.getByRole("button", { name: "Undo this" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(status).toBe("CANCELLED");
  });

  it("lists what happened to its deliveries, page by page", async () => {
    const world = await kit.sandbox.world({ webhookUrl: "http://127.0.0.1:9/" });
    const consent = (at: number) => ({
      full_name: `Guest ${at}`,
      email: `guest-${at}@example.com`,
      source: "checkout",
    });
    await world.act("cancelBooking", { booking_id: "bkg-evening" });
    for (let at = 0; at < 200; at++) await world.act("submitConsent", consent(at));
    await world.clock.advance("PT1H");
    const page = await kit.open(`/_sandbox/ui/clock?world=${world.id}`);
    const behind = page.getByRole("region", { name: "Past changes" });
    const [lines, older] = [behind.getByRole("listitem"), behind.getByRole("button", { name: "Load older changes" })];
    const cancelled = lines.filter({ hasText: /booking.cancelled/ });
    await older.waitFor();
    // Deliveries have no line of their own; the move of the clock makes several of the changes.
    expect(await lines.filter({ hasText: "marketing" }).count()).toBeGreaterThan(150);
    expect(await cancelled.count()).toBe(0);
    await older.click();
    // Attempted at once and again in the hour.
    await cancelled.filter({ hasText: /[1-9]\d* deliveries/ }).waitFor();
    await lines.filter({ hasText: "the world was made" }).waitFor();
    expect(await older.count()).toBe(0);
    // A rewind to right after the change keeps its deliveries, so that none is sent again.
    type Changes = { items: { until: { seq: number }; cause: { kind: string } }[] };
    const { items } = await callControl<Changes>(world, "GET", "history?fold=true&limit=500");
    const change = items.find(({ cause }) => cause.kind === "act");
    const rewind = page.waitForRequest(/\/_sandbox\/rewind/);
    await cancelled.getByRole("button").click();
    await page.getByRole("dialog").getByRole("button", { name: "Rewind", exact: true }).click();
    expect((await rewind).postDataJSON()).toEqual({ to: String(change?.until.seq) });
    await page.getByText(/undone, .* put back/).waitFor();
  });

  it("rewinds to before the first action", async () => {
    const world = await kit.sandbox.world();
    await world.act("cancelBooking", { booking_id: "bkg-evening" });
    const page = await kit.open(`/_sandbox/ui/clock?world=${world.id}`);
    const behind = page.getByRole("region", { name: "Past changes" });
    const first = behind.getByRole("listitem").filter({ hasText: "the world was made" });
    await first.getByRole("button", { name: "Rewind … before these changes" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rewind", exact: true }).click();
    await page.getByText(/undone, .* put back/).waitFor();
    expect(await readRecord(world, "bookings", "bkg-evening")).toMatchObject({ status: "ACTIVE" });
  });

  it("moves one step per arrow key, on each of its scales", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui/clock?world=${world.id}`);
    const [slider, field] = [page.getByRole("slider", { name: "Instant" }), page.getByLabel("Move to this instant")];
    for (const [span, after] of [
      ["1 day", "2030-06-01 09:02:00"],
      ["1 week", "2030-06-01 09:14:00"],
      ["1 month", "2030-06-01 10:00:00"],
      ["1 year", "2030-06-01 21:10:00"],
    ] as const) {
      await page.getByRole("button", { name: span }).click();
      await slider.focus();
      for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key);
      await expect.poll(() => field.inputValue()).toBe(after);
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("ArrowLeft");
      await page.getByText("now", { exact: true }).waitFor();
    }
  });

  it("keeps the instant that you type while a clock runs", async () => {
    const world = await kit.sandbox.world();
    await world.clock.run();
    const page = await kit.open(`/_sandbox/ui/clock?world=${world.id}`);
    const field = page.getByLabel("Move to this instant");
    const time = page.getByRole("main").getByText(/^2030-06-01 \d\d:\d\d:\d\d UTC$/);
    const untilNext = async () => {
      const before = await time.textContent();
      await expect.poll(() => time.textContent()).not.toBe(before);
    };
    await field.focus();
    await page.keyboard.insertText("2030-06-0");
    await untilNext();
    expect(await field.inputValue()).toBe("2030-06-0");
    await field.pressSequentially("2");
    expect(await field.inputValue()).toBe("2030-06-02");
  });

  it("rejects an invalid instant in one sentence", async () => {
    const page = await kit.open("/_sandbox/ui/clock");
    const field = page.getByLabel("Move to this instant");
    const refusal = () =>
      field.evaluate((input) => (input as unknown as { validationMessage: string }).validationMessage);
    for (const text of ["tomorrow", "2030-13-01"]) {
      await field.fill(text);
      await page.keyboard.press("Enter");
      expect(await refusal()).toBe("Write an instant such as 2030-06-02 09:00.");
    }
    expect(await page.getByRole("dialog").count()).toBe(0);
    await field.fill("2030-06-02 09:00");
    expect(await refusal()).toBe("");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
  });

  it("advances and rewinds a fork, and leaves the world unchanged", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui/clock?world=${world.id}`);
    await page.getByLabel("Move to this instant").fill("2030-06-02 09:00");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Move a fork" }).click();
    await page.getByText(/^This is the fork w-/).waitFor();
    await expect.poll(() => page.url()).not.toContain(world.id);
    expect(await world.clock.now()).toBe("2030-06-01T09:00:00.000Z");
    await page.getByLabel("Move to this instant").fill("2030-06-01 23:00");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Rewind a fork" }).click();
    await page
      .getByRole("main")
      .getByText(/^2030-06-01 \d\d:\d\d:\d\d UTC$/)
      .waitFor();
  });
});

inBrowser("The worlds", (kit) => {
  it("are a tree of forks, with snapshots, and with credentials on request", async () => {
    const page = await kit.open("/_sandbox/ui/worlds");
    await page.getByRole("button", { name: "Fork default" }).click();
    await page.getByRole("row", { name: /^w-/ }).waitFor();
    await page.getByLabel("Save snapshot").fill("fresh");
    await page.keyboard.press("Enter");
    await page.getByRole("row", { name: /^fresh/ }).waitFor();
    expect(await page.getByText(kit.sandbox.credentials.clientSecret).count()).toBe(0);
    await page.getByRole("button", { name: "Show secrets" }).click();
    await page.getByRole("button", { name: "Copy as environment" }).waitFor();
    await kit.mustBeAccessible(page);
  });

  it("shows the same instant in both places while it runs", async () => {
    const world = await kit.sandbox.world();
    await world.clock.run();
    const page = await kit.open(`/_sandbox/ui/clock?world=${world.id}`);
    await page.getByText("Running in real time").waitFor();
    const both = () =>
      page.evaluate<string[]>(
        `["header .clock time", "main .bar strong"].map((at) => document.querySelector(at).innerText.slice(-12, -4))`,
      );
    const began = await both();
    // Up to the next answer of the sandbox, four seconds from the last, it is the page that goes on.
    await expect.poll(async () => Number((await both())[0]?.slice(-2))).not.toBe(Number(began[0]?.slice(-2)));
    // Each place has a timer of its own, so that one may be drawn a moment before the other.
    await expect.poll(async () => new Set(await both()).size, { timeout: 5_000, interval: 20 }).toBe(1);
  });

  it("report how many entries were dropped if none remains", async () => {
    const page = await kit.open("/healthz");
    await page.route(/_sandbox\/history\?|_sandbox\/history$/, async (route) => {
      const response = await route.fetch();
      const { kept } = (await response.json()) as { kept: object };
      await route.fulfill({ response, json: { items: [], kept: { ...kept, dropped: 1 } } });
    });
    await page.goto(`${kit.sandbox.url}/_sandbox/ui/clock`);
    await page.getByText("1 earlier entry is no longer kept").waitFor();
    expect(await page.getByText("Nothing has changed").count()).toBe(0);
  });

  it("are compared at two points in time", async () => {
    const world = await kit.sandbox.world();
    await world.act("updateBooking", { booking_id: "bkg-evening", metadata: { table: "4" } });
    await world.act("cancelBooking", { booking_id: "bkg-evening" });
    const page = await kit.open(`/_sandbox/ui/compare?world=${world.id}`);
    await page.getByRole("link", { name: "To the record bkg-evening" }).waitFor();
    expect(await page.getByText("setup", { exact: true }).count()).toBe(0);
    await kit.mustBeAccessible(page);
    // Under the last of its causes, with the one before.
    await page.getByRole("region", { name: /^act-/ }).getByText("Also changed by updateBooking").first().waitFor();
    await page.getByLabel("From").fill("now");
    await page.keyboard.press("Enter");
    await page.getByText("No differences.").waitFor();
  });
});
