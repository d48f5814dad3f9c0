// What the tests use of @usebruno/lang, which has no types.
declare module "@usebruno/lang" {
  interface Pair {
    name: string;
    value: string;
    enabled: boolean;
    type?: "path" | "query";
  }
  interface Request {
    meta: { name: string; seq: string };
    http: { method: string; url: string; body: string; auth: string };
    headers?: Pair[];
    params?: Pair[];
    body?: { json?: string; formUrlEncoded?: Pair[] };
    vars?: { res?: Pair[] };
    assertions?: Pair[];
  }
  export function bruToJsonV2(text: string): Request;
  export function bruToEnvJsonV2(text: string): { variables: Pair[] };
  interface Collection {
    meta: { seq: string };
    auth: { mode: string };
    script: Record<"req" | "res", string>;
  }
  export function collectionBruToJson(text: string): Collection;
}
