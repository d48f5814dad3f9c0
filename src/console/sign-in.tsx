// The form for the control token. The sandbox stores the session in a cookie that scripts can't read.
import { useState } from "preact/hooks";
import { describeError, reach, send } from "./api.ts";
import { sandboxUrl } from "./home.ts";
import { Field, Problem, SubmitButton } from "./parts/primitives.tsx";
import { refresh } from "./stores/world.ts";

/** Returns an error message, or "" after success. The session is a cookie, so no script keeps the token. */
async function signIn(token: string): Promise<string> {
  const body = JSON.stringify({ token });
  const headers = { "content-type": "application/json" };
  const response = await send(new Request(`${sandboxUrl}/_sandbox/session`, { method: "POST", headers, body }));
  if (response.ok) {
    await refresh();
    return "";
  }
  const { message = "" } = (await response.json().catch(() => ({}))) as { message?: string };
  return message || `The sandbox answered ${response.status}.`;
}

export function SignIn() {
  const [problem, setProblem] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget as HTMLFormElement).get("token") ?? "").trim();
    signIn(token).then(
      (answer) => {
        setProblem(answer);
        if (answer) reach.value = "locked";
      },
      (reason) => setProblem(describeError(reason)),
    );
  };
  return (
    <form class="sign-in" onSubmit={submit}>
      <h2>Token required</h2>
      <p>
        `sandbox start` prints the control token where it was started. If the sandbox has teams, use a token of your
        team (sbx_…); an owner of the team creates one with `sandbox token create`.
      </p>
      <Field label="Token">
        <input name="token" type="password" autocomplete="off" required />
      </Field>
      <Problem text={problem} />
      <SubmitButton>Open the console</SubmitButton>
    </form>
  );
}
