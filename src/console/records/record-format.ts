// Formats record data: the colours of states, and JSON in which record ids are links.
import type { Schemas } from "../../client/control.ts";

type Reference = Schemas["RecordReference"];

interface Piece {
  text: string;
  /** The record whose id the text is. */
  link?: Reference;
}

/** Splits indented JSON into pieces, so that each id of a referenced record is a piece of its own. */
export function splitJson(value: unknown, references: readonly Reference[]): Piece[] {
  const links = new Map(references.map((each) => [JSON.stringify(each.id), each]));
  const text = JSON.stringify(value, null, 2) ?? "";
  // A string at the end of a line is a value; a string before a colon is a property name.
  return text.split(/("(?:[^"\\]|\\.)*")(?=,?\n|$)/).flatMap((piece): Piece[] => {
    const link = links.get(piece);
    return link ? [{ text: '"' }, { text: piece.slice(1, -1), link }, { text: '"' }] : [{ text: piece }];
  });
}

/** Formats an instant without seconds. */
export const formatBriefInstant = (instant = ""): string => instant.slice(0, 16).replace("T", " ");

/** Returns the colour of a state. */
export function getStateTone(state: string): "ok" | "bad" | "warn" | "quiet" {
  if (/^(ACTIVE|COMPLETED|CHECKED_IN|DELIVERED|ENABLED|PAID)$/.test(state)) return "ok";
  if (/^(CANCELLED|VOIDED|GIVEN_UP|REVOKED|FAILED|DELETED)$/.test(state)) return "bad";
  return /^(PROCESSING|PENDING|INITIATED|DISABLED)$/.test(state) ? "warn" : "quiet";
}
