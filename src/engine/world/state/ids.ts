// The ids of a world: each follows from its seed and its position in the sequence. 32 lower-case hex digits, written as a UUID or bare
// (assumption: ids).
import { hash } from "node:crypto";

type Form = "uuid" | "bare";

const DIGITS = 32;

/** The same for the same seed and position. The digits of two neighbours are those of one hash. */
export function idAt(seed: string, position: number, form: Form): string {
  const digits = hash("sha256", `${seed}:${Math.floor(position / 2)}`, "hex");
  return formatId(position % 2 === 0 ? digits : digits.slice(DIGITS), form);
}

/** Of the text alone: the same text gives the same id in every world. */
export const hashToId = (text: string, form: Form): string => formatId(hash("sha256", text, "hex"), form);

function formatId(hex: string, form: Form): string {
  const digits = hex.slice(0, DIGITS);
  return form === "bare" ? digits : digits.replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
