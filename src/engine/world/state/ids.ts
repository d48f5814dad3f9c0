// The ids of a world: each follows from its seed and its position in the sequence. 32 lower-case hex digits, written as a UUID or bare
// (assumption: ids).
import { hash } from "node:crypto";

type Form = "uuid" | "bare";

const DIGITS = 32;
/** What an id is written on, and where each digit goes. */
const SHEET: Readonly<Record<Form, Buffer>> = {
  uuid: Buffer.from("........-....-....-....-............"),
  bare: Buffer.alloc(DIGITS, "."),
};
const POSITIONS: Readonly<Record<Form, readonly number[]>> = {
  uuid: positionsOn(SHEET.uuid),
  bare: positionsOn(SHEET.bare),
};

function positionsOn(sheet: Buffer): number[] {
  return Array.from(sheet.keys()).filter((at) => sheet[at] === ".".charCodeAt(0));
}

/** The latest hash, and what it is of. */
const last = { seed: "", pair: -1, digits: "" };

/** The same for the same seed and position; two neighbours come of one hash. */
export function idAt(seed: string, position: number, form: Form): string {
  const pair = Math.floor(position / 2);
  if (last.pair !== pair || last.seed !== seed) {
    last.digits = hash("sha256", `${seed}:${pair}`, "hex");
    last.seed = seed;
    last.pair = pair;
  }
  return written(last.digits, position % 2 === 0 ? 0 : DIGITS, form);
}

/** Of the text alone: the same text gives the same id in every world. */
export const idFor = (text: string, form: Form): string => written(hash("sha256", text, "hex"), 0, form);

/** As a text of its own, a third of the time of a pattern: a slice would keep all that it is cut from. */
function written(digits: string, from: number, form: Form): string {
  const [sheet, positions] = [SHEET[form], POSITIONS[form]];
  for (let digit = 0; digit < DIGITS; digit++) sheet[positions[digit] as number] = digits.charCodeAt(from + digit);
  return sheet.toString("latin1");
}
