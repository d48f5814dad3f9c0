// Defines how checks report problems.
import type { MemberPath } from "../schema.ts";

/** Reports the reason why the value at the path is invalid. */
export type Say = (path: MemberPath, reason: string) => void;
