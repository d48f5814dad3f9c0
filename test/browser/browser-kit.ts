// What tests of pages use: a sandbox as users have it (the library, from dist/), a Chromium, and pages that are watched: a violation of
// the content security policy, an error in the console, or a request to another origin fails the test in which it happens.
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import type { Sandbox, SandboxOptions, startSandbox } from "../../src/index.ts";
import { chromiumPath } from "./chromium.ts";

const load = createRequire(import.meta.url);
const library = load("../../dist/index.cjs") as { startSandbox: typeof startSandbox };

/** No name but this machine's is looked up: what would go elsewhere fails at once, and is reported. */
const FLAGS = [
  ..."--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split(" "),
  ..."--disable-component-update --disable-sync".split(" "),
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];

export type Theme = "light" | "dark";

export interface Opening {
  theme?: Theme;
  width?: number;
  height?: number;
  /** The page shows refusals: a 4xx that it asks for is no trouble. */
  refusals?: boolean;
  /** The sandbox goes away while the page is open: that it can't be reached, or answers 503, is no trouble. */
  outage?: boolean;
}

export interface Kit {
  readonly sandbox: Sandbox;
  /** The page at a path of the sandbox, in a browser profile of its own: two of them are two people. */
  open(path: string, opening?: Opening): Promise<Page>;
  /** Stops the sandbox, does something, and starts another at the same address. */
  whileStopped(work: () => Promise<void>): Promise<void>;
  /** axe-core, in both themes unless one is named: every rule that the page breaks, with the place. */
  mustBeAccessible(page: Page, themes?: readonly Theme[]): Promise<void>;
}

let launched: Promise<Browser> | undefined;

/** One for all files that a worker runs, since to start one takes as long as most tests; it ends with the worker. */
function theBrowser(): Promise<Browser> {
  launched ??= chromium.launch({ executablePath: chromiumPath as string, args: FLAGS });
  return launched;
}

/** Tests in a browser against one sandbox; where there is no Chromium they are skipped. */
export function inBrowser(title: string, tests: (kit: Kit) => void, options: SandboxOptions = {}): void {
  describe.skipIf(!chromiumPath)(title, () => {
    let browser: Browser;
    let sandbox: Sandbox;
    const watched: { context: BrowserContext; troubles: string[] }[] = [];

    beforeAll(async () => {
      sandbox = await library.startSandbox(options);
      browser = await theBrowser();
    });
    afterEach(async () => {
      const all = watched.splice(0);
      // An answer that a route is still reading goes away with its page.
      const pages = all.flatMap(({ context }) => context.pages());
      await Promise.all(pages.map((page) => page.unrouteAll({ behavior: "ignoreErrors" })));
      await Promise.all(all.map(({ context }) => context.close()));
      expect(all.flatMap(({ troubles }) => troubles)).toEqual([]);
    });
    afterAll(async () => {
      await sandbox?.close();
    });

    tests({
      get sandbox() {
        return sandbox;
      },
      async whileStopped(work) {
        const port = Number(new URL(sandbox.url).port);
        await sandbox.close();
        await work();
        sandbox = await library.startSandbox({ ...options, port });
      },
      async open(path, opening = {}) {
        const { theme = "light", width = 1280, height = 800 } = opening;
        const viewport = { width, height };
        const context = await browser.newContext({ colorScheme: theme, viewport, reducedMotion: "reduce" });
        const troubles: string[] = [];
        watched.push({ context, troubles });
        await watch(context, sandbox.url, opening, (trouble) => troubles.push(trouble));
        const page = await context.newPage();
        await page.goto(new URL(path, sandbox.url).href);
        return page;
      },
      mustBeAccessible,
    });
  });
}

const REFUSED = /^Failed to load resource: the server responded with a status of 4\d\d/;
const UNREACHED = /^Failed to load resource: (net::ERR_|the server responded with a status of 503)/;
const LISTENER = `addEventListener("securitypolicyviolation", (event) => {
  const { effectiveDirective, blockedURI, sourceFile, lineNumber, sample } = event;
  reportViolation([effectiveDirective, blockedURI, sourceFile + ":" + lineNumber, sample].join(" "));
})`;

/** All pages of the profile, those that a page opens too. */
async function watch(context: BrowserContext, home: string, opening: Opening, tell: (trouble: string) => void) {
  const allowed = [...(opening.refusals ? [REFUSED] : []), ...(opening.outage ? [UNREACHED] : [])];
  await context.exposeBinding("reportViolation", (_, text: string) => tell(`violation of the policy: ${text}`));
  await context.addInitScript(LISTENER);
  context.on("weberror", (error) => tell(`uncaught: ${error.error().stack ?? error.error()}`));
  context.on("console", (message) => {
    if (message.type() !== "error" || allowed.some((form) => form.test(message.text()))) return;
    tell(`console: ${message.text()} (${message.location().url})`);
  });
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (/^https?:|^wss?:/.test(protocol) && origin !== new URL(home).origin) tell(`foreign request: ${request.url()}`);
  });
}

interface Broken {
  id: string;
  help: string;
  nodes: { target: unknown; failureSummary: string }[];
}

/** Besides those that axe has on by itself: what is read out is what is written. */
const RULES = { "label-content-name-mismatch": { enabled: true } };
/** After the page has drawn itself in the other theme. */
const RUN = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  .then(() => axe.run(document, { resultTypes: ["violations"], rules: ${JSON.stringify(RULES)} })).then(({ violations }) => JSON.stringify(violations))`;

const positionOf = ({ target, failureSummary }: Broken["nodes"][number]) =>
  `${String(target)} (${failureSummary.split("\n").at(-1)?.trim()})`;

/** By the protocol of the developer tools: neither the policy nor Trusted Types of the page stop that. */
async function mustBeAccessible(page: Page, themes: readonly Theme[] = ["light", "dark"]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: (load("axe-core") as { source: string }).source });
  const broken: string[] = [];
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    const { result } = await session.send("Runtime.evaluate", {
      expression: RUN,
      awaitPromise: true,
      returnByValue: true,
    });
    for (const { id, help, nodes } of JSON.parse(result.value) as Broken[])
      broken.push(`${colorScheme}: ${id}: ${help}, ${nodes.length} times, as at ${nodes.slice(0, 3).map(positionOf)}`);
  }
  await session.detach();
  expect(broken).toEqual([]);
}
