// Finds the position of a value in a JSON or YAML text: the yaml package reads both and keeps the range of every node.
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type ParsedNode,
  parseDocument,
  type YAMLError,
} from "yaml";

export type Path = readonly (string | number)[];

export interface Position {
  line: number;
  column: number;
}

export interface Positioned {
  document: Document;
  errors: readonly (Position & Pick<YAMLError, "message">)[];
  /** Returns the position of the value at a path, or of the nearest value around it. */
  positionOf(path: Path): Position;
  /** Returns the position of a name in the map at the top. */
  positionOfKey(key: string): Position;
}

/** Messages for people, where those of the package are for programmers. */
const OWN_WORDS: { readonly [code in YAMLError["code"]]?: string } = {
  DUPLICATE_KEY: "one map has this name twice. Remove or rename one of the two",
  TAB_AS_INDENT: "a tab can't indent a line. Use spaces",
  BLOCK_AS_IMPLICIT_KEY:
    "a value in the line of its name can't have names of its own. Put a text with a colon in quotes, and don't indent the next line further",
  MULTIPLE_DOCS: "a second document begins here, but a file can have only one. Move it to a file of its own",
};

/**
 * Names the nearest columns at which values of the lines above begin. Returns undefined for errors other than a
 * wrong indentation.
 */
function explainIndentation(message: string, text: string, { line }: Position): string | undefined {
  if (!/start at the same column|without - indicator/.test(message)) return undefined;
  const lines = text.split("\n").slice(0, line);
  const indented = lines.pop()?.search(/[^ ]/);
  const starts = lines.flatMap((each) => {
    const [, spaces = "", dash = ""] = /^( *)(- +)?[^ #]/.exec(each) ?? [];
    return dash === "" ? [spaces.length] : [spaces.length, spaces.length + dash.length];
  });
  const columns = [...new Set(starts.slice(-6))].sort((one, other) => one - other);
  return `the line is indented by ${indented}, and the lines above it by ${columns.join(", ")}. Indent it like the line that it belongs to`;
}

/** Whether two names are equal as text: `1` and `"1"` are one name. */
const haveSameName = (one: ParsedNode, other: ParsedNode): boolean =>
  isScalar(one) && isScalar(other) && String(one.value) === String(other.value);

export function readPositioned(text: string, { allowsDuplicates = false } = {}): Positioned {
  const lines = new LineCounter();
  const uniqueKeys = allowsDuplicates ? false : haveSameName;
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys });
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  return {
    document,
    errors: document.errors.map(({ pos, code, message }) => {
      const position = at(pos[0]);
      return { ...position, message: OWN_WORDS[code] ?? explainIndentation(message, text, position) ?? message };
    }),
    positionOf(path) {
      for (let depth = path.length; depth >= 0; depth--) {
        const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
        if (isNode(node) && node.range) return at(node.range[0]);
      }
      return { line: 1, column: 1 };
    },
    positionOfKey(key) {
      const pairs = isMap(document.contents) ? document.contents.items : [];
      const found = pairs.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)?.key;
      return isNode(found) && found.range ? at(found.range[0]) : { line: 1, column: 1 };
    },
  };
}

/** Removes the values at these paths, and a map that becomes empty. Comments of the other values stay. */
export function omitMembers(text: string, paths: readonly Path[]): string {
  const document = parseDocument(text);
  // Values are removed from the end, because the removal of an item moves the next ones.
  for (const path of [...paths].reverse()) {
    document.deleteIn(path);
    const around = document.getIn(path.slice(0, -1));
    if (path.length > 1 && isMap(around) && around.items.length === 0) document.deleteIn(path.slice(0, -1));
  }
  return text.trimStart().startsWith("{")
    ? `${JSON.stringify(document.toJS(), null, 2)}\n`
    : document.toString({ lineWidth: 120 });
}
