// The current time of the world, updated while the clock runs.
import { useEffect, useState } from "preact/hooks";
import { getWorldNow, sandbox } from "../stores/world.ts";

const SECOND_MS = 1000;

/** Returns the world's time in ISO 8601, UTC. The component is rendered every second while the clock runs. */
export function useWorldNow(): string {
  const [, tick] = useState(0);
  const runs = sandbox.value?.mode === "running";
  useEffect(() => {
    if (!runs) return;
    const timer = setTimeout(() => tick((n) => n + 1), SECOND_MS - (getWorldNow() % SECOND_MS));
    return () => clearTimeout(timer);
  });
  return new Date(getWorldNow()).toISOString();
}
