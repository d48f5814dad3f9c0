// What a host does while a program serves: books, changes, cancels, one after the other, each time until the deliveries have settled.
// The same in the control run and in every drill.
import { setTimeout as pause } from "node:timers/promises";
import { dataOf, type Schemas } from "../client/control.ts";
import type { Live } from "./observed.ts";

type Kind = Schemas["Kind"];

const STORY: readonly Kind[] = [
  "v1.booking.created",
  "v1.booking.updated",
  "v1.booking.cancelled",
  "v1.event.created",
  "v1.event.updated",
];

/** Time for the calls that follow a message. */
const SETTLE_MS = 300;
const LONGEST_MS = 3000;

export async function hostStory(live: Live & { quietFor(): number }): Promise<void> {
  for (const kind of STORY) {
    await dataOf(live.control.POST("/_sandbox/trigger", { body: { kind } }));
    await settled(live);
  }
}

export async function settled(live: Live & { quietFor(): number }): Promise<void> {
  const until = performance.now() + LONGEST_MS;
  do await pause(SETTLE_MS / 3);
  while (live.quietFor() < SETTLE_MS && performance.now() < until);
}
