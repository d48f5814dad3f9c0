// Pictures of the console being taken: the worlds, a receiver that fails once per world, and a page that shows one scene after another.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import type { Kit } from "../browser-kit.ts";
import { HEIGHT, type Shot } from "./references.ts";
import { type Scene, show } from "./scenes.ts";
import { asAlways, type Pictured, picturedWorlds, type State } from "./worlds.ts";

export interface Stage {
  worlds: Record<State, Pictured>;
  receiver: string;
  close: () => void;
}

export interface Receiver {
  url: string;
  close: () => void;
}

/** It fails once at each address. */
export async function startReceiver(): Promise<Receiver> {
  const failed = new Set<string>();
  const server = createServer((request, response) => {
    const { url = "" } = request;
    request.resume().on("end", () => response.writeHead(failed.has(url) ? 204 : 500).end(() => failed.add(url)));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

export async function setStage({ sandbox }: Kit): Promise<Stage> {
  const { url, close } = await startReceiver();
  return { worlds: await picturedWorlds(sandbox, url), receiver: url, close };
}

/** A page that is told what it is always told. */
export async function openSteady(
  kit: Kit,
  { receiver }: Stage,
  size?: { width: number; height: number },
): Promise<Page> {
  const page = await kit.open("/", { refusals: true, ...size });
  await asAlways(page, receiver);
  return page;
}

const MOST_LOOKS = 20;

/** Of a scene at rest: two pictures, one after the other, are equal. */
export async function shoot(page: Page, kit: Kit, { scene, shot, stage }: { scene: Scene; shot: Shot; stage: Stage }) {
  await page.emulateMedia({ colorScheme: shot.theme, reducedMotion: "reduce" });
  await page.setViewportSize({ width: shot.width, height: HEIGHT });
  await show(page, kit.sandbox.url, scene, stage.worlds[shot.state]);
  let last = await page.screenshot();
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const next = await page.screenshot();
    if (next.equals(last)) break;
    last = next;
  }
  return last;
}
