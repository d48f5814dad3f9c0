// The world's instant, which a part of a screen shows as it goes on.
import { useEffect, useState } from "preact/hooks";
import { getWorldNow, sandbox } from "../stores/world.ts";

const SECOND_MS = 1000;

/** As ISO 8601, in UTC. A running clock shows seconds, all that are on the page the same one; a held one needs no timer. */
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
