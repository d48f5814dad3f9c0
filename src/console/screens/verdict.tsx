// The verdict screen: stored verdicts, one verdict in detail, and the checks of the log.
import { formatCommand } from "../../platform/format-command.ts";
import { control, type Schemas, unwrap } from "../api.ts";
import { ActionButton } from "../parts/actions.tsx";
import { StoryLink } from "../parts/links.tsx";
import { Badge, Code, CopyButton, Empty, Instant, Loading, Prose } from "../parts/primitives.tsx";
import { Table } from "../parts/table.tsx";
import { useRead } from "../query.ts";
import { navigate, type ScreenProps, sandboxUrl, toHref, worldId } from "../router.ts";

type Outcome = Schemas["VerdictOutcome"];

/** The outcomes of a check, in display order and with their colours. */
const TONES = { fail: "bad", warn: "warn", undecided: "info", "not-exercised": "quiet", pass: "ok" } as const;
const OUTCOMES = Object.keys(TONES) as Outcome[];

const formatOutcome = (outcome: Outcome): string => outcome.replace("-", " ");

export function Verdict({ rest: [id] }: ScreenProps) {
  if (id) return <VerdictDetail key={id} id={id} />;
  return (
    <>
      <StoredVerdicts />
      <LogChecks />
    </>
  );
}

