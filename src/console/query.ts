// Loads data for a component. The last data stays visible until the next response arrives. An unreachable sandbox is
// not reported as a problem, because the frame shows a banner; failed requests are repeated when the sandbox is back.
import { useEffect, useState } from "preact/hooks";
import { type Control, control, describeError, isConnectionError, reach } from "./api.ts";
import { worldId } from "./router.ts";

interface Query<T> {
  data?: T;
  problem?: string;
  loading: boolean;
  reload: () => void;
}

interface State<T> extends Omit<Query<T>, "reload"> {
  /** The world that `data` belongs to. */
  world?: string;
  isUnanswered?: boolean;
}

/**
 * Calls `load` with the control API of the world on the first render, and again when the world or one of the `dependencies` changes.
 * `isCurrent` returns false once a newer call has replaced this one.
 */
export function useQuery<T>(
  dependencies: readonly unknown[],
  load: (api: Control, isCurrent: () => boolean) => Promise<T>,
): Query<T> {
  const [state, setState] = useState<State<T>>({ loading: true });
  const [reloadCount, setReloadCount] = useState(0);
  const reload = () => setReloadCount((before) => before + 1);
  useEffect(() => {
    let isCurrent = true;
    const world = worldId.peek();
    const settleState = (next: (before: State<T>) => State<T>) => isCurrent && setState(next);
    // Data of another world must not stay visible in this one.
    const keepKnown = (before: State<T>) => (before.world === world ? before : {});
    setState((before) => ({ ...before, loading: true }));
    load(control.peek(), () => isCurrent).then(
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
  }, [worldId.value, ...dependencies, reloadCount]);
  const isBack = Boolean(state.isUnanswered) && reach.value !== "away";
  useEffect(() => {
    if (isBack) reload();
  }, [isBack]);
  return { ...state, reload };
}
