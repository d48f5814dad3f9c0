// A verdict: every check with its evidence, which links to stories in the worlds of the runs.

import { useState } from "preact/hooks";
import { control, describeError, unwrap } from "../api.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Empty, Instant, Json, Problem } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { navigate, toHref } from "../router.ts";
import { refreshWorlds } from "../stores/world.ts";
import { Counts } from "./counts.tsx";
import { OUTCOMES } from "./outcomes.ts";
import { Results, type Verdict } from "./results.tsx";

export function VerdictDetail({ id }: { id: string }) {
  const params = { path: { verdictId: id } };
  const { data, problem } = useQuery([id], (api) => unwrap(api.GET("/_sandbox/verdicts/{verdictId}", { params })));
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
    <article class="told">
      <Head id={id} verdict={verdict} />
      {/* A run without a verdict has no results, so the lists below are empty. */}
      {verdict.no_verdict && (
        <section class="panel">
          <p>{verdict.no_verdict.says}</p>
          <Json value={verdict.no_verdict.output ?? ""} label="Output" />
        </section>
      )}
      {OUTCOMES.map((outcome) => (
        <Results key={outcome} outcome={outcome} verdict={verdict} back={id} />
      ))}
    </article>
  );
}

function Head({ id, verdict }: { id: string; verdict: Verdict }) {
  const { command, at, seed, sandbox, worlds = [] } = verdict;
  const [problem, setProblem] = useState("");
  // Kept worlds are many and large, so the button says that it removes them too.
  const label = worlds.length === 0 ? "Remove" : `Remove with worlds (${worlds.length})`;
  const remove = async () => {
    const surface = control.peek();
    // A world that is already removed is not an error.
    // The worlds are removed first, because only the verdict lists them.
    for (const worldId of worlds) await surface.DELETE("/_sandbox/worlds/{worldId}", { params: { path: { worldId } } });
    await unwrap<unknown>(surface.DELETE("/_sandbox/verdicts/{verdictId}", { params: { path: { verdictId: id } } }));
    void refreshWorlds();
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
        <ConfirmButton
          label={label}
          verb={label}
          onYes={() => void remove().catch((reason) => setProblem(describeError(reason)))}
        />
      </p>
      <Problem text={problem} />
    </header>
  );
}
