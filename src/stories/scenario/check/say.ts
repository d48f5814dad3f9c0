// How a check tells what it finds.
import type { MemberPath } from "../schema.ts";

/** What is wrong with the value at a path. */
export type Say = (path: MemberPath, reason: string) => void;
