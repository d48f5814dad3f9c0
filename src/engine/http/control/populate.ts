// Bulk data by the control API: one answer at the end, or lines with the progress before it, for whoever accepts these. A client that goes
// away does not wait any more.
import type { ServerResponse } from "node:http";
import type { Schemas } from "../../../contract/schemas.ts";
import type { PopulateWaiter, RequestsPort, WorldsPort } from "../../app/application.ts";
import { controlFailure, HttpError } from "../errors.ts";
import { type Answer, header } from "../exchange.ts";
import { type Handler, ok, type Requested } from "./handler.ts";

const LINES = "application/x-ndjson";
/** Between two lines with news, and between two at all, so that no client takes a job that waits its turn for a lost one. */
const [NEWS_MS, STILL_MS] = [200, 5000];

export const populateState: Handler<"populateState", RequestsPort & WorldsPort> = (requested) => {
  const { exchange, body, application } = requested;
  // A client that knows nothing of lines gets one answer at the end.
  if (!accepts(header(exchange, "accept"))) return startPopulating(requested).then(ok);
  const lines = new Lines(body.bookings);
  const answer = startPopulating(requested, (bookings) => lines.made(bookings)).then(async (made) => {
    // As every answer: not before what it says is stored.
    await application.durable(made.world);
    return made;
  });
  // Whoever writes the lines hears of it.
  answer.catch(() => undefined);
  return {
    status: 200,
    stream(response) {
      lines.begin(response);
      void answer.then(
        (made) => {
          // The last progress line says that all are made.
          lines.tell(body.bookings);
          lines.end(made);
        },
        (reason) => lines.end(lineOf(controlFailure(reason, exchange.id))),
      );
    },
  };
};

/** JSON lines: the progress, and at the end what was made or why nothing was. */
class Lines {
  readonly #of: number;
  /** Made so far. */
  #bookings = 0;
  #next = 0;
  #response: ServerResponse | undefined;
  #beat: NodeJS.Timeout | undefined;

  constructor(of: number) {
    this.#of = of;
  }

  begin(response: ServerResponse): void {
    this.#response = response;
    response.writeHead(200, {
      "content-type": `${LINES}; charset=utf-8`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    this.#beat = setInterval(() => this.tell(), STILL_MS);
    this.tell();
  }

  made(bookings: number): void {
    this.#bookings = bookings;
    // Not for each booking: there may be thousands a second.
    if (performance.now() >= this.#next) this.tell();
  }

  end(last: object): void {
    clearInterval(this.#beat);
    this.#response?.end(`${JSON.stringify(last)}\n`);
  }

  tell(bookings = this.#bookings): void {
    this.#next = performance.now() + NEWS_MS;
    this.#response?.write(`${JSON.stringify({ bookings, of: this.#of })}\n`);
  }
}

const accepts = (accept = ""): boolean => accept.split(",").some((each) => each.trim().toLowerCase().startsWith(LINES));

const lineOf = ({ status, body }: Answer): object => ({ status, ...(body as object) });

/** Throws at once where it is refused. */
function startPopulating(
  requested: Requested<"populateState", WorldsPort>,
  progress?: PopulateWaiter["progress"],
): Promise<Schemas["Populated"]> {
  const { application, body, exchange } = requested;
  const world = requested.world;
  const { bookings, job } = body;
  const request = { bookings, job, seed: body.seed === undefined ? undefined : String(body.seed) };
  const waiting = { ...(progress ? { progress } : {}), whenGone: exchange.whenGone };
  return application.states.populate(world, request, waiting).then((made) => {
    if (made) return { world: world.id, ...made };
    throw new HttpError(
      409,
      `World ${world.id} was changed while bookings were made for it, so none was added. Ask again when nothing else changes it, or hold its clock first.`,
    );
  });
}
