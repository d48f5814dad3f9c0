// The ids of a world: each follows from its seed and its position in the sequence.
import { hash } from "node:crypto";

/** The digits of the latest hash, and what it is of. */
const last = { of: "", digits: Buffer.alloc(64) };

/**
 * 32 lower-case hex digits, the same for the same seed and position in the sequence; two neighbours come of one hash. Each is written for
 * itself: a slice would keep the digits of both.
 */
export function idOf(seed: string, position: number): string {
  const of = `${seed}:${Math.floor(position / 2)}`;
  if (last.of !== of) {
    last.digits.write(hash("sha256", of, "hex"), "latin1");
    last.of = of;
  }
  return position % 2 === 0 ? last.digits.toString("latin1", 0, 32) : last.digits.toString("latin1", 32);
}
