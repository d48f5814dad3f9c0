// The order of the test files: those that take longest begin first, so that no worker is left alone with one at the end. What mostly
// waits comes before what computes.
import { BaseSequencer, type TestSpecification } from "vitest/node";

const LONGEST = [
  "test/long/soak.test.ts",
  "test/long/crowd.test.ts",
  "test/postgres/hosted-kills.test.ts",
  "test/postgres/hosted-time.test.ts",
  "test/postgres/hosted-failover.test.ts",
  "test/postgres/owners.test.ts",
  "test/postgres/serving.test.ts",
  "test/postgres/hosted-bookings.test.ts",
  "test/postgres/nodes.test.ts",
  "test/postgres/hosted.test.ts",
  "test/postgres/hosted-history.test.ts",
  "test/http/slow-clients.test.ts",
  "test/durability/kill.test.ts",
  "test/docs/documents.test.ts",
  "test/properties.test.ts",
  "test/assumptions/flips.test.ts",
  "test/app/hostile-documents.test.ts",
  "test/domain/ledger.property.test.ts",
  "test/http/any-input.test.ts",
  "test/world/store-damage.test.ts",
  "test/world/store-any-order.test.ts",
  "test/world/store-every-step.test.ts",
  "test/cli/populate.test.ts",
  "test/scenarios.test.ts",
  "test/recording/record.test.ts",
  "test/cli/processes.test.ts",
  "test/app/acts.test.ts",
  "test/runners/runners.test.ts",
  "test/world/store-processes.test.ts",
  "test/http/quick-and-prism.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((path) => moduleId.replaceAll("\\", "/").endsWith(path));
      return place < 0 ? LONGEST.length : place;
    };
    return rest.sort((one, other) => placeOf(one) - placeOf(other));
  }
}