/** The verdicts of this world, and the command that creates one. */
function StoredVerdicts() {
  const { data, problem } = useRead("/_sandbox/verdicts");
  // The command stores its verdict in the default world, which may not be the shown one.
  const command = formatCommand(`check --url ${sandboxUrl} --keep -- npm test`);
  return (
    <section class="panel" aria-label="Verdicts">
      <h2>Verdicts</h2>
      {!data && <Loading problem={problem} />}
      {data?.items.length === 0 && (
        <>
          <p class="quiet">
            No verdicts yet. A verdict runs your program repeatedly, injects network and host failures, and reports how
            it behaved. Create one with:
          </p>
          <p>
            <code>{command}</code> <CopyButton text={() => command} />
          </p>
        </>
      )}
      <ul class="plain-list">
        {data?.items.map(({ id, command, at, ...summary }) => (
          <li key={id}>
            <Instant at={at} /> <a href={toHref("verdict", [id])}>{command.join(" ")}</a> <Counts {...summary} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The number of checks by outcome. A run without a verdict has no counts. */
function Counts({ counts, no_verdict }: Pick<Schemas["ListedVerdict"], "counts" | "no_verdict">) {
  if (no_verdict) return <Badge tone="warn">no verdict</Badge>;
  return (
    <>
      {OUTCOMES.filter((name) => counts[name] > 0).map((name) => (
        <span key={name}>
          <Badge tone={TONES[name]}>
            {counts[name]} {formatOutcome(name)}
          </Badge>{" "}
        </span>
      ))}
      {counts.ignored > 0 && <Badge>{counts.ignored} ignored</Badge>}
    </>
  );
}

/** The checks that need only the log of the world, each with the requests that it is based on. */
function LogChecks() {
  const { data, problem } = useRead("/_sandbox/lint");
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
              <Advice outcome={outcome} advice={advice} />
            </td>
            <td>
              <Badge tone={TONES[outcome]}>{formatOutcome(outcome)}</Badge>
            </td>
            <td>
              {evidence.map((each) => (
                <p key={each.id}>
                  <EvidenceLink {...each} />
                </p>
              ))}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** What to do about an outcome. A check that passed or was not reached needs no advice. */
function Advice({ outcome, advice }: { outcome: Outcome; advice: string | undefined }) {
  if (outcome === "pass" || outcome === "not-exercised") return null;
  return (
    <p>
      Fix: <Prose text={advice} />
    </p>
  );
}

/** A link to the request, which may be in another world of the same run. A story of a verdict links back to the verdict. */
function EvidenceLink({ id, world, back }: { id: string; world?: string | undefined; back?: string }) {
  if (world === undefined) return back ? <span class="id">{id}</span> : <StoryLink id={id} />;
  const members = back ? { world, verdict: back, of: worldId.value } : { world };
  return (
    <a class="id" href={toHref("story", [id], members)}>
      {id}
    </a>
  );
}

/** A verdict: every check with its evidence, which links to stories in the worlds of the runs. */
function VerdictDetail({ id }: { id: string }) {
  const { data, problem } = useRead("/_sandbox/verdicts/{verdictId}", { path: { verdictId: id } });
  // Verdicts are kept in memory, so a restart removes them.
  if (problem)
    return (
      <Empty title={`There is no verdict ${id} here.`}>
        <p>
          <a href={toHref("verdict")}>To the verdicts</a>
        </p>
      </Empty>
    );
  if (!data) return <p class="quiet">Reading {id} …</p>;
  const { verdict } = data;
  return (
    <article class="stack told">
      <Head id={id} verdict={verdict} />
      {/* A run without a verdict has no results, so the lists below are empty. */}
      {verdict.no_verdict && (
        <section class="panel">
          <p>{verdict.no_verdict.says}</p>
          <Code label="Output">{verdict.no_verdict.output}</Code>
        </section>
      )}
      {OUTCOMES.map((outcome) => (
        <Results key={outcome} outcome={outcome} verdict={verdict} back={id} />
      ))}
    </article>
  );
}

function Head({ id, verdict }: { id: string; verdict: Schemas["Verdict"] }) {
  const { command, at, seed, sandbox, worlds = [] } = verdict;
  // Kept worlds are many and large, so the button says that it removes them too.
  const label = worlds.length === 0 ? "Remove" : `Remove with worlds (${worlds.length})`;
  const remove = async () => {
    const api = control.peek();
    // The worlds are removed first, because only the verdict lists them. A world that is already removed is not an error.
    for (const worldId of worlds) await api.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId } } });
    await unwrap<unknown>(api.DELETE("/_sandbox/verdicts/{verdictId}", { params: { path: { verdictId: id } } }));
    navigate(toHref("verdict"));
  };
  return (
    <header class="told-head">
      <p class="small">
        <a href={toHref("verdict")}>All verdicts</a>
      </p>
      <h2>
        <code>{command.join(" ")}</code>
      </h2>
      <p>
        <Counts {...verdict} />
      </p>
      <p class="quiet small">
        <Instant at={at} seconds /> real time · seed {seed} · sandbox {sandbox.version} · fixture {sandbox.fixture}
        {sandbox.flips.length > 0 && ` · ${sandbox.flips.join(", ")}`}
      </p>
      <p>
        <ActionButton mustConfirm label={label} run={remove}>
          {label}
        </ActionButton>
      </p>
    </header>
  );
}

interface ResultsProps {
  outcome: Outcome;
  verdict: Schemas["Verdict"];
  /** The id of the verdict, for the link back from a story. */
  back: string;
}

/** The checks of a verdict with the same outcome, each with its evidence. */
function Results({ outcome, verdict, back }: ResultsProps) {
  const results = verdict.results.filter((each) => each.outcome === outcome);
  if (results.length === 0) return null;
  return (
    <section class="panel" aria-label={formatOutcome(outcome)}>
      <h2>
        {results.length} {formatOutcome(outcome)}
      </h2>
      {results.map((result) => (
        <Result key={result.id} result={result} back={back} />
      ))}
    </section>
  );
}

function Result({ result, back }: { result: Schemas["VerdictResult"]; back: string }) {
  const { id, title, outcome, says, evidence, advice, add, again, ignored } = result;
  return (
    <>
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
      <Advice outcome={outcome} advice={advice} />
      {add && <p class="quiet">{add}</p>}
      {outcome !== "pass" && outcome !== "not-exercised" && (
        <p class="small">
          <code>{again}</code> <CopyButton text={() => again} />
        </p>
      )}
    </>
  );
}
