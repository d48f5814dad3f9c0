// The credentials of the shown world. Secrets are loaded only on request.
import { useState } from "preact/hooks";
import { control, type Schemas, unwrap } from "../api.ts";
import { ActionButton } from "../parts/action-button.tsx";
import { Button, CopyButton } from "../parts/primitives.tsx";
import { worldId } from "../router.ts";

export function Credentials() {
  // Secrets are kept only while the screen is open, never in the address.
  const [items, setItems] = useState<Schemas["CredentialList"]["items"] | undefined>(undefined);
  const show = async () => {
    const params = { path: { worldId: worldId.peek() } };
    const list = await unwrap(control.peek().GET("/_sandbox/worlds/{worldId}/credentials", { params }));
    setItems(list.items);
  };
  return (
    <section class="panel" aria-label="Credentials">
      <h2>Credentials of {worldId.value}</h2>
      {items === undefined ? (
        <ActionButton run={show}>Show secrets</ActionButton>
      ) : (
        <>
          {items.map(({ client_id: id, client_secret: secret, name, scopes }) => (
            <div key={id} class="credential">
              <p>
                <strong>{name}</strong> <span class="quiet small">{scopes.join(" ")}</span>
              </p>
              <p class="bar">
                <code>{id}</code>
                <code>{secret}</code>
                <CopyButton text={() => `SANDBOX_CLIENT_ID=${id}\nSANDBOX_CLIENT_SECRET=${secret}\n`}>
                  Copy as environment
                </CopyButton>
              </p>
            </div>
          ))}
          <Button onClick={() => setItems(undefined)}>Hide secrets</Button>
        </>
      )}
    </section>
  );
}
