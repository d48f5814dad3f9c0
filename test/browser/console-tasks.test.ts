// Tasks of somebody who works with the console, each in few clicks from the timeline.
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { World } from "../../src/index.ts";
import { type LocalServer, startLocalServer } from "../local-server.ts";
import { inBrowser } from "./browser-kit.ts";
import { pressScreen } from "./keyboard.ts";
import { bookSeats, callControl } from "./requests.ts";

const book = async (world: World) => (await (await bookSeats(world)).json()) as { id: string };
const bookLastSeat = (world: World) => bookSeats(world, { event: "evt-last-seat" });

inBrowser("In the console somebody", (kit) => {
  let receiver: LocalServer;
  let url = "";
  beforeAll(async () => {
    receiver = await startLocalServer((request, response) => {
      request.resume().on("end", () => response.writeHead(503).end("gone fishing"));
    });
    url = `${receiver.url}/hooks`;
  });
  afterAll(() => receiver.close());

  interface Hand {
    page: Page;
    clicks: number;
    click(what: Locator): Promise<void>;
    /** To a screen of the menu. */
    go(screen: string): Promise<void>;
  }

  async function atTimeline(world: World, more = ""): Promise<Hand> {
    const page = await kit.open(`/_sandbox/ui?world=${world.id}${more}`, { refusals: true });
    await page.getByText("live", { exact: true }).waitFor();
    const hand: Hand = {
      page,
      clicks: 0,
      async click(what) {
        hand.clicks++;
        await what.first().click();
      },
      go: (screen) => hand.click(page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: screen })),
    };
    return hand;
  }

  it("finds why a booking was rejected in 1 click, and sends a working request in 1 more", async () => {
    const world = await kit.sandbox.world();
    await bookLastSeat(world);
    const hand = await atTimeline(world);
    await hand.click(hand.page.getByRole("link", { name: /createBooking 409 NOT_ENOUGH_RESOURCES/ }));
    await hand.page.getByText("Smallest change that works:").waitFor();
    expect(hand.clicks).toBe(1);
    await hand.click(hand.page.getByRole("button", { name: "Apply and resend" }));
    await hand.page.getByRole("heading", { name: "createBooking 201" }).waitFor();
    expect(hand.clicks).toBe(2);
  });

  it("follows a webhook to the response of its receiver in 2 clicks, and resends it in 1 more", async () => {
    const world = await kit.sandbox.world({ webhookUrl: url });
    await book(world);
    const hand = await atTimeline(world);
    await hand.click(hand.page.getByRole("link", { name: /createBooking 201/ }));
    await hand.click(hand.page.locator('main a[href*="/webhooks/"]'));
    await hand.page.getByText("gone fishing").first().waitFor();
    expect(hand.clicks).toBe(2);
    await hand.click(hand.page.getByRole("button", { name: "Resend", exact: true }));
    await hand.page.getByText("Resent with the same webhook-id.").waitFor();
    expect(hand.clicks).toBe(3);
  });

  it("cancels a booking and sees who got which refund in 4 clicks", async () => {
    const world = await kit.sandbox.world();
    const { id } = await book(world);
    const hand = await atTimeline(world);
    await hand.click(hand.page.getByRole("link", { name: /createBooking 201/ }));
    await hand.click(hand.page.locator(`.what-came a[href*="/bookings/"]`));
    await hand.click(hand.page.getByRole("link", { name: "cancelBooking" }));
    await hand.click(hand.page.getByRole("button", { name: "Perform act" }));
    await hand.page.getByText("DKK 500.00 refunded").waitFor();
    await hand.page
      .getByRole("status")
      .getByRole("link", { name: /^Anna Holm/ })
      .first()
      .waitFor();
    expect(hand.clicks).toBe(4);
    await hand.page
      .getByRole("status")
      .getByRole("link", { name: /^Anna Holm/ })
      .first()
      .click();
    await hand.page.getByRole("heading", { name: id }).waitFor();
    await expect.poll(() => hand.page.getByRole("link", { name: "cancelBooking" }).count()).toBe(1);
    expect(await hand.page.getByRole("navigation", { name: "Available acts" }).count()).toBe(0);
  });

  it("rewinds to before the booking in 3 clicks, and undoes the rewind in 1 more", async () => {
    const world = await kit.sandbox.world();
    await book(world);
    const { id } = await book(world);
    const has = async () => (await callControl<{ items: [] }>(world, "GET", `records/bookings?q=${id}`)).items.length;
    const hand = await atTimeline(world);
    await hand.go("Clock");
    await hand.click(hand.page.getByRole("button", { name: /^Rewind … right after req-/ }));
    await hand.click(hand.page.getByRole("button", { name: "Rewind", exact: true }));
    await expect.poll(has).toBe(0);
    expect(hand.clicks).toBe(3);
    await hand.click(hand.page.getByRole("button", { name: "Undo this" }));
    await expect.poll(has).toBe(1);
    expect(hand.clicks).toBe(4);
  });

  it("finds an old booking by name in 2 clicks", async () => {
    const world = await kit.sandbox.world();
    const hand = await atTimeline(world);
    await hand.click(hand.page.getByRole("button", { name: "Find" }));
    await hand.page.keyboard.type("molly");
    await hand.click(hand.page.getByRole("list", { name: "Found" }).getByRole("link", { name: /^bookings/ }));
    await hand.page.getByRole("heading", { name: /^bkg-/ }).waitFor();
    expect(hand.clicks).toBe(2);
  });

  it("shares a partly completed form, a search and an edited request by their addresses", async () => {
    const world = await kit.sandbox.world();
    await bookLastSeat(world);
    const { page } = await atTimeline(world);
    const theirs = async () => {
      const { pathname, search } = new URL(page.url());
      return kit.open(pathname + search, { refusals: true });
    };
    await page.keyboard.press("s");
    await page.keyboard.type("molly");
    await expect.poll(() => page.url()).toContain("find=molly");
    await (await theirs()).getByRole("list", { name: "Found" }).getByText("Molly Byrne").first().waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.url()).not.toContain("find");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await page.getByRole("link", { name: /createBooking 409/ }).click();
    await page.getByRole("button", { name: "Edit and send again" }).click();
    const request = page.getByRole("dialog").getByLabel("Request");
    await request.fill((await request.inputValue()).replace("evt-last-seat", "evt-evening"));
    await expect.poll(() => page.url()).toContain("evt-evening");
    const edited = await theirs();
    await edited.getByRole("dialog", { name: "Edit and send again" }).waitFor();
    await expect.poll(() => edited.getByRole("dialog").getByLabel("Request").inputValue()).toContain('"evt-evening"');
    await page.keyboard.press("Escape");

    await pressScreen(page, "f");
    await page.getByLabel("operation").fill("createBooking");
    await expect.poll(() => page.url()).toContain("createBooking");
    const filled = await theirs();
    await expect.poll(() => filled.getByLabel("operation").inputValue()).toBe("createBooking");
  });

  it("shares the current screen by its address without a click", async () => {
    const world = await kit.sandbox.world();
    await book(world);
    await bookLastSeat(world);
    const mine = await atTimeline(world);
    await mine.click(mine.page.getByRole("button", { name: "Only failures" }));
    await mine.click(mine.page.getByRole("button", { name: /^Unfold req-/ }));
    await mine.click(mine.page.getByRole("checkbox", { name: /^Select req-/ }));
    await expect.poll(() => mine.page.url()).toMatch(/failed=1.*open=.*pick=/);
    const { pathname, search } = new URL(mine.page.url());
    const theirs = await kit.open(pathname + search);
    await theirs.getByText("1 selected").waitFor();
    await theirs.getByRole("link", { name: /^why NOT_ENOUGH_RESOURCES/ }).waitFor();
    expect(await theirs.getByRole("link", { name: /createBooking 201/ }).count()).toBe(0);
  });
});
