// Which assumptions a program depends on, as the command tells it: none, one, two that are alike, several at once; and why nothing is
// said of a program that fails by itself or never calls.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runHere } from "../cli/in-process.ts";
import { anna } from "../sandbox.ts";
import { makeTempFolder } from "../temp-folder.ts";

const folder = makeTempFolder();

const body = { event_id: "evt-evening", locale: "da", customer: anna };
const BOOKING = JSON.stringify({ ...body, items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }] });
/** Of the shell, since a program runs some thirty times. */
const START = `
token=$(curl -s "$SANDBOX_TOKEN_URL" -d grant_type=client_credentials -d audience="$SANDBOX_URL" \\
  -d client_id="$SANDBOX_CLIENT_ID" --data-urlencode client_secret="$SANDBOX_CLIENT_SECRET" |
  sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
made=$(curl -s -w '\\n%{http_code}' "$SANDBOX_URL/v1/bookings" -H "authorization: Bearer $token" \\
  -H "content-type: application/json" -d '${BOOKING}')
status=$(echo "$made" | tail -n 1)
id=$(echo "$made" | sed -n 's/^{"id":"\\([^"]*\\)".*/\\1/p')
test -n "$id" || exit 9
is_hex() { echo "$id" | grep -Eq '^[0-9a-f]{32}$'; }
`;
const sweep = async (name: string, program: string) => {
  const file = join(folder, `${name}.sh`);
  writeFileSync(file, START + program);
  return runHere(["check", "assumptions", "--json", "--", "sh", file], { PATH: process.env.PATH ?? "" });
};
const foundBy = ({ stdout }: { stdout: string }) =>
  JSON.parse(stdout) as {
    depends_on: { flips: { id: string; value: string }[]; output: string[] }[];
    runs: number;
    no_verdict: { code: string } | null;
  };
const flipsOf = (ran: { stdout: string }) =>
  foundBy(ran)
    .depends_on.map(({ flips }) => flips.map(({ id, value }) => `${id}=${value}`).join("+"))
    .sort();

it("needs one run for all overrides if a program depends on none", async () => {
  const ran = await sweep("none", 'case "$status" in 2*) ;; *) exit 1 ;; esac');
  expect([ran.code, flipsOf(ran)]).toEqual([0, []]);
  // Twice as it is, and one for each answer that the question with the most of them has.
  expect(foundBy(ran).runs).toBe(4);
}, 120_000);

it("finds each assumption that a program depends on, and shows the failing test", async () => {
  const ran = await sweep(
    "two",
    `code=0
if [ "$status" = 201 ]; then echo "ok 1 - creates a booking"
else echo "not ok 1 - creates a booking"; echo "  error: 'expected 201'"; code=1; fi
if is_hex; then echo "ok 2 - keeps the id"
else echo "not ok 2 - keeps the id"; code=1; fi
exit $code`,
  );
  expect([ran.code, flipsOf(ran)]).toEqual([1, ["booking-create-status=200", "ids=uuid"]]);
  const created = foundBy(ran).depends_on.find(({ flips }) => flips[0]?.id === "booking-create-status");
  expect(created?.output).toEqual(["not ok 1 - creates a booking", "error: 'expected 201'"]);
}, 240_000);

it("reports the few overrides that only together make it fail", async () => {
  const ran = await sweep("both", 'if [ "$status" != 201 ] && ! is_hex; then exit 1; fi');
  const [both, ...others] = flipsOf(ran);
  expect([ran.code, both?.split("+").sort(), others]).toEqual([1, ["booking-create-status=200", "ids=uuid"], []]);
}, 240_000);

it("reports nothing for a program that fails by itself", async () => {
  const ran = await sweep("red", "exit 1");
  expect([ran.code, foundBy(ran).no_verdict?.code]).toEqual([3, "RED_BY_ITSELF"]);
}, 120_000);
