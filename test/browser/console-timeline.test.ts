// The timeline and the story of the console: what happens is seen as it happens, and told to its end, with the keyboard alone.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { Entry } from "../../src/console/entries.ts";
import type { World } from "../../src/index.ts";
import { runHere } from "../cli/in-process.ts";
import { act, attempt, request } from "../console/entries.ts";
import { inBrowser } from "./browser-kit.ts";
import { bookSeats, callService } from "./requests.ts";

const book = (world: World, event: string, quantity: number) => bookSeats(world, { event, quantity });

/** Answers the page from a log, and counts how often. */
async function serveLog(page: Page, log: readonly Entry[]): Promise<() => number> {
  let pages = 0;
  await page.route(/_sandbox\/log\?/, (route) => {
    pages++;
    const { searchParams } = new URL(route.request().url());
    const since = Number(searchParams.get("since") ?? 0);
    const before = Number(searchParams.get("before") ?? Infinity);
    const items = log.filter(({ seq }) => seq > since && seq < before).slice(-Number(searchParams.get("limit")));
    return route.fulfill({ json: { items, seq: log.length, dropped: { count: 0, since: 0 } } });
  });
  return () => pages;
}

inBrowser("The timeline", (kit) => {
  it("shows a booking, a rejection, an act and a clock move as they happen", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui?world=${world.id}`);
    await page.getByRole("link", { name: "created" }).waitFor();
    expect((await book(world, "evt-evening", 2)).status).toBe(201);
    expect((await book(world, "evt-last-seat", 2)).status).toBe(409);
    await world.act("cancelBooking", { booking_id: "bkg-evening" });
    await world.clock.advance("PT2H");
    await page.getByRole("link", { name: /POST createBooking 201/ }).waitFor();
    await page.getByRole("link", { name: /POST createBooking 409 NOT_ENOUGH_RESOURCES/ }).waitFor();
    await page.getByRole("link", { name: /act cancelBooking done booking cancelled/ }).waitFor();
    await page.getByRole("link", { name: /clock \+2 h/ }).waitFor();
    await kit.mustBeAccessible(page);

    await page.keyboard.press("f");
    await expect.poll(() => page.getByRole("list", { name: "Stories" }).getByRole("listitem").count()).toBe(1);
    await expect.poll(() => page.url()).toContain("failed=1");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.getByRole("link", { name: /^why NOT_ENOUGH_RESOURCES/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Rests on" }).waitFor();
    await expect.poll(() => page.title()).toBe("Story · Sandbox console");
    await page.getByText("Smallest change that works:").waitFor();
    await kit.mustBeAccessible(page);

    await page.getByRole("button", { name: "Apply and resend" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Facts" }).waitFor();
    await kit.mustBeAccessible(page);
  });

  it("creates a playable scenario from a selection with keyboard and mouse, and keeps the selection in the address", async () => {
    const world = await kit.sandbox.world();
    const booking = ((await (await book(world, "evt-evening", 2)).json()) as { id: string }).id;
    await world.act("cancelBooking", { booking_id: booking });
    const page = await kit.open(`/_sandbox/ui?world=${world.id}`, { refusals: true });
    await page.getByRole("link", { name: /createBooking/ }).focus();
    await page.keyboard.press("v");
    await page.getByText("1 selected").waitFor();
    await page.getByRole("checkbox", { name: /^Select act-/ }).click();
    await page.getByText("2 selected").waitFor();
    await expect.poll(() => page.url()).toMatch(/pick=req-[^&]*act-/);
    await page.reload();
    await page.getByText("2 selected").waitFor();
    await expect.poll(() => page.getByRole("checkbox", { checked: true }).count()).toBe(2);
    await kit.mustBeAccessible(page);
    await page.getByRole("button", { name: "Save as scenario" }).click();
    await page.getByText("call: createBooking").waitFor();
    await kit.mustBeAccessible(page);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: /^Download/ }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("create-booking-cancel-booking.yaml");
    const file = (await download.path()) as string;
    const played = await runHere(["play", file, "--url", kit.sandbox.url]);
    expect([played.code, played.stderr]).toEqual([0, expect.any(String)]);
  });

  it("applies keys to the focused line, wherever a filter or new lines moved it", async () => {
    const world = await kit.sandbox.world();
    const refused = [];
    for (const event of ["evt-last-seat", "evt-evening", "evt-last-seat"])
      refused.push((await book(world, event, 2)).headers.get("sandbox-request-id"));
    const page = await kit.open(`/_sandbox/ui?world=${world.id}`, { refusals: true });
    await page.locator(`a[href*="${refused[2]}"]`).focus();
    await page.keyboard.press("f");
    await expect.poll(() => page.getByRole("list", { name: "Stories" }).getByRole("listitem").count()).toBe(2);
    await page.keyboard.press("v");
    await expect.poll(() => page.url()).toContain(`pick=${refused[2]}`);

    await page.goto(`${kit.sandbox.url}/_sandbox/ui/records/bookings?world=${world.id}`);
    await page.getByRole("link", { name: "bkg-048" }).waitFor();
    const [, second, third] = await page.getByRole("list", { name: "bookings" }).getByRole("link").all();
    const name = await third?.textContent();
    await second?.focus();
    expect((await book(world, "evt-evening", 1)).status).toBe(201);
    await expect.poll(() => page.locator("li:focus-within").getAttribute("data-index")).toBe("2");
    await page.keyboard.press("j");
    await expect.poll(() => page.locator(":focus").textContent()).toBe(name);
  });

  it("explains why a selection can't become a scenario", async () => {
    const world = await kit.sandbox.world();
    await world.snapshot("before");
    const undone = (await book(world, "evt-evening", 1)).headers.get("sandbox-request-id");
    await world.rewind("before");
    const stands = (await book(world, "evt-evening", 2)).headers.get("sandbox-request-id");
    const page = await kit.open(`/_sandbox/ui?world=${world.id}&pick=${undone},${stands}`, { refusals: true });
    await page.getByRole("button", { name: "Save as scenario" }).click();
    await page.getByRole("alert").getByText(`${undone} was undone by a rewind before ${stands} happened`).waitFor();
  });

  it("groups failures by code and operation, and searches the complete log for them", async () => {
    const world = await kit.sandbox.world();
    for (let times = 0; times < 2; times++) await book(world, "evt-last-seat", 2);
    await world.act("cancelBooking", { booking_id: "bkg-none" }).catch(() => undefined);
    const page = await kit.open(`/_sandbox/ui?world=${world.id}&by=failure`);
    const group = page.getByRole("button", { name: /NOT_ENOUGH_RESOURCES createBooking 2/ });
    await group.click();
    await expect.poll(() => page.getByRole("link", { name: /createBooking 409/ }).count()).toBe(2);
    await page.getByRole("button", { name: /NOT_FOUND cancelBooking 1/ }).waitFor();
    await kit.mustBeAccessible(page);
    await page.reload();
    await page
      .getByRole("link", { name: /createBooking 409/ })
      .first()
      .waitFor();
  });

  it("sends a request that no longer succeeds in a fork of its point in time, and shows that fork", async () => {
    const world = await kit.sandbox.world();
    const id = (await book(world, "evt-last-seat", 2)).headers.get("sandbox-request-id");
    expect((await book(world, "evt-last-seat", 1)).status).toBe(201);
    const page = await kit.open(`/_sandbox/ui/story/${id}?world=${world.id}`);
    await page.getByText("It no longer works now.").waitFor();
    await kit.mustBeAccessible(page);
    await page.getByRole("button", { name: "Apply in fork" }).click();
    await page.getByRole("heading", { name: "Facts" }).waitFor();
    const fork = new URL(page.url()).searchParams.get("world") ?? "";
    await expect.poll(() => page.getByLabel("World", { exact: true }).inputValue()).toBe(fork);
    expect(fork).not.toBe(world.id);
    await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Timeline" }).click();
    const lines = page.getByRole("list", { name: "Stories" }).getByRole("link");
    await expect
      .poll(() => lines.allTextContents())
      .toContainEqual(expect.stringMatching(/createBooking.*201.*Anna Holm/));
  });

  it("resends a request with another path and without a body to edit", async () => {
    const world = await kit.sandbox.world();
    await callService(world, "GET", "bookings/bkg-nowhere");
    const page = await kit.open(`/_sandbox/ui/story?world=${world.id}`);
    await page.getByRole("button", { name: "Edit and send again" }).click();
    await page.getByLabel("Request").fill('{ "path": { "bookingId": "bkg-evening" } }');
    await kit.mustBeAccessible(page);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("heading", { name: "getBooking 200" }).waitFor();
    await page.locator(".what-came").getByRole("link").click();
    await page.getByRole("heading", { name: "bkg-evening" }).waitFor();
    const acts = page.getByRole("navigation", { name: "Available acts" });
    await page.getByRole("list", { name: "Recent entries" }).getByText("getBooking").first().waitFor();
    await acts.getByRole("link", { name: "cancelBooking" }).click();
    await page.getByRole("button", { name: "Perform act" }).click();
    await page.getByText("booking cancelled: ").waitFor();
  });

  it("filters with the keyboard, and reports when nothing matches", async () => {
    const world = await kit.sandbox.world();
    await book(world, "evt-evening", 2);
    const page = await kit.open(`/_sandbox/ui?world=${world.id}`);
    await page.getByRole("link", { name: /createBooking/ }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("nothing like it");
    await page.getByText("No story matches.").waitFor();
    await expect.poll(() => page.url()).toContain("q=nothing");
  });

  it("renders only the visible lines of 10,000 traces", async () => {
    const page = await kit.open("/healthz");
    const all = Array.from({ length: 10_000 }, (_, index) => request(index + 1));
    await page.route(/_sandbox\/log\?/, (route) => {
      const items = route.request().url().includes("since=") ? [] : all;
      return route.fulfill({ json: { items, seq: all.length, dropped: { count: 412, since: 1 } } });
    });
    await page.goto(`${kit.sandbox.url}/_sandbox/ui`);
    await page.getByText("10,000 stories").waitFor();
    await page.getByText("412 entries gone from the log").waitFor();
    const nodes = () => page.evaluate<number>("document.querySelectorAll('main *').length");
    expect(await nodes()).toBeLessThan(1000);
    await page.keyboard.press("Home");
    await page.keyboard.press("End");
    await expect.poll(() => page.evaluate("document.activeElement.href")).toContain("req-10000");
    expect(await nodes()).toBeLessThan(1000);
  });

  it("reads past thousands of deliveries to earlier traces", async () => {
    const page = await kit.open("/healthz");
    const log: readonly Entry[] = Array.from({ length: 3600 }, (_, index) => {
      if (index < 100) return act(index + 1, index % 2 ? "done" : "refused");
      return index === 3599 ? request(3600) : attempt(index + 1, "act-100", 500, `dlv_${index}`);
    });
    const pages = await serveLog(page, log);
    await page.goto(`${kit.sandbox.url}/_sandbox/ui`);
    await page.getByText("101 stories").waitFor();
    await page.goto(`${kit.sandbox.url}/_sandbox/ui?failed=1`);
    // The act that the deliveries are of is among those that fail.
    await page.getByText("51 of 101 stories").waitFor();
    expect(pages()).toBeLessThan(20);
  });

  it("finds the oldest trace while more arrive than the page keeps", async () => {
    const page = await kit.open("/healthz");
    const pages = await serveLog(
      page,
      Array.from({ length: 23_500 }, (_, index) => request(index + 1, index === 0 ? { operation: "getMe" } : {})),
    );
    await page.goto(`${kit.sandbox.url}/_sandbox/ui?q=getMe`);
    await page.getByText("1 of 23,500 stories").waitFor();
    expect(pages()).toBeLessThan(30);
  });

  it("drops the traces of a world that was deleted and created again with the same name", async () => {
    const createWorld = () => kit.sandbox.world({ id: "again" });
    const cancel = (world: World, booking_id: string) =>
      world.act("cancelBooking", { booking_id }).catch(() => undefined);
    const first = await createWorld();
    await cancel(first, "bkg-group");
    const page = await kit.open("/_sandbox/ui?world=again", { refusals: true });
    await page.getByText("2 stories").waitFor();
    await first.remove();
    await page.getByText(/no world/).waitFor();
    const second = await createWorld();
    await cancel(second, "bkg-evening");
    await cancel(second, "bkg-none");
    await page.getByText("3 stories").waitFor();
  });
});
