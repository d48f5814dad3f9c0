// The acts screen: host actions as forms, which can be tried in a fork first.
import { ActForm } from "../acts/act-form.tsx";
import { unwrap } from "../api.ts";
import { Filter } from "../parts/filter.tsx";
import { Empty, Loading, Problem } from "../parts/primitives.tsx";
import { WindowList } from "../parts/window-list.tsx";
import { useQuery } from "../query.ts";
import { getQuery, toHref } from "../router.ts";
import type { ScreenProps } from "../screen.ts";

export function Acts({ rest: [name] }: ScreenProps) {
  const { data, problem } = useQuery([], (api) => unwrap(api.GET("/_sandbox/acts")));
  const words = getQuery("q").toLowerCase();
  // Filtering happens here, because there are only a few dozen acts.
  const acts = (data?.items ?? []).filter(({ act, summary }) => `${act} ${summary}`.toLowerCase().includes(words));
  const chosen = data?.items.find(({ act }) => act === name);
  return (
    <div class="beside">
      <section class="stack" aria-label="Acts">
        <Filter label="Filter acts" />
        <Problem text={problem} />
        <WindowList
          label="Acts"
          items={acts}
          keyOf={({ act }) => act}
          line={({ act, summary }) => (
            <a
              class="line"
              href={toHref("acts", [act], { q: getQuery("q") })}
              aria-current={act === name}
              title={summary}
            >
              {act}
            </a>
          )}
          empty={data ? <Empty title="No acts match your search." /> : !problem && <Loading />}
        />
      </section>
      {chosen ? (
        <ActForm key={name} act={chosen} />
      ) : (
        <Empty title={name && data ? `There is no act ${name}.` : "Select an act."}>
          <p>
            An act is what a host does and the public API has no endpoint for: cancel an event, refund an order, scan a
            ticket.
          </p>
        </Empty>
      )}
    </div>
  );
}
