// Webhooks in the console: how a subscription fares, a signature step by step, what a receiver's code computed, and sending again.
import type { ServerResponse } from "node:http";
import { beforeEach, expect, it } from "vitest";
import type { World } from "../../src/index.ts";
import { type Received, type Receiver, receive } from "../engine/webhooks/kit.ts";
import { withMessages } from "../many-records.ts";
import { inBrowser } from "./browser-kit.ts";
import { openFirst, pressScreen } from "./keyboard.ts";
import { callControl, callService } from "./requests.ts";

let status = 204;
/** A receiver that responds with this status. */
const startReceiver = () => receive((response) => void response.writeHead(status).end());
const readIds = (received: readonly Received[]) => received.map(({ headers }) => String(headers["webhook-id"]));

inBrowser("Webhooks in the console", (kit) => {
  it("show the subject of each message, on a phone and above an open message too", async () => {
    const world = await kit.sandbox.world();
    for (const id of ["bkg-026", "bkg-evening"]) await world.act("cancelBooking", { booking_id: id });
    type About = { id: string; about: { title: string } };
    const { items } = await callControl<{ items: About[] }>(world, "GET", "messages");
    const { id, about } = items.at(-1) as About;
    for (const [width, path] of [
      [360, "webhooks"],
      [620, "webhooks"],
      [768, `webhooks/${id}`],
    ] as const) {
      const page = await kit.open(`/_sandbox/ui/${path}?world=${world.id}`, { width });
      const line = page.locator(`.list a[href*="${id}"]`);
      await line.waitFor();
      const [kind, title] = [line.locator(".label"), line.getByText(about.title)];
      expect(await title.isVisible(), path).toBe(true);
      const [above, below] = [await kind.boundingBox(), await title.boundingBox()];
      if (width < 700) expect(below?.y, `${width}`).toBeGreaterThan((above?.y ?? 0) + 8);
    }
  });

  it("are listed, inspected, compared and resent with a modified body", async () => {
    const { url, got } = await startReceiver();
    const world = await kit.sandbox.world({ webhookUrl: url });
    await world.act("cancelBooking", { booking_id: "bkg-026" });
    const page = await kit.open(`/_sandbox/ui?world=${world.id}`, { refusals: true });
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    await pressScreen(page, "w");
    await page.getByRole("cell", { name: "ACCEPTED 204" }).waitFor();
    await kit.mustBeAccessible(page);
    await page.keyboard.press("/");
    await page.keyboard.type("booking.cancelled");
    await openFirst(page, "v1.booking.cancelled");
    await page.getByRole("heading", { name: "v1.booking.cancelled" }).waitFor();
    await page.getByRole("button", { name: "Signature" }).click();
    await page.getByText("The text that is signed, byte for byte").waitFor();
    await page.getByLabel("computed").fill("not-a-signature");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText("The signature differs").waitFor();
    const header = (await page.getByRole("region", { name: "Signature" }).locator("p code").last().textContent()) ?? "";
    await page.getByLabel("computed").fill(header);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText("The signature matches.").waitFor();
    await kit.mustBeAccessible(page);
    const message = new URL(page.url()).pathname.split("/").at(-1);
    await page.getByText("Resend altered or late").click();
    await page.getByRole("button", { name: "+ tamper" }).click();
    await page.getByLabel("tamper").selectOption("body");
    await page.getByRole("button", { name: "Resend like this" }).click();
    await page.getByText("Resent with the same webhook-id.").waitFor();
    await expect.poll(() => readIds(got).filter((id) => id === message)).toEqual([message, message]);
    await page.getByText("body altered").waitFor();
  });

  it("are opened by id when they are not on the list, and the list shows their number", async () => {
    const world = await kit.sandbox.world();
    await world.act("updateBooking", { booking_id: "bkg-evening", internal_note: "one" });
    await withMessages(kit.sandbox.url, world.id, 1003);
    const page = await kit.open(`/_sandbox/ui/webhooks/msg_00001?world=${world.id}`, { refusals: true });
    await page.getByRole("heading", { name: "v1.booking.updated" }).waitFor();
    await page.getByText("The newest 1000 of 1003 messages").waitFor();
    await kit.mustBeAccessible(page);
    await page.getByLabel("Filter messages").fill("msg_00002");
    await page.getByText("None of these messages match your search.").waitFor();
    await page.getByRole("link", { name: "Search all" }).click();
    await page.getByRole("list", { name: "messages" }).getByRole("link").waitFor();
    await page.goto(`${kit.sandbox.url}/_sandbox/ui/webhooks/msg_none?world=${world.id}`);
    await page.getByRole("alert").getByText("There is no message msg_none.").waitFor();
  });

  it("show an attempt in flight, and what the next one waits for on a held clock", async () => {
    const waiting: ServerResponse[] = [];
    const { url } = await receive((response) => void waiting.push(response));
    const world = await kit.sandbox.world({ webhookUrl: url });
    await world.act("cancelBooking", { booking_id: "bkg-026" });
    const [message] = await world.webhooks.all("v1.booking.cancelled");
    await expect.poll(() => waiting.length).toBeGreaterThan(0);
    const page = await kit.open(`/_sandbox/ui/webhooks/${message?.id}?world=${world.id}`);
    const delivery = page.getByRole("region", { name: /^Delivery to / });
    await delivery.getByText(/^attempt 1 in flight for \d+ s$/).waitFor();
    for (const response of waiting.splice(0)) response.writeHead(500).end();
    await delivery.getByText("next attempt when the clock moves to").waitFor();
  });

  it("update an open trace up to the last attempt", async () => {
    const { url } = await startReceiver();
    const world = await kit.sandbox.world({ webhookUrl: url });
    status = 503;
    await world.act("cancelBooking", { booking_id: "bkg-026" });
    const { items } = await callControl<{ items: { id: string }[] }>(world, "GET", "log?kinds=act");
    const page = await kit.open(`/_sandbox/ui/story/${items[0]?.id}?world=${world.id}`);
    const lines = page.getByRole("article");
    await lines.getByText("503", { exact: true }).first().waitFor();
    expect(await lines.getByText("204", { exact: true }).count()).toBe(0);
    status = 204;
    await world.clock.advance("P1D");
    await lines.getByText("204", { exact: true }).first().waitFor();
  });

  it("explain how to subscribe when there is no subscription and nothing was sent", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui/webhooks?world=${world.id}`, { refusals: true });
    await page.getByText("No subscriptions yet.").waitFor();
    await page.getByText("No messages yet.").waitFor();
    await kit.mustBeAccessible(page);
  });
});

interface Listed {
  id: string;
  deliveries: { url: string; state: string; attempts: object[] }[];
}

inBrowser("Failed webhooks in the console", (kit) => {
  let recorder: Receiver;
  beforeEach(async () => {
    recorder = await startReceiver();
  });
  const listRequests = () =>
    recorder.got.map(({ path, headers }) => ({ path: path.replace("/hook", ""), id: headers["webhook-id"] }));

  const listMessages = async (world: World) =>
    (await callControl<{ items: Listed[] }>(world, "GET", "messages?kind=v1.booking.cancelled")).items;
  const waitForAttempts = (world: World, isDone: (delivery: Listed["deliveries"][number]) => boolean) =>
    expect.poll(async () => (await listMessages(world)).every(({ deliveries }) => deliveries.every(isDone))).toBe(true);
  const changeSubscription = async (world: World, path: string, method: string, body: object) => {
    const response = await callService(world, method, `webhook-subscriptions${path}`, body);
    expect(response.ok).toBe(true);
    return (await response.json()) as { id: string };
  };
  const describeSubscription = (path: string) => ({
    url: `${recorder.url}${path}`,
    event_types: ["v1.booking.cancelled"],
    state: "ENABLED",
  });

  /** Two receivers that accepted one message, failed to accept three, and will be tried again with a fifth. */
  const failTwoReceivers = async () => {
    const world = await kit.sandbox.world();
    await changeSubscription(world, "", "POST", describeSubscription("/shop"));
    const other = await changeSubscription(world, "", "POST", describeSubscription("/other"));
    const cancel = (id: string) => world.act("cancelBooking", { booking_id: id });
    status = 204;
    await cancel("bkg-026");
    await waitForAttempts(world, ({ state }) => state === "DELIVERED");
    await world.faults.arm({ delivery: { do: "drop" }, times: 2 });
    await cancel("bkg-evening");
    await waitForAttempts(world, ({ state }) => state !== "PENDING");
    status = 503;
    for (const id of ["bkg-025", "bkg-024"]) await cancel(id);
    await waitForAttempts(world, ({ attempts }) => attempts.length === 1);
    const failed = (await listMessages(world)).slice(1).map(({ id }) => id);
    for (const id of failed.slice(1)) await callControl(world, "POST", `messages/${id}/give-up`);
    await cancel("bkg-023");
    await waitForAttempts(world, ({ attempts }) => attempts.length === 1);
    expect((await listMessages(world)).map(({ deliveries }) => deliveries.map(({ state }) => state))).toEqual(
      ["DELIVERED", "DROPPED", "GIVEN_UP", "GIVEN_UP", "PENDING"].map((state) => [state, state]),
    );
    recorder.got.length = 0;
    status = 204;
    return { world, failed, other: other.id };
  };

  it("are all resent to one receiver, once each, and no other message", async () => {
    const { world, failed, other } = await failTwoReceivers();
    const page = await kit.open(`/_sandbox/ui/webhooks?world=${world.id}`);
    const rowOf = (path: string) => page.getByRole("row").filter({ hasText: recorder.url + path });
    const buttonOf = (path: string) => rowOf(path).getByRole("button", { name: /^Retry all failed to / });
    await kit.mustBeAccessible(page);
    // All attempts have the same time, because the clock is held.
    const latest = rowOf("/shop").locator("a.failure");
    expect(await rowOf("/shop").getByText("REFUSED 503").isVisible()).toBe(true);
    const ids = await latest.evaluateAll((links) =>
      links.map((link) => /msg_[^?]+/.exec(link.getAttribute("href") ?? "")?.[0]),
    );
    expect(ids).toEqual(
      (await listMessages(world))
        .slice(-3)
        .toReversed()
        .map(({ id }) => id),
    );
    await buttonOf("/shop").click();
    await rowOf("/shop").getByText("Started 3 deliveries. Nothing to retry.").waitFor();
    await waitForAttempts(world, ({ url, state }) => !url.endsWith("/shop") || /^(DELIVERED|PENDING)$/.test(state));
    await expect.poll(listRequests).toHaveLength(3);
    expect(listRequests()).toEqual(expect.arrayContaining(failed.map((id) => ({ path: "/shop", id }))));
    expect(await buttonOf("/shop").isDisabled()).toBe(true);
    expect(await buttonOf("/other").isEnabled()).toBe(true);

    await changeSubscription(world, `/${other}`, "PUT", { ...describeSubscription("/other"), state: "DISABLED" });
    await page.reload();
    await rowOf("/other").getByText("Enable the subscription first.").waitFor();
    expect(await buttonOf("/other").isDisabled()).toBe(true);
    expect(listRequests()).toHaveLength(3);
  });

  it("are resent up to the one that the sandbox rejects", async () => {
    const { world } = await failTwoReceivers();
    const page = await kit.open(`/_sandbox/ui/webhooks?world=${world.id}`, { refusals: true });
    let resent = 0;
    await page.route(/\/resend\?|\/resend$/, (route) => {
      resent++;
      const url = route.request().url();
      return route.continue({ url: resent === 2 ? url.replace(/msg_[^/]+/, "msg_none") : url });
    });
    const row = page.getByRole("row").filter({ hasText: `${recorder.url}/shop` });
    await row.getByRole("button").click();
    await row.getByRole("alert").getByText("There is no message msg_none.").waitFor();
    expect(resent).toBe(2);
    await expect.poll(listRequests).toHaveLength(1);
    expect(await row.getByRole("button").isEnabled()).toBe(true);
  });

  it("are resent from the top of a message", async () => {
    const { world, failed } = await failTwoReceivers();
    const page = await kit.open(`/_sandbox/ui/webhooks/${failed[1]}?world=${world.id}`, { width: 1280 });
    const button = page.getByRole("button", { name: "Resend", exact: true });
    await button.waitFor();
    const [head, attempts] = [await button.boundingBox(), await page.getByText("REFUSED 503").last().boundingBox()];
    expect(head?.y).toBeLessThan(attempts?.y ?? 0);
    await kit.mustBeAccessible(page);
    await button.click();
    await page.getByText("Resent with the same webhook-id.").waitFor();
    await expect.poll(listRequests).toHaveLength(2);
    expect(listRequests()).toEqual(
      expect.arrayContaining(["/shop", "/other"].map((path) => ({ path, id: failed[1] }))),
    );
  });

  it("cannot be resent if no enabled subscription matches their kind", async () => {
    const world = await kit.sandbox.world();
    await changeSubscription(world, "", "POST", { ...describeSubscription("/shop"), state: "DISABLED" });
    await world.act("cancelBooking", { booking_id: "bkg-026" });
    const [message] = await listMessages(world);
    const page = await kit.open(`/_sandbox/ui/webhooks/${message?.id}?world=${world.id}`);
    await page.getByText("No enabled subscription takes this message.").waitFor();
    expect(await page.getByRole("button", { name: "Resend", exact: true }).isDisabled()).toBe(true);
  });
});

inBrowser("The verdict in the console", (kit) => {
  it("shows the result with the requests behind it, and no pass if nothing was exercised", async () => {
    const world = await kit.sandbox.world();
    for (const _ of [1, 2, 3]) {
      // As a program does: tokens of the library are not its own requests.
      const body = new URLSearchParams({
        grant_type: "client_credentials",
        audience: kit.sandbox.url,
        client_id: world.credentials.clientId,
        client_secret: world.credentials.clientSecret,
      });
      const response = await fetch(`${kit.sandbox.url}/oauth2/token`, { method: "POST", body });
      const { access_token } = (await response.json()) as { access_token: string };
      const headers = { authorization: `Bearer ${access_token}` };
      for (const id of ["none", "other"]) await fetch(`${kit.sandbox.url}/v1/bookings/bkg-${id}`, { headers });
    }
    const page = await kit.open(`/_sandbox/ui/verdict?world=${world.id}`, { refusals: true });
    const row = page.getByRole("row", { name: /AUTH-02/ });
    await row.getByText("warn").waitFor();
    await row.getByText("3 tokens for 6 requests, with the same scopes and within one lifetime").waitFor();
    await expect.poll(() => row.getByRole("link").count()).toBe(2);
    await expect.poll(() => page.getByRole("row", { name: /BOOK-03/ }).textContent()).toContain("not exercised");
    await kit.mustBeAccessible(page);
  });
});
