// The history of one record, newest change first: time, cause and changed fields.
import { unwrap } from "../api.ts";
import { CauseLabel } from "../parts/cause-label.tsx";
import { CHANGE_TONES, MemberTable } from "../parts/changes.tsx";
import { Badge, Empty, Instant, Loading } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { worldVersion } from "../stores/world-version.ts";

/** Every stored change of the record, newest first. */
export function History({ id }: { id: string }) {
  const params = { path: { id } };
  const { data, problem } = useQuery([id, worldVersion.value], (api) =>
    unwrap(api.GET("/_sandbox/history/{id}", { params })),
  );
  if (!data) return <Loading problem={problem} />;
  if (data.items.length === 0)
    return (
      <Empty title="No changes recorded.">
        <p>The history starts at change {data.kept.from}. Earlier changes are not kept.</p>
      </Empty>
    );
  return (
    <ol class="history">
      {data.items.toReversed().map(({ seq, at, wall_at, cause, change, members }) => (
        <li key={seq} class="panel">
          <p class="bar">
            <Badge tone={CHANGE_TONES[change]}>{change}</Badge> by <CauseLabel cause={cause} />
            <span class="grow" />
            <span class="quiet" title={`Real time ${wall_at}`}>
              <Instant at={at} seconds /> · change {seq}
            </span>
          </p>
          <MemberTable change={change} members={members} />
        </li>
      ))}
    </ol>
  );
}
