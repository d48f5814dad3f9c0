// A text as one segment of the path of a URL, and back.

/** `.` and `..` are steps in a path even where they are encoded, so that they would lead elsewhere: they are encoded twice. */
export const encodeSegment = (text: string): string =>
  encodeURIComponent(text === "." || text === ".." ? text.replaceAll(".", "%2E") : text);

/** Undefined where it is not UTF-8. */
export function decodeSegment(segment: string): string | undefined {
  try {
    const text = decodeURIComponent(segment);
    return text === "%2E" || text === "%2E%2E" ? decodeURIComponent(text) : text;
  } catch {
    return undefined;
  }
}
