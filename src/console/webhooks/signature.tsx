// How an attempt was signed, step by step; and what a receiver's code computed compared with it, by the most common mistakes.
import { control, type Schemas, unwrap } from "../api.ts";
import { RequestForm } from "../forms/request-form.tsx";
import { CopyButton, Problem } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";

interface SignatureProps {
  message: string;
  delivery: string;
  attempt: string;
}

/** Explained and compared by the sandbox; the secret never comes to the browser. */
export function Signature({ message, delivery, attempt }: SignatureProps) {
  // Attempt 0 is none that was made: then the sandbox signs as it would now.
  const params = {
    path: { messageId: message },
    query: { delivery, ...(attempt ? { attempt: Number(attempt) } : {}) },
  };
  const { data, problem } = useQuery([message, delivery, attempt], (api) =>
    unwrap(api.GET("/_sandbox/messages/{messageId}/signature", { params })),
  );
  if (!data) return <Problem text={problem} />;
  const { steps, notes, signed_text, key_fingerprint, header } = data;
  return (
    <section class="panel" aria-label="Signature">
      <h3>How {attempt ? `attempt ${attempt}` : "it"} is signed</h3>
      <ol>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {notes.map((note) => (
        <p key={note} class="quiet">
          {note}
        </p>
      ))}
      <div class="bar">
        <h4 class="grow">The text that is signed, byte for byte</h4>
        <CopyButton text={() => signed_text}>Copy</CopyButton>
      </div>
      {/* Never formatted: a receiver that parses and writes the body again signs another text. */}
      <pre class="code wrap">{signed_text}</pre>
      <p>
        Key <code>{key_fingerprint}</code> (the start of its SHA-256) gives the header <code>{header}</code>
      </p>
      <h4>Compare what your code computed</h4>
      <RequestForm
        schema="ComputedSignature"
        verb="Compare"
        send={async (input) => {
          // The form is made of that schema, so what it sends has its members.
          const body = input as Schemas["ComputedSignature"];
          return (
            <SignatureResult
              {...(await unwrap(
                control.peek().POST("/_sandbox/messages/{messageId}/signature/check", { params, body }),
              ))}
            />
          );
        }}
      />
    </section>
  );
}

/** Each known mistake that leads to the computed value, with what mends it. */
function SignatureResult({ right, mistakes, advice }: Schemas["SignatureChecked"]) {
  return (
    <div class={right ? "said" : "problem"}>
      <p>
        {right
          ? "It is right."
          : mistakes.length > 0
            ? "It differs:"
            : "It differs, and no common mistake leads to it."}
      </p>
      <ul>
        {mistakes.map(({ mistake, what, fix }) => (
          <li key={mistake}>
            {what} {fix}
          </li>
        ))}
      </ul>
      <p>{advice}</p>
    </div>
  );
}
