// The checks that need only the log of the world, each with the requests that it is based on.
import { unwrap } from "../api.ts";
import { StoryLink } from "../parts/links.tsx";
import { Badge, Loading, Prose } from "../parts/primitives.tsx";
import { Table } from "../parts/table.tsx";
import { useQuery } from "../query.ts";
import { toHref } from "../router.ts";
import { worldVersion } from "../stores/world-version.ts";
import { formatOutcome, hasAdvice, TONES } from "./outcomes.ts";

/** A link to the request, which may be in another world of the same run. */
const EvidenceLink = ({ id, world }: { id: string; world: string | undefined }) =>
  world === undefined ? (
    <StoryLink id={id} />
  ) : (
    <a class="id" href={toHref("story", [id], { world })}>
      {id}
    </a>
  );

export function LogChecks() {
  const { data, problem } = useQuery([worldVersion.value], (api) => unwrap(api.GET("/_sandbox/lint")));
  return (
    <>
      <h2>{data ? `Checks of the last ${data.requests} requests` : "Checks"}</h2>
      <p class="quiet">
        These checks use the log alone. They can’t test lost responses, duplicate webhooks or clock changes. Checks that
        your program never reached are “not exercised” and don’t count as passed.
      </p>
      {!data && <Loading problem={problem} />}
      <Table columns={["Check", "Expectation", "Result", "Evidence"]} label="Checks" look="panel verdict">
        {data?.items.map(({ id, title, outcome, says, evidence, advice }) => (
          <tr key={id}>
            <th scope="row">{id}</th>
            <td>
              {title}
              <p class="quiet">{says}</p>
              {hasAdvice(outcome) && (
                <p>
                  Fix: <Prose text={advice} />
                </p>
              )}
            </td>
            <td>
              <Badge tone={TONES[outcome]}>{formatOutcome(outcome)}</Badge>
            </td>
            <td>
              {evidence.map((each) => (
                <span key={each.id}>
                  <EvidenceLink id={each.id} world={each.world} />{" "}
                </span>
              ))}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
