// A text as one segment of the path of a URL, and back.

/** `.` and `..` are steps in a path even where they are encoded, so that they would lead elsewhere: they are encoded twice. */
export const encodeSegment = (text: string): string =>
  encodeURIComponent(text === "." || text === ".." ? text.replaceAll(".", "%2E") : text);

/** Undoes the second encoding of a segment that was decoded once. */
export const decodeDots = (segment: string): string =>
  segment === "%2E" || segment === "%2E%2E" ? decodeURIComponent(segment) : segment;

/** Undefined where it is not UTF-8. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeDots(decodeURIComponent(segment));
  } catch {
    return undefined;
  }
}
