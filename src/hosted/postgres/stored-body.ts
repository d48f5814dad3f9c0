// A body on its way into the database and out of it. The driver copies each value of a statement as a whole, and more than once: 20 MB
// kept the loop for 130 ms. So what is long goes in pieces: in as a large object, which the transaction makes and removes, and out by
// `substring`.
import type { Query } from "./connection.ts";

/** Bytes. */
const PIECE = 1 << 20;

export const bytesIn = (parts: readonly Buffer[]): number => parts.reduce((sum, part) => sum + part.length, 0);

/** A body in a statement, whose parameters from this number on are the two that `withBody` gives. */
export const bodyAt = (number: number): string => `coalesce($${number}::bytea, lo_get($${number + 1}::oid))`;

type BodyValues = readonly [body: Buffer | null, object: number | null];

/** Only within a transaction: what fails leaves no object behind then. */
export async function withBody(
  query: Query,
  parts: readonly Buffer[],
  write: (values: BodyValues) => Promise<unknown>,
): Promise<void> {
  if (bytesIn(parts) <= PIECE) {
    await write([Buffer.concat(parts), null]);
    return;
  }
  // A large object is written piece by piece, which the value of a parameter can't be.
  const { rows } = await query<{ object: number }>("select lo_create(0) as object");
  const object = rows[0]?.object ?? 0;
  let written = 0;
  for (const piece of piecesOf(parts)) {
    await query("select lo_put($1, $2, $3)", [object, written, piece]);
    written += piece.length;
  }
  await write([null, object]);
  await query("select lo_unlink($1)", [object]);
}

/** Cuts long parts and joins short ones: a statement for each small part would cost more than its bytes. */
function* piecesOf(parts: readonly Buffer[]): Generator<Buffer> {
  let [filling, bytes]: [Buffer[], number] = [[], 0];
  for (const part of parts)
    for (let at = 0; at < part.length; at += PIECE) {
      const next = part.subarray(at, at + PIECE);
      if (bytes + next.length > PIECE) {
        yield Buffer.concat(filling);
        [filling, bytes] = [[], 0];
      }
      filling.push(next);
      bytes += next.length;
    }
  yield Buffer.concat(filling);
}

/** What a statement selects of a body: its first piece, and how many bytes it has. */
export const FIRST_PIECE = `substring(body from 1 for ${PIECE}) as piece, octet_length(body) as bytes`;

export interface FirstPiece {
  piece: Buffer;
  bytes: number;
}

/** `rest`: where the other pieces are, as the end of a statement with its values. Throws where they are gone. */
export async function* bodyIn(
  query: Query,
  { piece, bytes }: FirstPiece,
  rest: readonly [from: string, values: readonly unknown[]],
): AsyncGenerator<Buffer> {
  yield piece;
  const [from, values] = rest;
  for (let read = piece.length; read < bytes; ) {
    const { rows } = await query<{ piece: Buffer }>(
      `select substring(body from ${read + 1} for ${PIECE}) as piece ${from}`,
      values,
    );
    const [next] = rows;
    // A body is replaced as a whole, so a missing piece means that it was replaced or removed while it was read.
    if (!next || next.piece.length === 0) throw new Error("a part of a body is missing");
    yield next.piece;
    read += next.piece.length;
  }
}
