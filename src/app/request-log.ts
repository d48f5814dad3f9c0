// The request log: the latest requests of each world with their answers. In memory, bounded in number and bytes.
// Heading "Answers carry sandbox-request-id" of the README.
import { readInstant } from "../domain/kernel/instant.ts";
import type { LoggedRequest, RequestLogs } from "./application.ts";

const MOST = 2000;
/** A logged request outlives several garbage collections, and each copies it: room for 60 pages of a hundred bookings, or the 2000. */
const MOST_BYTES = 4 * 1024 * 1024;

export function makeRequestLogs(): RequestLogs {
  const logs = new Map<string, { requests: LoggedRequest[]; bytes: number }>();
  const logOf = (world: string) => {
    const log = logs.get(world) ?? { requests: [], bytes: 0 };
    logs.set(world, log);
    return log;
  };
  return {
    add(world, request) {
      const log = logOf(world);
      log.requests.push(request);
      log.bytes += request.bytes;
      let drop = 0;
      // In strides, so that the cost of shifting is spread over many requests.
      if (log.requests.length <= MOST * 1.25 && log.bytes <= MOST_BYTES) return;
      while (log.requests.length - drop > MOST || (log.bytes > MOST_BYTES * 0.75 && drop < log.requests.length - 1)) {
        log.bytes -= log.requests[drop]?.bytes ?? 0;
        drop++;
      }
      log.requests.splice(0, drop);
    },
    list(world, { operation, status, since }) {
      const { requests } = logOf(world);
      return requests
        .slice(since === undefined ? 0 : startOf(requests, since))
        .filter((request) => (!operation || request.operation === operation) && (!status || isStatus(request, status)));
    },
    find: (world, id) => logOf(world).requests.findLast((request) => request.id === id),
    forget: (world) => void logs.delete(world),
  };
}

/** The first after that request, or from that instant on. */
function startOf(requests: readonly LoggedRequest[], since: string): number {
  const index = requests.findIndex(({ id }) => id === since);
  if (index >= 0) return index + 1;
  const instant = readInstant(since);
  // A request that the log has dropped: all that is left is later.
  if (instant === undefined) return 0;
  const first = requests.findIndex(({ at }) => at >= instant);
  return first < 0 ? requests.length : first;
}

function isStatus({ status }: LoggedRequest, wanted: string): boolean {
  return /^[1-5]xx$/i.test(wanted) ? String(status).startsWith(wanted[0] ?? "") : String(status) === wanted;
}
