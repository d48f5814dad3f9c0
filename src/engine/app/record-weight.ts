// What a record takes in memory, roughly and cheaply: for a bound, not for a bill.

/** Records of a collection are much alike, so that one of a few is weighed. */
const WEIGHED = 16;
const sizes = new Map<string, { bytes: number; left: number }>();

export function sizeOf(collection: string, record: object): number {
  const known = sizes.get(collection);
  if (known && known.left-- > 0) return known.bytes;
  const bytes = weigh(record);
  sizes.set(collection, { bytes, left: WEIGHED - 1 });
  return bytes;
}

/** Roughly: 16 bytes for each value, and one for each character of a text. */
function weigh(value: unknown): number {
  if (typeof value === "string") return 16 + value.length;
  if (typeof value !== "object" || value === null) return 16;
  let bytes = 32;
  for (const name in value) bytes += weigh((value as Record<string, unknown>)[name]);
  return bytes;
}
