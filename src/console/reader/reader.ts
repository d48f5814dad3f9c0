// The documentation page at /docs: RapiDoc with the document and a token of the world that the address names. Each
// request gets a link to its story.
import "rapidoc";

interface RapiDoc extends HTMLElement {
  readonly shadowRoot: ShadowRoot;
  setApiKey(scheme: string, value: string): boolean;
  scrollToPath(id: string): Promise<void>;
  onSearchChange(event: { target: EventTarget | null }): void;
}

interface Token {
  access_token: string;
}

/** The path under which an app mounts the sandbox, or "". */
const mount = location.pathname.replace(/\/docs$/, "");
const world = new URLSearchParams(location.search).get("world");
const worldQuery = world === null ? "" : `?world=${encodeURIComponent(world)}`;

/** The authorization headers of tokens that this page created. */
const ownAuthorizations = new Set<string>();

/** Creates a token, or returns undefined if the page may not; RapiDoc asks for credentials then. */
async function createToken(): Promise<Token | undefined> {
  const answer = await fetch(`${mount}/_sandbox/token${worldQuery}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    // Requests from this page are marked as made by a person, not by the program under test.
    body: '{"sent_by":"person"}',
  });
  if (!answer.ok) return undefined;
  const token: Token = await answer.json();
  ownAuthorizations.add(`Bearer ${token.access_token}`);
  return token;
}

const originalFetch = globalThis.fetch;

/** Paths that the page itself reads. */
const OWN_PATHS = /^\/(?:openapi\.json$|_sandbox\/)/;
const isOwnRequest = ({ url }: Request): boolean =>
  new URL(url).pathname.startsWith(mount) && OWN_PATHS.test(new URL(url).pathname.slice(mount.length));

/** Repeats a request with a new token if ours has expired, because the world's clock may have moved. */
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  // The clone is made before sending, because a body can be read only once.
  const again = request.clone();
  const answer = await originalFetch(request);
  if (answer.status !== 401 || !ownAuthorizations.has(request.headers.get("authorization") ?? ""))
    return showStoryLink(request, answer);
  const token = await createToken();
  if (token) {
    again.headers.set("authorization", `Bearer ${token.access_token}`);
    reader.setApiKey("oauth2", `Bearer ${token.access_token}`);
  }
  return showStoryLink(again, await originalFetch(again));
};

/** Shows a link to the story of the last request. Returns the response unchanged. */
function showStoryLink(request: Request, answer: Response): Response {
  const id = answer.headers.get("sandbox-request-id");
  const line = document.querySelector<HTMLElement>("#last-call");
  const { origin, pathname } = new URL(request.url);
  // Requests of the page itself have no story to show.
  if (!id || !line || origin !== location.origin || isOwnRequest(request)) return answer;
  const link = document.createElement("a");
  link.href = `${mount}/_sandbox/ui/story/${id}${worldQuery}`;
  link.target = "_blank";
  link.textContent = `the story of ${id}`;
  line.replaceChildren(`${request.method} ${pathname} answered ${answer.status}: `, link);
  line.hidden = false;
  return answer;
}

/** Attributes that RapiDoc lacks and that screen readers and keyboards need. */
const MISSING_ATTRIBUTES: readonly [selector: string, attribute: string, value: (element: Element) => string | null][] =
  [
    ["[data-action=navigate], [data-action$=-tag][id]", "role", () => "link"],
    ["input, textarea, select", "aria-label", (field) => getMissingLabel(field as HTMLInputElement)],
    ["nav.nav-bar", "aria-label", () => "Contents"],
    ["nav.nav-scroll", "aria-label", () => "Operations"],
    ["#api-title", "role", () => "heading"],
    ["#api-title", "aria-level", () => "2"],
    ["pre, .nav-scroll, .main-content", "tabindex", () => "0"],
  ];

const getMissingLabel = (field: HTMLInputElement): string | null =>
  field.labels?.length ? null : (field.dataset.pname ?? (field.placeholder || field.getAttribute("part") || "value"));

const ourStyles = new CSSStyleSheet();

/** Adds the missing attributes and our styles to a shadow tree. */
function addMissingAttributes(root: ShadowRoot): void {
  // The style sheets of the page don't apply inside shadow trees.
  if (!root.adoptedStyleSheets.includes(ourStyles)) root.adoptedStyleSheets.push(ourStyles);
  for (const [selector, attribute, wanted] of MISSING_ATTRIBUTES)
    for (const element of root.querySelectorAll(selector)) {
      // Attributes that RapiDoc has set are kept.
      const value = element.hasAttribute(attribute) ? null : wanted(element);
      if (value) element.setAttribute(attribute, value);
    }
}

/** RapiDoc nests shadow trees. Each is updated once per frame after changes. */
const attachShadow = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (this: Element, options) {
  const root = attachShadow.call(this, options);
  let isDue = false;
  new MutationObserver(() => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      addMissingAttributes(root);
    });
  }).observe(root, { childList: true, subtree: true });
  return root;
};

// Both are loaded before the element is created, so that it starts with them.
const [token, styles] = await Promise.all([
  createToken().catch(() => undefined),
  originalFetch(new URL("reader.css", import.meta.url)).then((answer) => answer.text()),
]);
ourStyles.replaceSync(styles);

/** Attributes of RapiDoc. Fonts are not loaded, because the sandbox works without a network. */
const OPTIONS = {
  "spec-url": `${mount}/openapi.json?annotated${worldQuery.replace("?", "&")}`,
  "render-style": "focused",
  "show-header": "false",
  "load-fonts": "false",
  "allow-advanced-search": "false",
  "allow-server-selection": "false",
  "allow-spec-file-download": "true",
  "show-method-in-nav-bar": "as-colored-text",
  "show-curl-before-try": "true",
  "schema-description-expanded": "true",
  "font-size": "large",
  "regular-font": "system-ui, sans-serif",
  "mono-font": "ui-monospace, monospace",
};
const reader = document.createElement("rapi-doc") as RapiDoc;
for (const [name, value] of Object.entries(OPTIONS)) reader.setAttribute(name, value);
reader.addEventListener("spec-loaded", () => {
  if (token) reader.setApiKey("oauth2", `Bearer ${token.access_token}`);
});

const dark = matchMedia("(prefers-color-scheme: dark)");
const applyTheme = () => reader.setAttribute("theme", dark.matches ? "dark" : "light");
dark.addEventListener("change", applyTheme);
applyTheme();
document.body.prepend(reader);

/** Finds the search field in an event. Typing filters the list; Enter opens the first match. */
const findSearchField = (event: Event) =>
  event
    .composedPath()
    .find((each): each is HTMLInputElement => each instanceof HTMLInputElement && each.id === "nav-bar-search");

reader.addEventListener("input", (event) => {
  const search = findSearchField(event);
  if (search) reader.onSearchChange({ target: search });
});
reader.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !findSearchField(event)) return;
  const first = reader.shadowRoot.querySelector<HTMLElement>(".nav-bar-path");
  if (first?.dataset.contentId) void reader.scrollToPath(first.dataset.contentId);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  reader.shadowRoot.querySelector<HTMLElement>("#nav-bar-search")?.focus();
});
