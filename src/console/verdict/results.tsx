// The checks of a verdict with the same outcome, each with its evidence.
import type { Schemas } from "../api.ts";
import { Badge, CopyButton, Prose } from "../parts/primitives.tsx";
import { toHref, worldId } from "../router.ts";
import { formatOutcome, hasAdvice, TONES } from "./outcomes.ts";

export type Verdict = Schemas["Verdict"];
type Result = Schemas["VerdictResult"];

/** The results with one outcome. `back` is the id of the verdict, for the link back from a story. */
export function Results({ outcome, verdict, back }: { outcome: Result["outcome"]; verdict: Verdict; back: string }) {
  const results = verdict.results.filter((each) => each.outcome === outcome);
  if (results.length === 0) return null;
  return (
    <section class="panel" aria-label={formatOutcome(outcome)}>
      <h2>
        {results.length} {formatOutcome(outcome)}
      </h2>
      {results.map((result) => (
        <ResultView key={result.id} result={result} back={back} />
      ))}
    </section>
  );
}

function ResultView({ result, back }: { result: Result; back: string }) {
  const { id, title, outcome, says, evidence, advice, add, again, ignored } = result;
  return (
    <div class="result">
      <h3>
        <Badge tone={TONES[outcome]}>{id}</Badge> {title}
      </h3>
      <p>{says}</p>
      <ul class="plain-list small">
        {evidence.map((each, index) => (
          <li key={index}>
            <EvidenceLink {...each} back={back} /> {each.says}
          </li>
        ))}
      </ul>
      {ignored && (
        <p class="quiet">
          Ignored until {ignored.until}: {ignored.reason}
        </p>
      )}
      {hasAdvice(outcome) && (
        <p>
          Fix: <Prose text={advice} />
        </p>
      )}
      {add && <p class="quiet">{add}</p>}
      {hasAdvice(outcome) && (
        <p class="small">
          <code>{again}</code> <CopyButton text={() => again}>Copy</CopyButton>
        </p>
      )}
    </div>
  );
}

/** A link to the story of the evidence, which links back to this verdict. */
function EvidenceLink({ id, world, back }: Schemas["VerdictEvidence"] & { back: string }) {
  if (world === undefined) return <span class="id">{id}</span>;
  return (
    <a class="id" href={toHref("story", [id], { world, verdict: back, of: worldId.value })}>
      {id}
    </a>
  );
}
