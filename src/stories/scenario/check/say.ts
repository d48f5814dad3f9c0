// How a check tells what it finds.
import type { Place } from "../schema.ts";

/** What is wrong with the value at a path. */
export type Say = (path: Place, reason: string) => void;
