// The rows of a world as compressed text: a line each, with the collection, a tab, and the record.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { textOf } from "../../../state/serialized-record.ts";
import type { Change, Row, StateDump } from "../../log-records.ts";

/** Of a commit and of a checkpoint. */
export const FORMAT = 1;

const [pack, unpack] = [promisify(gzip), promisify(gunzip)];

export function packed(lines: readonly string[]): Promise<Buffer> {
  return pack(lines.join("\n"), { level: 3 });
}

export const lineOf = ([collection, , row]: Change): string => `${collection}\t${JSON.stringify(row)}`;

export function linesOf(collections: StateDump extends Iterable<readonly [string, infer C]> ? C : never): string[] {
  const lines: string[] = [];
  for (const [collection, rows] of collections) for (const row of rows) lines.push(`${collection}\t${textOf(row)}`);
  return lines;
}

export async function rowsIn(body: Buffer): Promise<Change[]> {
  const text = (await unpack(body)).toString("utf8");
  if (text === "") return [];
  return text.split("\n").map((line): Change => {
    const tab = line.indexOf("\t");
    const row = JSON.parse(line.slice(tab + 1)) as Row;
    return [line.slice(0, tab), row.id, row];
  });
}
