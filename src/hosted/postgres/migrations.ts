// Creates and upgrades the tables by steps. If several nodes start at once, one of them runs the steps.
import { hash } from "node:crypto";
import { StoreError } from "../../engine/log/index.ts";
import type { Database, Query } from "./connection.ts";
import { STEPS } from "./tables.ts";

/** Any number that is the same on all nodes. */
const LOCK = 7_031_994;

const computeChecksum = (sql: string): string => hash("sha256", sql, "hex").slice(0, 16);

/** Throws a StoreError where the tables are newer than this version, or are not the ones that it made. */
export async function migrate(database: Database): Promise<void> {
  await database.transaction(async (query) => {
    // The lock ends with the transaction, so a node that dies leaves no lock and no half of a step.
    await query("select pg_advisory_xact_lock($1)", [LOCK]);
    const [found] = await query<{ is: boolean }>("select to_regclass('migrations') is not null as is");
    // A user without the right to create tables can start on existing ones.
    if (!found?.is)
      await query("create table migrations (id int primary key, at timestamptz not null, checksum text not null)");
    const rows = await query<{ id: number; checksum: string }>("select id, checksum from migrations order by id");
    if (rows.length > STEPS.length) {
      throw new StoreError(
        `The database has the tables of a newer version (step ${rows.length}, and this one knows ${STEPS.length}). Start a newer version of the sandbox.`,
      );
    }
    for (const { id, checksum: known } of rows) {
      if (known !== computeChecksum(STEPS[id - 1] ?? ""))
        throw new StoreError(
          `Step ${id} of the tables in the database is not the one of this version. Use another database.`,
        );
    }
    for (let id = rows.length + 1; id <= STEPS.length; id++) await runStep(query, id);
  });
}

// Statements are separated by a semicolon at the end of a line, so none may hold one inside.
async function runStep(query: Query, id: number): Promise<void> {
  const sql = STEPS[id - 1] ?? "";
  for (const statement of sql.split(";\n")) await query(statement);
  if (id === 1) await compress(query);
  await query("insert into migrations (id, at, checksum) values ($1, now(), $2)", [id, computeChecksum(sql)]);
}

/** lz4 is smaller and cheaper than the default, where the server was built with it. */
async function compress(query: Query): Promise<void> {
  const found = await query(
    "select 1 from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)",
  );
  if (found.length > 0) await query("alter table journal alter column record set compression lz4");
}
