// Reads a YAML or JSON text that may be hostile: its nesting is limited, before and after aliases are expanded.
import { isDeeperThan } from "../../platform/depth.ts";
import { type Positioned, readPositioned } from "../../platform/positions.ts";

interface ReadValue extends Pick<Positioned, "errors" | "positionOf"> {
  /** Undefined if the text has errors. */
  value?: unknown;
}

const MAX_DEPTH = 64;
export const TOO_DEEP = `it is nested more than ${MAX_DEPTH} levels deep, or holds itself`;

export function readValue(text: string): ReadValue {
  const start = { line: 1, column: 1 };
  const fail = (message: string): ReadValue => ({ errors: [{ ...start, message }], positionOf: () => start });
  if (hasTooManyBrackets(text)) return fail(TOO_DEEP);
  const { document, errors, positionOf } = readPositioned(text);
  if (errors.length > 0) return { errors, positionOf };
  try {
    const value: unknown = document.toJS();
    // The depth is checked again, because expanded aliases can make a shallow text deep.
    return isDeeperThan(MAX_DEPTH, value) ? fail(TOO_DEEP) : { errors, positionOf, value };
  } catch (reason) {
    // Undefined aliases, and aliases that expand to too many values, throw.
    return fail((reason as Error).message);
  }
}

/** Checks the nesting of brackets and inline lists before parsing, because the parser is recursive. */
function hasTooManyBrackets(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === "[" || char === "{") depth++;
    else if ((char === "]" || char === "}") && depth > 0) depth--;
    if (depth > 4 * MAX_DEPTH) return true;
  }
  return /(?:[-?] +){64}/.test(text);
}
