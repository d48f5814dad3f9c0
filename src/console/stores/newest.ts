// A number that grows when something has happened in the world, once a second at most: what screens of records are asked for again by.
import { effect, signal } from "@preact/signals";
import { logVersion } from "./log.ts";

export const worldVersion = signal(0);

const MIN_INTERVAL_MS = 1000;
let timer = 0;

effect(() => {
  logVersion.value;
  if (timer) return;
  timer = window.setTimeout(() => {
    timer = 0;
    worldVersion.value++;
  }, MIN_INTERVAL_MS);
});
