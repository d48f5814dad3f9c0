// Pictures of the console being taken: the worlds, a receiver that fails once per world, and a page that shows one scene after another.
import type { Page } from "playwright-core";
import { type LocalServer, startLocalServer } from "../../local-server.ts";
import type { Kit } from "../browser-kit.ts";
import { HEIGHT, type Shot } from "./references.ts";
import { type Scene, show } from "./scenes.ts";
import { asAlways, type Pictured, picturedWorlds, type State } from "./worlds.ts";

export interface Stage {
  worlds: Record<State, Pictured>;
  receiver: string;
  close: () => void;
}

/** It fails once at each address. */
export function startReceiver(): Promise<LocalServer> {
  const failed = new Set<string>();
  return startLocalServer((request, response) => {
    const { url = "" } = request;
    request.resume().on("end", () => response.writeHead(failed.has(url) ? 204 : 500).end(() => failed.add(url)));
  });
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

interface Taking {
  scene: Scene;
  stage: Stage;
  shots: readonly Shot[];
}

/** One picture after the other: a world is loaded once, and then seen in other widths and themes. */
export async function* shoot(page: Page, kit: Kit, { scene, stage, shots }: Taking): AsyncGenerator<[Shot, Buffer]> {
  let state: State | undefined;
  for (const shot of shots) {
    await page.emulateMedia({ colorScheme: shot.theme, reducedMotion: "reduce" });
    await page.setViewportSize({ width: shot.width, height: HEIGHT });
    if (shot.state !== state || scene.isPage) await show(page, kit.sandbox.url, scene, stage.worlds[shot.state]);
    state = shot.state;
    yield [shot, await atRest(page)];
  }
}

const MOST_LOOKS = 20;

/** Two pictures, one after the other, are equal. */
async function atRest(page: Page): Promise<Buffer> {
  let last = await page.screenshot();
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const next = await page.screenshot();
    if (next.equals(last)) break;
    last = next;
  }
  return last;
}
