// The order of the test files: those that take longest begin first, so that no worker is left alone with one at the end. What mostly
// waits comes before what computes.
import { BaseSequencer, type TestSpecification } from "vitest/node";

const LONGEST = [
  "test/long/new-things.test.ts",
  "test/verdict/matrix.long.test.ts",
  "test/long/soak-of-mirrors.test.ts",
  "test/long/poller.test.ts",
  "test/verdict/relay.long.test.ts",
  "test/long/soak.test.ts",
  "test/long/console-memory.test.ts",
  "test/long/workflows.test.ts",
  "test/browser/console-look.test.ts",
  "test/browser/console-keyboard.test.ts",
  "test/postgres/hosted-faults.test.ts",
  "test/durability/kill-at-steps.long.test.ts",
  "test/docs/documents.test.ts",
  "test/durability/kill.test.ts",
  "test/engine/domain/ledger.property.test.ts",
  "test/long/crowd.test.ts",
  "test/postgres/hosted-kills.test.ts",
  "test/postgres/hosted-time.test.ts",
  "test/postgres/restart.test.ts",
  "test/postgres/hosted-failover.test.ts",
  "test/postgres/hosted.test.ts",
  "test/postgres/failing-database.test.ts",
  "test/postgres/quotas-nodes.test.ts",
  "test/postgres/verdict.test.ts",
  "test/postgres/serving.test.ts",
  "test/postgres/nodes.test.ts",
  "test/postgres/rolling-upgrade.test.ts",
  "test/postgres/hosted-history.test.ts",
  "test/postgres/pgbouncer.test.ts",
  "test/postgres/upgrade.test.ts",
  "test/postgres/two-nodes.test.ts",
  "test/postgres/hosted-bookings.test.ts",
  "test/postgres/teams-quotas.test.ts",
  "test/postgres/owners.test.ts",
  "test/engine/http/slow-clients.test.ts",
  "test/cli/processes.test.ts",
  "test/postgres/haproxy.test.ts",
  "test/verdict/no-verdict.test.ts",
  "test/durability/shutdown.test.ts",
  "test/properties.test.ts",
  "test/engine/app/hostile-documents.long.test.ts",
  "test/architecture/patterns.test.ts",
  "test/engine/app/message-ids.property.test.ts",
  "test/engine/app/state-round-trip.test.ts",
  "test/long/hledger.test.ts",
  "test/engine/http/control/answers.test.ts",
  "test/stories/recording/record.long.test.ts",
  "test/cli/populate.long.test.ts",
  "test/scenarios.test.ts",
  "test/verdict/sweep.long.test.ts",
  "test/library/runners/runners.long.test.ts",
  "test/engine/operations/availability.test.ts",
  "test/engine/operations/bookings.test.ts",
  "test/engine/fixtures/populate.test.ts",
  "test/mcp/tools.test.ts",
  "test/assumptions/flips.test.ts",
  "test/engine/app/acts.test.ts",
  "test/engine/http/pages.test.ts",
  "test/engine/webhooks/dispatcher.test.ts",
  "test/engine/app/state.test.ts",
  "test/engine/operations/events.test.ts",
  "test/library/library.test.ts",
  "test/mcp/stdio.test.ts",
  "test/engine/app/due-first.test.ts",
  "test/verdict/verdict.test.ts",
  "test/cli/completion.test.ts",
  "test/stories/scenario/refused.test.ts",
  "test/cli/init.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification) => {
      const position = LONGEST.findIndex((path) => moduleId.replaceAll("\\", "/").endsWith(path));
      return position < 0 ? LONGEST.length : position;
    };
    return rest.sort((one, other) => rankOf(one) - rankOf(other));
  }
}
