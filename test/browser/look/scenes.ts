// Every screen of the console as it is pictured: where it is, and what has to be there.
import type { Page } from "playwright-core";
import type { Pictured } from "./worlds.ts";

export interface Scene {
  name: string;
  path: (pictured: Pictured) => string;
  /** In the usual world. */
  ready: string;
  /** A page of its own, of no world, which is loaded anew for each picture. */
  isPage?: boolean;
}

const typed = (input: object) => encodeURIComponent(JSON.stringify(input));
const many = [{ type_id: "var-adult", item_type: "VARIANT", quantity: 99 }];
const input = typed({ event_id: "evt-evening", items: many, customer: { name: "Ida Storm" } });

export const SCENES: readonly Scene[] = [
  { name: "timeline", path: () => "timeline", ready: "cancelBooking" },
  { name: "story", path: ({ refused = "" }) => `story/${refused}`, ready: "NOT_ENOUGH_RESOURCES" },
  { name: "clock", path: () => "clock", ready: "event ends" },
  { name: "acts", path: () => `acts/bookAsHost?input=${input}`, ready: "Try in a fork first" },
  { name: "bookings", path: () => "records", ready: "Molly Byrne" },
  { name: "records", path: () => "records/bookings/bkg-026?tab=history", ready: "CANCELLED" },
  { name: "ledger", path: () => "records/ledger", ready: "BOOKING_" },
  { name: "calendar", path: () => "calendar", ready: "Canal tour" },
  { name: "messages", path: () => "webhooks", ready: "v1.booking.created" },
  {
    name: "webhooks",
    path: ({ message = "" }) => `webhooks/${message}`,
    ready: "ACCEPTED",
  },
  { name: "faults", path: () => "faults", ready: "getEvent: 429" },
  { name: "assumptions", path: () => "assumptions/booking-create-status?only=open", ready: "Open question" },
  { name: "verdict", path: () => "verdict", ready: "BOOK-04" },
  { name: "worlds", path: () => "worlds", ready: "before-the-season" },
  { name: "find", path: () => "timeline?find=molly", ready: "2030-06-13 14:00" },
  { name: "docs", path: () => "/docs", ready: "Experience Booking and Commerce API", isPage: true },
  { name: "compare", path: () => "compare", ready: "records differ" },
];

/** The scene of a world, at rest. */
export async function show(page: Page, home: string, scene: Scene, pictured: Pictured): Promise<void> {
  await countQuestions(page);
  await opened(page, home, scene, pictured);
  for (let quiet = 0; quiet < QUIET_FRAMES; ) quiet = (await page.evaluate<number>(UNREAD)) > 0 ? 0 : quiet + 1;
  await page.mouse.move(0, 0);
}

async function opened(page: Page, home: string, scene: Scene, pictured: Pictured): Promise<void> {
  const path = scene.path(pictured);
  if (scene.isPage) {
    await page.goto(home + path);
    await page.getByRole("heading", { name: scene.ready }).first().waitFor();
    return;
  }
  await page.goto(`${home}/_sandbox/ui/${path}${path.includes("?") ? "&" : "?"}world=${pictured.world.id}`);
  await page.getByText("live", { exact: true }).waitFor();
  if (pictured.world.id === "usual") await page.locator("#app").getByText(scene.ready).first().waitFor();
  await page.locator("main:not(:has(.loading))").waitFor();
}

const counted = new WeakSet<Page>();

/** From its next document on, the page counts what it has asked for and not read yet; its stream is no question. */
async function countQuestions(page: Page): Promise<void> {
  if (counted.has(page)) return;
  counted.add(page);
  await page.addInitScript(`{
    const ask = fetch;
    globalThis.unread = 0;
    globalThis.fetch = async (...question) => {
      unread++;
      const read = () => void unread--;
      try {
        const answer = await ask(...question);
        answer.clone().arrayBuffer().then(read, read);
        return answer;
      } catch (reason) {
        read();
        throw reason;
      }
    };
  }`);
}

/** After a frame and the effects of what was drawn in it. */
const UNREAD = "new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))).then(() => unread)";
/** What is drawn of one answer may ask the next question in the frame after. */
const QUIET_FRAMES = 4;
