// Takes the pictures of the console that the documents show, of one story in the shipped world on its held clock: a booking, one that is
// refused, a cancellation, an hour that passes, a receiver that fails once. Whatever changes a screen: `npm run docs:pictures`.
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { World } from "../../src/index.ts";
import { inBrowser } from "../browser/browser-kit.ts";

const folder = fileURLToPath(new URL("../../docs/pictures", import.meta.url));
const MOST_BYTES = 1_500_000;
const SIZE = { width: 1180, height: 660 };

let receiver: Server;
let failures = 1;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(failures-- > 0 ? 500 : 204).end());
  });
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
});
afterAll(() => void receiver.close());

const customer = {
  customer_type: "PRIVATE",
  name: "Anna Holm",
  email: "anna@example.com",
  phone: "+4520123456",
  address: { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" },
};

/** What the pictures tell; answers the ids that they are about. */
async function story(url: string, world: World): Promise<{ refused: string }> {
  const authorization = `Bearer ${await world.token()}`;
  const book = (quantity: number) => {
    const items = [{ type_id: "var-adult", item_type: "VARIANT", quantity }];
    const body = JSON.stringify({ event_id: "evt-tomorrow-evening", locale: "da", customer, items });
    return fetch(`${url}/v1/bookings`, {
      method: "POST",
      body,
      headers: { authorization, "content-type": "application/json" },
    });
  };
  await book(2);
  const refused = (await book(40)).headers.get("sandbox-request-id") ?? "";
  await fetch(`${url}/v1/events?limit=5`, { headers: { authorization } });
  await world.act("cancelBooking", { booking_id: "bkg-026" });
  await world.clock.advance("PT1H");
  await fetch(`${url}/v1/bookings/bkg-026`, { headers: { authorization } });
  return { refused };
}

inBrowser("The pictures of the console", (kit) => {
  it("are taken", async () => {
    const { port } = receiver.address() as AddressInfo;
    const world = await kit.sandbox.world({ webhookUrl: `http://127.0.0.1:${port}/webhooks` });
    const { refused } = await story(kit.sandbox.url, world);
    const page = await kit.open("/_sandbox/ui", { refusals: true, ...SIZE });

    const take = async (name: string, path: string, ready: string, before?: (page: Page) => Promise<void>) => {
      const sign = path.includes("?") ? "&" : "?";
      await page.goto(`${kit.sandbox.url}/_sandbox/ui/${path}${sign}world=${world.id}`);
      await page.getByText("live", { exact: true }).waitFor();
      await page.locator("main").getByText(ready).first().waitFor();
      await before?.(page);
      await page.mouse.move(0, 0);
      await page.screenshot({ path: join(folder, `${name}.png`) });
    };
    const typed = (input: object) => encodeURIComponent(JSON.stringify(input));

    await take("timeline", "timeline", "cancelBooking");
    await take("story", `story/${refused}`, "NOT_ENOUGH_RESOURCES");
    const items = [{ type_id: "var-adult", item_type: "VARIANT", quantity: 99 }];
    const input = typed({ event_id: "evt-evening", items, customer: { name: "Ida Storm" } });
    await take("acts", `acts/bookAsHost?input=${input}`, "Try in a fork first", async () => {
      await page.getByRole("button", { name: "Try in a fork first" }).click();
      await page.getByText("tried in a fork").waitFor();
      await page.getByRole("heading", { name: "bookAsHost" }).scrollIntoViewIfNeeded();
    });
    await take("records", "records/bookings/bkg-026?tab=history", "CANCELLED");
    await take("ledger", "records/ledger", "BOOKING_PREPAYMENT");
    await take("calendar", "calendar", "Canal tour");
    await take("webhooks", "webhooks?q=booking.created", "v1.booking.created", async () => {
      await page.getByRole("link", { name: "v1.booking.created" }).first().click();
      await page.getByRole("button", { name: "Signature" }).last().click();
      await page.getByText("byte for byte").first().waitFor();
    });
    await take("clock", "clock", "Ahead");
    await take("worlds", "worlds", "Snapshots");
    await take("compare", "compare", "bkg-026");
    await take("verdict", "verdict", "RETRY-04");
    await world.faults.arm({ operation: "createBooking", when: "after", status: 503, times: 2 });
    await take("faults", "faults", "createBooking");
    await fetch(`${kit.sandbox.url}/_sandbox/assumptions?world=${world.id}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ "booking-create-status": "200" }),
    });
    await take("assumptions", "assumptions/booking-create-status?only=open", "What is open");
  });

  it("are small", () => {
    const sizes = readdirSync(folder)
      .filter((name) => name.endsWith(".png"))
      .map((name) => statSync(join(folder, name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
  });
});
