// Certificates of a shared sandbox. The guard has checked who asks; a certificate of another team is not there.
import type { TeamsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import { noWorld } from "../named-world.ts";
import { rejectNul } from "../teams/admission.ts";
import { certificateListed, certificateView, noCertificate } from "../teams/certificate-view.ts";
import { handlersWith, ok, type Requested } from "./handler.ts";
import { teamsOf } from "./teams.ts";

/** The newest. */
const MOST_LISTED = 500;
/** For the header retry-after. */
const BUSY_SECONDS = 5;

export const certificates = handlersWith<TeamsPort>()({
  async listCertificates({ application, exchange }) {
    const { store } = teamsOf(application);
    // The operator sees those of all teams.
    const rows = await store.certificates(exchange.principal?.team ?? undefined, MOST_LISTED);
    return ok({ items: rows.map(certificateListed) });
  },
  async createCertificate(requested) {
    // Before anything is judged, which takes long.
    const team = await teamOfWorlds(requested);
    const made = await signerOf(requested.application).issue(requested.body, team);
    if (!made) {
      const message = `This node judges as many programs as it can at once. Send the request again in ${BUSY_SECONDS} s.`;
      throw new HttpError(429, message, { headers: { "retry-after": String(BUSY_SECONDS) } });
    }
    // A refusal is a sentence, not an error of ours.
    if ("why" in made) throw new HttpError(409, made.why, { code: made.code });
    return { status: 201, body: certificateView(made) };
  },
  async getCertificate({ application, path: { certificateId } }) {
    const row = await teamsOf(application).store.certificate(certificateId);
    if (!row) throw noCertificate(certificateId);
    return ok(certificateView(row));
  },
  async revokeCertificate({ application, path: { certificateId }, body }) {
    if (body.reason.includes("\0")) rejectNul("body.reason");
    const row = await teamsOf(application).store.revokeCertificate(certificateId, body.reason);
    if (!row) throw noCertificate(certificateId);
    return ok(certificateView(row));
  },
  async rotateCertificateKey({ application }) {
    const made = await signerOf(application).rotate();
    if ("why" in made) throw new HttpError(409, made.why, { code: made.code });
    const { kid, created_at, retired_at } = made;
    return { status: 201, body: { kid, created_at, retired_at } };
  },
});

function signerOf(application: TeamsPort) {
  teamsOf(application);
  if (!application.certificates) throw new Error("there are teams and no certificates");
  return application.certificates;
}

/** That of all worlds. A world that does not exist gets the same answer as one of another team. */
async function teamOfWorlds({
  application,
  exchange,
  body: { runs, soak, books },
}: Requested<"createCertificate", TeamsPort>): Promise<string | null> {
  const teams = teamsOf(application);
  const own = exchange.principal?.team ?? null;
  const worlds = [...runs.map(({ world }) => world), ...[soak, books].flatMap((each) => each?.world ?? [])];
  let of: string | null | undefined;
  for (const world of new Set(worlds)) {
    const team = await teams.teamOf(world);
    if (team === undefined || (own !== null && team !== own)) throw noWorld(world);
    if (of !== undefined && team !== of)
      throw new HttpError(400, `World ${world} is of another team than ${worlds[0]}. A certificate is of one team.`);
    of = team;
  }
  return of ?? null;
}
