// Certificates, and the keys that signed them, in PostgreSQL.
import type {
  CertificateKeyRow,
  CertificateRow,
  CertificateStore,
} from "../../engine/world/store/certificate-store.ts";
import type { Database, Query } from "./connection.ts";
import { instant } from "./team-rows.ts";

/** A key without an end signs; there is one at most. The tables may be there: who goes back to 0.2.0 takes the step out, and keeps them. */
export const CERTIFICATE_STEP = `create table if not exists certificates (
     id text collate "C" primary key,
     team text collate "C" references teams on delete cascade,
     jws text not null,
     issued_at timestamptz not null default now(),
     expires_at timestamptz not null,
     revoked_at timestamptz,
     revoked_for text
   );
   create index if not exists certificates_of_team on certificates (team, issued_at);
   create table if not exists certificate_keys (
     kid text collate "C" primary key,
     public jsonb not null,
     sealed text,
     created_at timestamptz not null default now(),
     retired_at timestamptz
   );
   create unique index if not exists certificate_key_that_signs on certificate_keys ((true)) where retired_at is null`;

/** Whether it has expired is said by the database's clock, so that all nodes agree. */
const CERTIFICATE = `id, team, jws, ${instant("expires_at")} as expires_at, expires_at <= now() as is_expired,
  ${instant("revoked_at")} as revoked_at, revoked_for`;
const KEY = `kid, public, sealed, ${instant("created_at")} as created_at, ${instant("retired_at")} as retired_at`;

/** The store of the witness. Rows as the control API shows them, instants as ISO 8601 text in UTC. */
export function certificateRows({ query, transaction }: Database): CertificateStore {
  const one = async (sql: string, values: readonly unknown[]) => (await query<CertificateRow>(sql, values)).rows[0];
  return {
    addCertificate: async ({ id, team, jws, expires_at }) =>
      (await one(
        `insert into certificates (id, team, jws, expires_at) values ($1, $2, $3, $4) returning ${CERTIFICATE}`,
        [id, team, jws, expires_at],
      )) as CertificateRow,
    async certificates(team, most) {
      const { rows } = await query<CertificateRow>(
        `select ${CERTIFICATE} from certificates where $1::text is null or team = $1 order by issued_at desc, id limit $2`,
        [team ?? null, most],
      );
      return rows;
    },
    certificate: (id) => one(`select ${CERTIFICATE} from certificates where id = $1`, [id]),
    // Revoking twice keeps the first instant and reason: a revocation is a fact that was published.
    revokeCertificate: (id, reason) =>
      one(
        `update certificates set revoked_for = case when revoked_at is null then $2 else revoked_for end,
           revoked_at = coalesce(revoked_at, now()) where id = $1 returning ${CERTIFICATE}`,
        [id, reason],
      ),
    async certificateKeys() {
      const { rows } = await query<CertificateKeyRow>(
        `select ${KEY} from certificate_keys order by certificate_keys.retired_at desc nulls first, kid`,
      );
      return rows;
    },
    // Nodes that start together each offer a key; the unique index lets one in, and all use that one.
    firstCertificateKey: (key) =>
      transaction(async (run) => {
        await addKey(run, key);
        const { rows } = await run<CertificateKeyRow>(
          `select ${KEY} from certificate_keys where certificate_keys.retired_at is null`,
        );
        return rows[0] as CertificateKeyRow;
      }),
    rotateCertificateKey: (key) =>
      transaction(async (run) => {
        // Two that rotate at once do it one after another.
        await run("lock table certificate_keys in share row exclusive mode");
        // The private half goes with the retirement: what it signed stays verifiable, and nothing new can be signed.
        await run("update certificate_keys set retired_at = now(), sealed = null where retired_at is null");
        return (await addKey(run, key)) as CertificateKeyRow;
      }),
  };
}

/** Undefined: another one signs. */
async function addKey(
  run: Query,
  { kid, public: half, sealed }: Parameters<CertificateStore["firstCertificateKey"]>[0],
): Promise<CertificateKeyRow | undefined> {
  const { rows } = await run<CertificateKeyRow>(
    `insert into certificate_keys (kid, public, sealed) values ($1, $2, $3) on conflict do nothing returning ${KEY}`,
    [kid, JSON.stringify(half), sealed],
  );
  return rows[0];
}
