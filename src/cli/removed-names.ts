// Names that earlier releases had, and what to use instead. A removed name is a row here until 1.0.
import { environmentName } from "../engine/settings.ts";

interface RemovedName {
  /** `argument`: the command takes none any more. */
  kind: "command" | "argument" | "option" | "key" | "variable";
  /** Of an option with its command: `start --certificate-key`. */
  name: string;
  /** As a sentence names it: "Use --dry-run." Without it the name is left out. */
  instead?: string;
}

/** The options whose variable was SANDBOX_ and the name of the option. Those of `start` keep theirs. */
const OPTIONS = `
  about action against all apply at attempts bail baseline basis bookings books budget bytes bytes-per-world columns commit copies count days
  delay dry-run env events expires explain failed failed-since file filter-operation filter-status follow force format forward-to from full
  give-up jobs keep kind kinds limit list min name no-check only order-id out output print-secret probe profile profiles rate
  reason reconnect remove reporter requests role scope set shell shrink since status steps strict subject tamper
  team test timeout title to touches until unused-days verdict without worlds write zone`;

/** The options of `fault add`, whose variables began with SANDBOX_FAULT_. */
const FAULT_OPTIONS = `
  client code connection delay delivery expires-in kind late leave-out leave-out-inside method move name page retry-after seed share skip stale
  status times token unknown-members unknown-value when`;

/** The options of `start` that other commands take as `--option name=value` now. */
const NAMED_OPTIONS = `
  port host data memory database wait-for node-url public-url worlds-in-memory fresh durability seed webhook-events allow-public-webhooks
  audience retry rate-limit cors control-token metrics-token strict-responses log-bytes quiet`;

const RENAMED_COMMANDS: Readonly<Record<string, string>> = {
  assumptions: "assume",
  "books order": "show ORDER",
  coverage: "check coverage",
  "fault arm": "fault add",
  history: "logs --changes",
  lint: "check log",
  messages: "logs --messages",
  populate: "world populate",
  "snapshot rm": "snapshot remove",
  replay: "resend REQUEST",
  shrink: "play --shrink",
  soak: "check soak",
  state: "world",
  sweep: "check assumptions",
  verdict: "check",
  whoami: "login",
  "world rm": "world remove",
};

const splitWords = (text: string): string[] => text.trim().split(/\s+/);
const nameOption = (option: string, command: string): string => `--${option} of \`sandbox ${command}\``;

const VERDICT_BY_PROFILE = "`sandbox check --profile NAME --report html=FILE`";

