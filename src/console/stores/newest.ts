// A number that grows when something has happened in the world, once a second at most: what screens of records are asked for again by.
import { effect, signal } from "@preact/signals";
import { changed } from "./log.ts";

export const newest = signal(0);

const WAIT_MS = 1000;
let timer = 0;

effect(() => {
  changed.value;
  if (timer) return;
  timer = window.setTimeout(() => {
    timer = 0;
    newest.value++;
  }, WAIT_MS);
});
