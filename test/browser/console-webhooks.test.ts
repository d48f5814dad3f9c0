// Webhooks in the console: how a subscription fares, a signature step by step, what a receiver's code computed, and sending again.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withMessages } from "../many-records.ts";
import { inBrowser } from "./browser-kit.ts";
import { openFirst, pressScreen } from "./keyboard.ts";

let receiver: Server;
const received: string[] = [];
let status = 204;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    received.push(String(request.headers["webhook-id"]));
    request.resume().on("end", () => response.writeHead(status).end());
  });
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
});
afterAll(() => void receiver.close());

inBrowser("Webhooks in the console", (kit) => {
  it("say what each message is about, on a phone and above an open one too", async () => {
    const world = await kit.sandbox.world();
    for (const id of ["bkg-026", "bkg-evening"]) await world.act("cancelBooking", { booking_id: id });
    const { items } = (await (await fetch(`${kit.sandbox.url}/_sandbox/messages?world=${world.id}`)).json()) as {
      items: { id: string; about: { title: string } }[];
    };
    const [{ id, about }] = items.slice(-1) as [(typeof items)[number]];
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

  it("are seen, examined, compared and sent again", async () => {
    const { port } = receiver.address() as AddressInfo;
    const world = await kit.sandbox.world({ webhookUrl: `http://127.0.0.1:${port}/hook` });
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
    await page.getByText("It differs").waitFor();
    const header = (await page.getByRole("region", { name: "Signature" }).locator("p code").last().textContent()) ?? "";
    await page.getByLabel("computed").fill(header);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText("It is right.").waitFor();
    await kit.mustBeAccessible(page);
    const message = new URL(page.url()).pathname.split("/").at(-1);
    await page.getByText("Send again, altered or late").click();
    await page.getByRole("button", { name: "+ tamper" }).click();
    await page.getByLabel("tamper").selectOption("body");
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByText("Sent again with the same webhook-id.").waitFor();
    await expect.poll(() => received.filter((id) => id === message)).toEqual([message, message]);
    await page.getByText("body altered").waitFor();
  });

  it("are opened by their id also where they are not among those listed, and the list says how many these are", async () => {
    const world = await kit.sandbox.world();
    await world.act("updateBooking", { booking_id: "bkg-evening", internal_note: "one" });
    await withMessages(kit.sandbox.url, world.id, 1003);
    const page = await kit.open(`/_sandbox/ui/webhooks/msg_00001?world=${world.id}`, { refusals: true });
    await page.getByRole("heading", { name: "v1.booking.updated" }).waitFor();
    await page.getByText("The newest 1000 of 1003 messages").waitFor();
    await kit.mustBeAccessible(page);
    await page.getByLabel("Filter messages").fill("msg_00002");
    await page.getByText("None of these messages has these words.").waitFor();
    await page.getByRole("link", { name: "Search all" }).click();
    await page.getByRole("list", { name: "messages" }).getByRole("link").waitFor();
    await page.goto(`${kit.sandbox.url}/_sandbox/ui/webhooks/msg_none?world=${world.id}`);
    await page.getByRole("alert").getByText("There is no message msg_none.").waitFor();
  });

  it("stand to their last attempt in a story that is open meanwhile", async () => {
    const { port } = receiver.address() as AddressInfo;
    const world = await kit.sandbox.world({ webhookUrl: `http://127.0.0.1:${port}/hook` });
    status = 503;
    await world.act("cancelBooking", { booking_id: "bkg-026" });
    const log = await fetch(`${kit.sandbox.url}/_sandbox/log?world=${world.id}&kinds=act`);
    const [act] = ((await log.json()) as { items: { id: string }[] }).items;
    const page = await kit.open(`/_sandbox/ui/story/${act?.id}?world=${world.id}`);
    const lines = page.getByRole("article");
    await lines.getByText("503").first().waitFor();
    expect(await lines.getByText("204").count()).toBe(0);
    status = 204;
    await world.clock.advance("P1D");
    await lines.getByText("204").first().waitFor();
  });

  it("say how to subscribe where nobody is, and that nothing was sent", async () => {
    const world = await kit.sandbox.world();
    const page = await kit.open(`/_sandbox/ui/webhooks?world=${world.id}`, { refusals: true });
    await page.getByText("Nobody is subscribed.").waitFor();
    await page.getByText("No message yet.").waitFor();
    await kit.mustBeAccessible(page);
  });
});

inBrowser("The verdict in the console", (kit) => {
  it("says what the log shows, with the requests that show it, and no pass where nothing was met", async () => {
    const world = await kit.sandbox.world();
    for (const _ of [1, 2, 3]) {
      const headers = { authorization: `Bearer ${await world.token()}` };
      for (const id of ["none", "other"]) await fetch(`${kit.sandbox.url}/v1/bookings/bkg-${id}`, { headers });
    }
    const page = await kit.open(`/_sandbox/ui/verdict?world=${world.id}`, { refusals: true });
    const row = page.getByRole("row", { name: /AUTH-02/ });
    await row.getByText("warn").waitFor();
    await row.getByText("3 tokens for 6 calls, with the same scopes and within one lifetime").waitFor();
    await expect.poll(() => row.getByRole("link").count()).toBe(2);
    await expect.poll(() => page.getByRole("row", { name: /BOOK-03/ }).textContent()).toContain("not exercised");
    await kit.mustBeAccessible(page);
  });
});
