// Explains how an attempt was signed, and compares the signature that a receiver computed.
import { control, type Schemas, unwrap } from "../api.ts";
import { RequestForm } from "../forms/request-form.tsx";
import { CopyButton, Problem } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";

interface SignatureProps {
  message: string;
  delivery: string;
  attempt: string;
}

/** The signature of an attempt. The sandbox explains and compares it, so the browser never receives the secret. */
export function Signature({ message, delivery, attempt }: SignatureProps) {
  // The sandbox shows the signature that it would send now if no attempt is given.
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
      {/* The text is never reformatted, because a receiver must sign exactly these bytes. */}
      <pre class="code wrap">{signed_text}</pre>
      <p>
        Key <code>{key_fingerprint}</code> (the start of its SHA-256) gives the header <code>{header}</code>
      </p>
      <h4>Compare what your code computed</h4>
      <RequestForm
        schema="ComputedSignature"
        verb="Compare"
        send={async (input) => {
          // The form is built from that schema, so its input matches the type.
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

/** The known mistakes that lead to the computed value, each with its fix. */
function SignatureResult({ right, mistakes, advice }: Schemas["SignatureChecked"]) {
  return (
    <div class={right ? "said" : "problem"}>
      <p>
        {right
          ? "The signature matches."
          : mistakes.length > 0
            ? "The signature differs:"
            : "The signature differs, and no common mistake explains it."}
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
