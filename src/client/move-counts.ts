// Formats the result of a clock move for the console and the terminal.
import { count } from "../platform/count.ts";
import type { Schemas } from "./control.ts";

/** Returns a text such as "7 due, 35 deliveries", or "nothing due". */
export const formatMoveCounts = ({ due, deliveries }: Schemas["MoveCounts"]): string =>
  due + deliveries === 0 ? "nothing due" : `${due} due, ${count(deliveries, "delivery", "deliveries")}`;
