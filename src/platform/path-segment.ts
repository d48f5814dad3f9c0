// Encodes a text as one segment of the path of a URL, and decodes it.

/** Encodes `.` and `..` twice, because they are steps of a path even in encoded form. */
export const encodeSegment = (text: string): string =>
  encodeURIComponent(text === "." || text === ".." ? text.replaceAll(".", "%2E") : text);

/** Undoes the second encoding of a segment that was decoded once. */
export const decodeDots = (segment: string): string =>
  segment === "%2E" || segment === "%2E%2E" ? decodeURIComponent(segment) : segment;

/** Returns undefined if the segment is not UTF-8. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeDots(decodeURIComponent(segment));
  } catch {
    return undefined;
  }
}
