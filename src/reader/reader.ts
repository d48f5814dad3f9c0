// The documentation page at /docs: Scalar with the annotated document of a world, a token of that world in place, and a line that leads
// from each request to its story. The world is the one that the address names.
interface ScalarConfiguration {
  url: string;
  authentication?: object;
  customFetch: typeof fetch;
  [option: string]: unknown;
}
declare const Scalar: { createApiReference(element: string, configuration: ScalarConfiguration): unknown };

interface Token {
  access_token: string;
  client_id: string;
}

/** Where an app mounts the sandbox under a path, that path. */
const mount = location.pathname.replace(/\/docs$/, "");
const world = new URLSearchParams(location.search).get("world");
const ofWorld = world === null ? "" : `?world=${encodeURIComponent(world)}`;

/** The authorization headers of our own tokens. */
const ours = new Set<string>();

/** Undefined where the page may not have one: then the reader asks for credentials as it does anywhere. */
async function newToken(): Promise<Token | undefined> {
  const answer = await fetch(`${mount}/_sandbox/token${ofWorld}`, {
    method: "POST",
    headers: { "sandbox-observer": "docs", "content-type": "application/json" },
    body: "{}",
  });
  if (!answer.ok) return undefined;
  const token: Token = await answer.json();
  ours.add(`Bearer ${token.access_token}`);
  return token;
}

/** Our own token may have expired, since the clock of the world moves: then the request is sent again with a new one. */
const send: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const again = request.clone();
  const answer = await fetch(request);
  if (answer.status !== 401 || !ours.has(request.headers.get("authorization") ?? "")) return told(request, answer);
  const token = await newToken();
  if (token) again.headers.set("authorization", `Bearer ${token.access_token}`);
  return told(again, await fetch(again));
};

function told(request: Request, answer: Response): Response {
  const id = answer.headers.get("sandbox-request-id");
  const line = document.querySelector<HTMLElement>("#last-call");
  const { origin, pathname } = new URL(request.url);
  if (!id || !line || origin !== location.origin || pathname.startsWith(`${mount}/openapi.`)) return answer;
  const link = document.createElement("a");
  link.href = `${mount}/_sandbox/ui/story/${id}${ofWorld}`;
  link.target = "_blank";
  link.textContent = `the story of ${id}`;
  line.replaceChildren(`${request.method} ${pathname} answered ${answer.status}: `, link);
  line.hidden = false;
  return answer;
}

/** What Scalar leaves out that a screen reader, or somebody without a mouse, needs: where, and what is to be there. */
const MISSING: readonly [selector: string, attribute: string, value: (element: Element) => string | null][] = [
  ["ul.endpoints", "tabindex", () => "0"],
  [".code-input-lite__editor[role=combobox]", "aria-label", (editor) => editor.getAttribute("data-placeholder")],
  [".code-input-lite__editor[role=combobox]", "aria-expanded", () => "false"],
  ["a[target=_blank]", "aria-label", (link) => (link.textContent?.trim() ? null : link.getAttribute("href"))],
];

function addMissing(): void {
  for (const [selector, attribute, wanted] of MISSING)
    for (const element of document.querySelectorAll(`${selector}:not([${attribute}])`)) {
      const value = wanted(element);
      if (value) element.setAttribute(attribute, value);
    }
}

/** Once for all that is drawn before the next frame. */
let isDue = false;
new MutationObserver(() => {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    addMissing();
  });
}).observe(document.body, { childList: true, subtree: true });

const token = await newToken().catch(() => undefined);

const flow = token && { token: token.access_token, "x-scalar-client-id": token.client_id };
Scalar.createApiReference("#reader", {
  url: `${mount}/openapi.json?annotated${ofWorld.replace("?", "&")}`,
  customFetch: send,
  authentication: {
    preferredSecurityScheme: "oauth2",
    ...(flow ? { securitySchemes: { oauth2: { flows: { clientCredentials: flow } } } } : {}),
  },
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenAllTags: true,
});

export {};
