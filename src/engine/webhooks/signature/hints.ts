// What somebody's code signs, as they tell it beside the signature: compared with what is right, and where it differs.
import type { Schemas } from "../../../contract/schemas.ts";
import { type SigningVariant, wrong } from "./mistake.ts";
import type { SignedParts } from "./texts.ts";

export type Computed = Schemas["ComputedSignature"];

/** The texts that follow from what the receiver reported and differ from the right one. */
export function hintsOf(parts: SignedParts, { signed_text, body, timestamp }: Computed): SigningVariant<string>[] {
  const { id } = parts;
  const right = `${id}.${parts.timestamp}.${parts.body}`;
  const variants: SigningVariant<string>[] = [];
  if (signed_text !== undefined)
    variants.push(
      wrong("other-text", signed_text, `Your code signs another text: ${difference(signed_text, right)}.`, TEXT),
    );
  if (body !== undefined) {
    const text = `${id}.${parts.timestamp}.${body}`;
    variants.push(wrong("other-body", text, `Your code signs another body: ${difference(body, parts.body)}.`, BODY));
  }
  if (timestamp !== undefined) {
    const what = `Your code signs the timestamp ${timestamp.slice(0, 60)}; the header has ${parts.timestamp}.`;
    variants.push(wrong("other-timestamp", `${id}.${timestamp}.${parts.body}`, what, TIME));
  }
  return variants.filter(({ value }) => value !== right);
}

const TEXT = "Sign `{webhook-id}.{webhook-timestamp}.{body}`, byte for byte as they came.";
const BODY = "Take the bytes of the body as they came, before anything parses it.";
const TIME = "Take the header `webhook-timestamp` as it came.";

/** Characters shown of either text. */
const EXCERPT = 24;

/** Where two texts part, with what follows there in each. */
function difference(given: string, right: string): string {
  let at = 0;
  while (at < right.length && given[at] === right[at]) at++;
  const [yours, wanted] = [given, right].map((text) =>
    at >= text.length ? "the end" : JSON.stringify(text.slice(at, at + EXCERPT)),
  );
  return `from character ${at + 1} on it has ${yours} where ${wanted} is right`;
}
