// A JSON body after it was parsed and written again, as common languages write it: none of these is the text that was signed.
interface Way {
  by: string;
  between: string;
  after: string;
  sorted?: true;
  /** Characters that it escapes. */
  escaped?: RegExp;
}

const NOT_ASCII = /[^\x20-\x7e]/g;

const ways: readonly Way[] = [
  { by: "Python's json.dumps", between: ", ", after: ": ", escaped: NOT_ASCII },
  { by: "Python's json.dumps with sort_keys", between: ", ", after: ": ", escaped: NOT_ASCII, sorted: true },
  { by: "json.dumps with ensure_ascii=False", between: ", ", after: ": " },
  { by: "a writer that sorts the members, such as Go's of a map", between: ",", after: ":", sorted: true },
  { by: "Go's encoding/json", between: ",", after: ":", sorted: true, escaped: /[<>&\u2028\u2029]/g },
  { by: "PHP's json_encode", between: ",", after: ":", escaped: /\/|[^\x20-\x7e]/g },
  { by: "a writer that escapes what is not ASCII", between: ",", after: ":", escaped: NOT_ASCII },
  { by: "JSON.stringify", between: ",", after: ":" },
];

/** The texts that differ from the body, each with who writes so. */
export function rewritten(body: string): { by: string; text: string }[] {
  const value = parsed(body);
  const again =
    value === undefined
      ? []
      : [
          ...ways.map((way) => ({ by: way.by, text: serialized(value, way) })),
          ...[2, 4, "\t"].map((indent) => ({ by: "a writer that indents", text: JSON.stringify(value, null, indent) })),
        ];
  const ended = ["\n", "\r\n"].map((end) => ({ by: "a reader that adds a line end", text: `${body}${end}` }));
  // One that decodes with the wrong charset, and signs what it then has.
  const recoded = { by: "a reader that takes UTF-8 for Latin-1", text: Buffer.from(body).toString("latin1") };
  return [...again, ...ended, recoded].filter(({ text }) => text !== body);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function serialized(value: unknown, way: Way): string {
  if (Array.isArray(value)) return `[${value.map((item) => serialized(item, way)).join(way.between)}]`;
  if (typeof value !== "object" || value === null) return escaped(JSON.stringify(value), way);
  const members = Object.entries(value);
  if (way.sorted) members.sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = members.map(
    ([name, member]) => `${escaped(JSON.stringify(name), way)}${way.after}${serialized(member, way)}`,
  );
  return `{${texts.join(way.between)}}`;
}

function escaped(text: string, { escaped: chars }: Way): string {
  if (!chars) return text;
  return text.replace(chars, (char) =>
    char === "/" ? "\\/" : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
