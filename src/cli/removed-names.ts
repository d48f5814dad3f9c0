// Names that earlier releases had, and what to use instead. A removed name is a row here until 1.0.
import { environmentName } from "../engine/settings.ts";

interface RemovedName {
  kind: "command" | "option" | "key" | "variable";
  name: string;
  /** As a sentence names it: "Use --dry-run." */
  instead: string;
}

/** The options whose variable was SANDBOX_ and the name of the option. Those of `start` keep theirs. */
const OPTIONS = `
  about action against all apply at attempts bail baseline basis bookings books budget bytes bytes-per-world columns commit copies count days
  delay dry-run env events expires explain failed failed-since file filter-operation filter-status follow force format forward-to from full
  give-up grace job jobs jwks keep kind kinds limit list min name no-check only order-id out output print-secret probe profile profiles rate
  reason reconnect remove report reporter requests restart role scope set shell shrink signing-key since status steps strict subject tamper
  team test timeout title to touches until unused-days verdict without worlds write zone`;

/** The options of `fault arm`, whose variables began with SANDBOX_FAULT_. */
const FAULT_OPTIONS = `
  client code connection delay delivery expires-in kind late leave-out leave-out-inside method move name page retry-after seed share skip stale
  status times token unknown-members unknown-value when`;

const splitWords = (text: string): string[] => text.trim().split(/\s+/);
const nameOption = (option: string, command: string): string => `--${option} of \`sandbox ${command}\``;

const REMOVED_NAMES: readonly RemovedName[] = [
  ...splitWords(OPTIONS).map(
    (option): RemovedName => ({ kind: "variable", name: environmentName(option), instead: `--${option}` }),
  ),
  ...splitWords(FAULT_OPTIONS).map(
    (option): RemovedName => ({
      kind: "variable",
      name: environmentName(`fault-${option}`),
      instead: nameOption(option, "fault arm"),
    }),
  ),
  { kind: "variable", name: "SANDBOX_ACT_DATA", instead: nameOption("data", "act") },
  { kind: "variable", name: "SANDBOX_CALL_DATA", instead: nameOption("data", "call") },
  { kind: "variable", name: "SANDBOX_CALL_AS", instead: nameOption("as", "call") },
  { kind: "variable", name: "SANDBOX_CALIBRATE_HOST", instead: nameOption("host", "calibrate") },
  { kind: "variable", name: "SANDBOX_AUDIT_TOKEN", instead: nameOption("token", "audit") },
];

/** What replaced a removed name. */
export function findReplacement(kind: RemovedName["kind"], name: string): string | undefined {
  return REMOVED_NAMES.find((row) => row.kind === kind && row.name === name)?.instead;
}

/** Whether the variable of an option was not SANDBOX_ and its name. */
export function hadOwnVariable(option: string, command: string): boolean {
  return REMOVED_NAMES.some(({ instead }) => instead === nameOption(option, command));
}
