// Computes the ids of a world from its seed and the position in the sequence: 32 lower-case hex digits, as a UUID or
// bare (assumption: ids).
import { hash } from "node:crypto";

type Form = "uuid" | "bare";

const DIGITS = 32;

/** Returns the same id for the same seed and position. One hash has the digits of two ids. */
export function createId(seed: string, position: number, form: Form): string {
  const digits = hash("sha256", `${seed}:${Math.floor(position / 2)}`, "hex");
  return formatId(position % 2 === 0 ? digits : digits.slice(DIGITS), form);
}

/** Returns the same id for the same text in every world. */
export const hashToId = (text: string, form: Form): string => formatId(hash("sha256", text, "hex"), form);

function formatId(hex: string, form: Form): string {
  const digits = hex.slice(0, DIGITS);
  return form === "bare" ? digits : digits.replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
