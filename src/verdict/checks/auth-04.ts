// AUTH-04: no secret travels in an address.
import { type Check, fail, notExercised, pass } from "../check.ts";
import type { Observed, RequestEntry } from "../observed.ts";

/** Names under which a secret is one, whatever its value; the log shows it redacted. */
const SECRET_NAMES = /^(client_secret|access_token|token|bearer|authorization|password|secret|webhook_secret)$/i;
/** Shorter values are no secrets. */
const SHORTEST = 16;

export const auth04: Check = {
  id: "AUTH-04",
  level: "must",
  title: "Secrets travel in headers and bodies, never in an address",
  done: "Nothing; the addresses of all calls are read.",
  rule: "Every operation takes the token as a bearer token; clients MUST NOT put it in a query (RFC 9700, 4.3.2).",
  advice: "Send the token as `Authorization: Bearer …`, and the client secret in the form of the token request.",
  explain: {
    happens:
      "Addresses are written down everywhere: in access logs, proxies, browser histories, error reports. Who reads one of them has the key.",
    instead: "A header is not written down. Rotate a secret that has been in an address.",
    code: `await fetch(\`\${url}/v1/bookings\`, { headers: { authorization: \`Bearer \${token}\` } });`,
  },
  judge(observed) {
    if (observed.requests.length === 0) return notExercised("no call");
    const found = observed.requests.flatMap((request) => {
      const name = secretIn(request, observed);
      const where = `${request.method} ${request.path}?${name}=…`;
      return name === undefined ? [] : [{ id: request.id, at: request.at, says: where }];
    });
    if (found.length === 0) return pass("no secret in an address");
    return fail(`calls with a secret in the address: ${found.length}`, found.slice(0, 5));
  },
};

function secretIn({ path, request }: RequestEntry, { connection }: Observed): string | undefined {
  const { client_secret, webhook_secret } = connection;
  const long = [client_secret, webhook_secret ?? ""].filter(({ length }) => length >= SHORTEST);
  const isKnown = (text: string) => long.some((each) => text.includes(each));
  const member = Object.entries(request?.query ?? {}).find(([name, value]) => {
    const text = [value].flat().join();
    return isKnown(text) || (SECRET_NAMES.test(name) && (text === "[redacted]" || text.length >= SHORTEST));
  });
  return member?.[0] ?? (isKnown(path) ? "the path" : undefined);
}