const REMOVED_NAMES: readonly RemovedName[] = [
  ...splitWords(OPTIONS).map(
    (option): RemovedName => ({ kind: "variable", name: environmentName(option), instead: `--${option}` }),
  ),
  ...splitWords(FAULT_OPTIONS).map(
    (option): RemovedName => ({
      kind: "variable",
      name: environmentName(`fault-${option}`),
      instead: nameOption(option, "fault add"),
    }),
  ),
  ...["history-commits", "history-bytes", "log-entries"].flatMap((option): RemovedName[] => [
    { kind: "option", name: option, instead: "--log-bytes" },
    { kind: "key", name: option, instead: "`log-bytes`" },
    { kind: "variable", name: environmentName(option), instead: "--log-bytes" },
  ]),
  ...listNamedOptions("exec", NAMED_OPTIONS),
  {
    kind: "option",
    name: "team quota --bytes-per-world",
    instead: "--bytes, which limits all worlds of the team together",
  },
  {
    kind: "option",
    name: "team quota --attempts",
    instead: "--requests, or `sandbox team allow` to choose the receivers",
  },
  { kind: "option", name: "team quota --unused-days", instead: "`sandbox world remove`, after `sandbox world list`" },
  { kind: "variable", name: "SANDBOX_ACT_DATA", instead: nameOption("data", "act") },
  { kind: "variable", name: "SANDBOX_CALL_DATA", instead: nameOption("data", "call") },
  { kind: "variable", name: "SANDBOX_CALL_AS", instead: nameOption("as", "call") },
  { kind: "variable", name: "SANDBOX_CALIBRATE_HOST", instead: nameOption("host", "check traffic") },
  { kind: "variable", name: "SANDBOX_AUDIT_TOKEN", instead: nameOption("token", "audit") },
  ...Object.entries(RENAMED_COMMANDS).map(
    ([name, now]): RemovedName => ({ kind: "command", name, instead: `\`sandbox ${now}\`` }),
  ),
  { kind: "command", name: "drill", instead: "`sandbox check explain ID`, or `sandbox check --only ID -- COMMAND`" },
  { kind: "command", name: "calibrate", instead: "`sandbox check traffic`" },
  { kind: "command", name: "certify", instead: VERDICT_BY_PROFILE },
  { kind: "command", name: "certificate", instead: VERDICT_BY_PROFILE },
  { kind: "command", name: "certificates", instead: VERDICT_BY_PROFILE },
  { kind: "command", name: "export", instead: "/openapi.json, which every tool imports" },
  {
    kind: "option",
    name: "world populate --job",
    instead: "the header Idempotency-Key of POST /_sandbox/state/populate",
  },
  ...["check", "check soak"].flatMap((command): RemovedName[] => [
    { kind: "option", name: `${command} --reporter`, instead: "--report FORMAT" },
    { kind: "option", name: `${command} --output`, instead: "--report FORMAT=FILE" },
  ]),
  ...["out", "force", "budget"].map(
    (name): RemovedName => ({ kind: "option", name: `check soak --${name}`, instead: "--shrink FILE" }),
  ),
  { kind: "option", name: "check soak --restart", instead: "--without restart to leave the program running" },
  { kind: "option", name: "check soak --grace" },
  { kind: "option", name: "clock hold --dry-run", instead: "`sandbox clock show`" },
  { kind: "option", name: "clock run --dry-run", instead: "`sandbox clock show`" },
  { kind: "option", name: "resend --failed", instead: "--failed-since INSTANT" },
  { kind: "option", name: "resend --kind", instead: "`sandbox logs --messages`, and resend each by its id" },
  { kind: "option", name: "resend --since", instead: "--failed-since INSTANT" },
  { kind: "option", name: "resend --subscription-id", instead: "--to" },
  { kind: "option", name: "books --against", instead: "`sandbox books compare FILE`" },
  { kind: "option", name: "books entries --against", instead: "`sandbox books compare FILE`" },
  { kind: "argument", name: "logs", instead: "`sandbox show ID`" },
  { kind: "option", name: "logs --full", instead: "`sandbox show ID --full`" },
  { kind: "option", name: "start --certificate-key" },
  { kind: "option", name: "exec --certificate-key" },
  { kind: "key", name: "certificate-key" },
  { kind: "variable", name: "SANDBOX_CERTIFICATE_KEY" },
  { kind: "variable", name: "SANDBOX_GRACE" },
  { kind: "variable", name: "SANDBOX_JOB", instead: "the header Idempotency-Key of POST /_sandbox/state/populate" },
  { kind: "variable", name: "SANDBOX_JWKS" },
  { kind: "variable", name: "SANDBOX_REPORT" },
  { kind: "variable", name: "SANDBOX_RESTART", instead: "--without restart" },
  { kind: "variable", name: "SANDBOX_SIGNING_KEY" },
];

function listNamedOptions(command: string, options: string): RemovedName[] {
  return splitWords(options).map((option) => ({
    kind: "option",
    name: `${command} --${option}`,
    instead: `\`--option ${option}=VALUE\``,
  }));
}

/** What to do without a removed name, as a sentence; undefined where the name was not removed. */
export function adviseOnRemoved(kind: RemovedName["kind"], name: string): string | undefined {
  const row = REMOVED_NAMES.find((each) => each.kind === kind && each.name === name);
  if (row === undefined) return undefined;
  return row.instead === undefined ? "Leave it out." : `Use ${row.instead}.`;
}

/** Whether the variable of an option was not SANDBOX_ and its name. */
export function hadOwnVariable(option: string, command: string): boolean {
  return REMOVED_NAMES.some(({ instead }) => instead === nameOption(option, command));
}
