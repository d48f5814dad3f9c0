// Parses texts of the command line by the form that the specification names, so that invalid texts are rejected before a request is sent.
// `label` is the name of the option; an argument has none.
import { constants } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { isDuration, readInstant } from "../engine/domain/index.ts";
import { STATE_LIMIT, STATE_TOO_LARGE, toExcerpt } from "../engine/settings.ts";
import { decodeUtf8, explainRead } from "../platform/bounded-file.ts";
import { parseJson } from "../platform/json.ts";
import { Misuse, toMessage } from "./failure.ts";
import { readSets } from "./set-paths.ts";
import { readKinds } from "./start-settings.ts";

type Form = (text: string, label?: string) => unknown;

/** The forms by their name in the generated table (`read`). */
const FORMS: Readonly<Record<string, Form>> = {
  duration(text, label) {
    if (isDuration(text)) return text;
    throw new Misuse(
      `${label ? `${label} is ${toExcerpt(text)}, which` : toExcerpt(text)} is not a duration. Write it as P3D for three days, or PT90M for ninety minutes.`,
    );
  },
  instant(text, label) {
    const instant = readInstant(text);
    if (instant !== undefined) return instant;
    throw new Misuse(
      `${label ? `${label}: invalid` : "Invalid"} instant "${toExcerpt(text)}". Use ${suggestInstant(text)}.`,
    );
  },
  kind: (text, label = "The kind") => readKinds(label, [text])[0],
  /** "none" becomes undefined, which is not sent. */
  amount: (text) => (text === "none" ? undefined : parseJson(text)),
  tokenId(text) {
    if (!/^sbx_/.test(text)) return text;
    throw new Misuse("That is the token itself. Name its id, as `sandbox token list` shows it.");
  },
  document(file) {
    const size = file === "-" ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0);
    // The sandbox would reject a larger file only after the whole upload.
    if (size > STATE_LIMIT) throw new Misuse(`${file} ${STATE_TOO_LARGE}`);
    try {
      // The file is too long for a string, so the sandbox checks its JSON.
      if (size > constants.MAX_STRING_LENGTH) return readFileSync(file);
      return JSON.parse(decodeUtf8(readFileSync(file === "-" ? 0 : file)));
    } catch (error) {
      const reason = error instanceof SyntaxError ? `is not JSON: ${toMessage(error)}.` : explainRead(error);
      throw new Misuse(`${file} ${reason} Give a file that \`sandbox world export\` wrote.`);
    }
  },
};

/** Returns a value without a form unchanged. */
export function readAs(form: string | undefined, value: unknown, label?: string): unknown {
  if (form === undefined) return value;
  if (form === "sets") return Object.fromEntries(readSets(value as readonly string[]));
  const read = FORMS[form];
  if (!read) throw new Error(`no text has the form ${form}`);
  return read(String(value), label);
}

/** Returns an example instant, on the given day if the text is a day. */
const suggestInstant = (text: string): string =>
  readInstant(`${text}T09:00:00Z`)?.replace(".000Z", "Z") ?? "2030-06-01T09:00:00Z";
