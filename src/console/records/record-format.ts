// What the sandbox says of records, as it is drawn: the colour of a state, and JSON in which the ids of other records can be followed.
import type { Schemas } from "../../client/control.ts";

type Reference = Schemas["RecordReference"];

interface Piece {
  text: string;
  /** The record that the text names. */
  link?: Reference;
}

/** JSON as it is read, in pieces: each text that is the id of one of these records apart. */
export function splitJson(value: unknown, references: readonly Reference[]): Piece[] {
  const links = new Map(references.map((each) => [JSON.stringify(each.id), each]));
  const text = JSON.stringify(value, null, 2) ?? "";
  // A text at the end of a line is a value; before a colon it is the name of a member.
  return text.split(/("(?:[^"\\]|\\.)*")(?=,?\n|$)/).flatMap((piece): Piece[] => {
    const link = links.get(piece);
    return link ? [{ text: '"' }, { text: piece.slice(1, -1), link }, { text: '"' }] : [{ text: piece }];
  });
}

/** An instant in a list, without its seconds. */
export const formatBriefInstant = (instant = ""): string => instant.slice(0, 16).replace("T", " ");

/** Good, bad, or to be waited for. */
export function getStateTone(state: string): "ok" | "bad" | "warn" | "quiet" {
  if (/^(ACTIVE|COMPLETED|CHECKED_IN|DELIVERED|ENABLED|PAID)$/.test(state)) return "ok";
  if (/^(CANCELLED|VOIDED|GIVEN_UP|REVOKED|FAILED|DELETED)$/.test(state)) return "bad";
  return /^(PROCESSING|PENDING|INITIATED|DISABLED)$/.test(state) ? "warn" : "quiet";
}
