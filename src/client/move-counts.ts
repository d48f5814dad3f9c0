// What a move of the clock did, in words: the same in the console and in the terminal.
import { count } from "../platform/count.ts";
import type { Schemas } from "./control.ts";

/** "7 due, 35 deliveries", or "nothing due". */
export const formatMoveCounts = ({ due, deliveries }: Schemas["MoveCounts"]): string =>
  due + deliveries === 0 ? "nothing due" : `${due} due, ${count(deliveries, "delivery", "deliveries")}`;
