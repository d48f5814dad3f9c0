// What can be said of the program under test by its requests alone; each warning with the requests that show it.
import { control, dataOf } from "../api.ts";
import { StoryLink } from "../parts/links.tsx";
import { Badge, Problem } from "../parts/primitives.tsx";
import { Table } from "../parts/table.tsx";
import { useQuery } from "../query.ts";
import { worldId } from "../router.ts";
import { newest } from "../stores/newest.ts";
import { CHECKS, type Logged, resultOf } from "./checks.ts";

/** What the sandbox lists at most. */
const MOST = 1000;
/** More would hide the other checks; the rest are counted. */
const MOST_LISTED = 6;
const TONES = { pass: "ok", warn: "warn", "not exercised": "quiet" } as const;

export function ByLog() {
  const { data, problem } = useQuery(
    () => dataOf(control.peek().GET("/_sandbox/requests", { params: { query: { limit: MOST } } })),
    [worldId.value, newest.value],
  );
  // The checks read a part of an entry, and nothing of it decides what is requested.
  const log = (data?.items ?? []) as unknown as readonly Logged[];
  return (
    <>
      <h2>By the last {log.length} requests</h2>
      <p class="quiet">
        What the log alone tells. It says nothing of lost answers, webhooks that come twice, or the turn of the clocks:
        those have to be tried. A check that met nothing says so, and is no pass.
      </p>
      <Problem text={problem} />
      <Table columns={["Check", "Asks", "Result", "Shown by"]} label="Checks" look="panel verdict">
        {CHECKS.map(({ id, asks, because, find }) => {
          const finding = find(log);
          const result = resultOf(finding);
          // Negative where all are listed.
          const more = finding.evidence.length - MOST_LISTED;
          return (
            <tr key={id}>
              <th scope="row">{id}</th>
              <td>
                {asks}
                {result === "warn" && <p>{because}</p>}
              </td>
              <td>
                <Badge tone={TONES[result]}>{result}</Badge>
              </td>
              <td>
                {finding.evidence.slice(0, MOST_LISTED).map((each) => (
                  <span key={each}>
                    <StoryLink id={each} />{" "}
                  </span>
                ))}
                {more > 0 && `and ${more} more`}
                {result === "pass" && <span class="quiet">{finding.judged} looked at</span>}
              </td>
            </tr>
          );
        })}
      </Table>
    </>
  );
}
