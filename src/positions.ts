// Where a value stands in a JSON or YAML text: the yaml package reads both, and keeps the range of every node.
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument, type YAMLError } from "yaml";

export type Path = readonly (string | number)[];

export interface Position {
  line: number;
  column: number;
}

export interface Positioned {
  document: Document;
  errors: readonly (Position & Pick<YAMLError, "message">)[];
  /** The position of the value at a path, or of the nearest value around it. */
  positionOf(path: Path): Position;
  /** The position of a name in the map at the top. */
  positionOfKey(key: string): Position;
}

export function readPositioned(text: string, options: { uniqueKeys?: boolean } = {}): Positioned {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, ...options });
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  return {
    document,
    errors: document.errors.map(({ pos, message }) => ({ ...at(pos[0]), message })),
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
