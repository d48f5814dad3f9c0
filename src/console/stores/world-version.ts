// A counter that grows after changes in the world, at most once per second. Screens of records reload when it changes.
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
