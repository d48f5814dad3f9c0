// The verdicts of this world, and the command that creates one.

import { formatCommand } from "../../platform/format-command.ts";
import { unwrap } from "../api.ts";
import { sandboxUrl } from "../home.ts";
import { CopyButton, Instant, Loading } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { toHref } from "../router.ts";
import { worldVersion } from "../stores/world-version.ts";
import { Counts } from "./counts.tsx";

export function StoredVerdicts() {
  const { data, problem } = useQuery([worldVersion.value], (api) => unwrap(api.GET("/_sandbox/verdicts")));
  return (
    <section class="panel" aria-label="Verdicts">
      <h2>Verdicts</h2>
      {!data && <Loading problem={problem} />}
      {data?.items.length === 0 && <VerdictCommand />}
      <ul class="plain-list">
        {data?.items.map(({ id, command, at, counts, no_verdict }) => (
          <li key={id}>
            <Instant at={at} /> <a href={toHref("verdict", [id])}>{command.join(" ")}</a>{" "}
            <Counts counts={counts} no_verdict={no_verdict} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The command stores its verdict in the default world, which may not be the shown one. */
function VerdictCommand() {
  const command = formatCommand(`check --url ${sandboxUrl} --keep -- npm test`);
  return (
    <>
      <p class="quiet">
        No verdicts yet. A verdict runs your program repeatedly, injects network and host failures, and reports how it
        behaved. Create one with:
      </p>
      <p>
        <code>{command}</code> <CopyButton text={() => command}>Copy</CopyButton>
      </p>
    </>
  );
}
