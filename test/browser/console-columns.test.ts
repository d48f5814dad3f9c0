// Columns of the console keep room for their text: on every screen, in each width, no text is cut to less than its readable minimum.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { LocalServer } from "../local-server.ts";
import { inBrowser } from "./browser-kit.ts";
import { SCENES, type Scene, show } from "./look/scenes.ts";
import { startReceiver } from "./look/stage.ts";
import { byDefaultWorld, type Pictured } from "./look/worlds.ts";
import { callControl, callService } from "./requests.ts";

const WIDTHS = [390, 1024, 1280, 1440];

/** What a move of the clock would do. */
const DRY_RUN: Scene = {
  name: "dry run",
  path: () => "clock?to=2030-06-02T09:00:00Z",
  ready: "Up to the handle:",
};

/** Pixels: about ten characters. A shorter text has to be visible completely. */
const READABLE = 72;

/**
 * Lists each column with less than its readable minimum. An element that hides its overflow is a column, and shows as much of its text as it
 * is wide. Any other text needs a box with room for its longest word, or for all of it where it must not wrap: it would cover its neighbor.
 * A box that scrolls cuts nothing.
 */
const FIND_CRUSHED = `(() => {
  const findBox = (element, isBox) => {
    let box = element;
    while (box && !isBox(getComputedStyle(box))) box = box.parentElement;
    return box;
  };
  const hidesOverflow = ({ overflowX }) => /hidden|clip/.test(overflowX);
  const wraps = ({ display }) => !/^(inline|contents)$/.test(display);
  const measureVisible = (column) => {
    let [left, right] = [-Infinity, Infinity];
    for (let box = column; box; box = findBox(box.parentElement, hidesOverflow)) {
      const edges = box.getBoundingClientRect();
      left = Math.max(left, edges.left);
      right = Math.min(right, edges.right);
    }
    return Math.max(0, right - left);
  };
  const measureContent = (box) => {
    const { paddingLeft, paddingRight } = getComputedStyle(box);
    return box.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  };
  const canvas = document.createElement("canvas").getContext("2d");
  const measureNeed = (text, element) => {
    const { font, whiteSpace } = getComputedStyle(element);
    canvas.font = font;
    const measure = (part) => canvas.measureText(part).width;
    if (whiteSpace === "nowrap") return measure(text);
    return Math.min(${READABLE}, Math.max(...text.split(/\\s+/).map(measure)));
  };
  const crushed = new Map();
  const walker = document.createTreeWalker(document.querySelector("dialog[open]") ?? document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (data.trim() === "" || !parentElement.checkVisibility({ visibilityProperty: true })) continue;
    if (parentElement.closest("option, pre, .skip, .for-readers, .middle, .rows thead th")) continue;
    const column = findBox(parentElement, hidesOverflow);
    const [box, text] = column ? [column, column.textContent] : [findBox(parentElement, wraps), data.trim()];
    const [width, need] = column
      ? [measureVisible(column), Math.min(${READABLE}, column.scrollWidth)]
      : [measureContent(box), measureNeed(text, parentElement)];
    if (width + 1 < need)
      crushed.set(column ?? parentElement, Math.round(width) + " of " + Math.round(need) + " pixels: " + text.slice(0, 60));
  }
  return [...crushed.values()];
})()`;

const findCrushed = (page: Page): Promise<string[]> => page.evaluate(FIND_CRUSHED);

inBrowser("No column is crushed:", (kit) => {
  let receiver: LocalServer;
  let pictured: Pictured;
  beforeAll(async () => {
    receiver = await startReceiver();
    pictured = await byDefaultWorld(kit.sandbox, receiver.url);
  });
  afterAll(() => receiver.close());

  const expectReadable = async (scene: Scene, of: Pictured) => {
    const page = await kit.open("/healthz", { refusals: true });
    await show(page, kit.sandbox.url, scene, of);
    const crushed: string[] = [];
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
      crushed.push(...(await findCrushed(page)).map((text) => `${width}: ${text}`));
    }
    expect(crushed).toEqual([]);
  };

  it.each([...SCENES, DRY_RUN].map((scene) => [scene.name, scene] as const))("%s", (_, scene) =>
    expectReadable(scene, pictured),
  );

  it("the kind of a message with many subscriptions", async () => {
    const world = await kit.sandbox.world();
    for (const number of [1, 2, 3, 4, 5, 6]) {
      const url = `${receiver.url}/many/${number}`;
      const subscription = { url, event_types: ["v1.booking.cancelled"], state: "ENABLED" };
      const { status } = await callService(world, "POST", "webhook-subscriptions", subscription);
      expect(status).toBe(201);
    }
    await world.act("cancelBooking", { booking_id: "bkg-026" });
    const { items } = await callControl<{ items: { id: string; deliveries: object[] }[] }>(world, "GET", "messages");
    const [message] = items;
    expect(message?.deliveries).toHaveLength(6);
    for (const path of ["webhooks", `webhooks/${message?.id}`])
      await expectReadable({ name: path, path: () => path, ready: "v1.booking.cancelled" }, { world });
  });
});
