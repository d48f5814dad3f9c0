// What a component asks the sandbox for: the last answer stays in sight until the next one is there. While the sandbox does not answer
// there is neither an answer nor a problem: the frame says so, and what was not answered is asked again when the sandbox is back.
import { useEffect, useState } from "preact/hooks";
import { describeError, isConnectionError, reach } from "./api.ts";
import { worldId } from "./router.ts";

interface Query<T> {
  data?: T;
  problem?: string;
  loading: boolean;
  /** Asks once more. */
  reload: () => void;
}

interface State<T> extends Omit<Query<T>, "reload"> {
  /** The one that `data` is of. */
  world?: string;
  isUnanswered?: boolean;
}

/** Asks at first, and again whenever one of `dependencies` has changed; `isCurrent` says whether the answer is still waited for. */
export function useQuery<T>(
  load: (isCurrent: () => boolean) => Promise<T>,
  dependencies: readonly unknown[],
): Query<T> {
  const [state, setState] = useState<State<T>>({ loading: true });
  const [reloadCount, setTurn] = useState(0);
  const reload = () => setTurn((before) => before + 1);
  useEffect(() => {
    let isCurrent = true;
    const world = worldId.peek();
    const settleState = (next: (before: State<T>) => State<T>) => isCurrent && setState(next);
    // What is known of another world says nothing of this one.
    const keepKnown = (before: State<T>) => (before.world === world ? before : {});
    setState((before) => ({ ...before, loading: true }));
    load(() => isCurrent).then(
      (data) => settleState(() => ({ data, world, loading: false })),
      (reason) =>
        settleState((before) =>
          isConnectionError(reason)
            ? { ...keepKnown(before), loading: true, isUnanswered: true }
            : { problem: describeError(reason), loading: false },
        ),
    );
    return () => {
      isCurrent = false;
    };
  }, [...dependencies, reloadCount]);
  const isBack = Boolean(state.isUnanswered) && reach.value !== "away";
  useEffect(() => {
    if (isBack) reload();
  }, [isBack]);
  return { ...state, reload };
}
