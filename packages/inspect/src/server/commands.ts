/** Performs the commands of the page: forks, results of tools, aborts, and listing more sessions. */
import type { IncomingMessage } from "node:http";
import type { Forks } from "../fork/forks.js";
import { InvalidCommand } from "../fork/read-changes.js";
import type { Resolution } from "../fork/rerun.js";
import { type Fields, fieldsOf, textOf } from "../record/fields.js";
import { recallWhole } from "../record/run.js";
import type { RunStore } from "../record/run-store.js";

/** The most bytes of a body, far more than a user types. */
const MAX_BODY = 4_000_000;

/** The response to a command. */
export interface CommandResult {
  status: number;
  /** `{ error }` if the command was refused or failed. */
  value: Fields;
}

export interface CommandContext {
  store: RunStore;
  forks: Forks;
  /** The segments of the path after `api/`. */
  path: readonly string[];
}

/**
 * Returns the refusal of a command that does not come from the page itself. Commands cost money and have effects, so
 * the token alone does not allow them. A request of another page has another origin, and may not set this content type
 * unless the server allows that in a CORS preflight, which it never does.
 */
export function refuse({ headers }: IncomingMessage): CommandResult | undefined {
  const site = headers["sec-fetch-site"];
  const isOwn = headers.origin === `http://${headers.host}` && (site === undefined || site === "same-origin");
  if (!isOwn) return failed(403, "Only the page itself can send commands");
  if (headers["content-type"] !== "application/json") return failed(415, "A command must be JSON");
  return undefined;
}

/** Never rejects. */
export async function runCommand(request: IncomingMessage, context: CommandContext): Promise<CommandResult> {
  try {
    const body = await readBody(request);
    return { status: 200, value: await perform(body, context) };
  } catch (error) {
    if (error instanceof InvalidCommand) return failed(400, error.message);
    if (error instanceof TooLarge) return failed(413, `A command can have at most ${MAX_BODY} bytes`);
    if (error instanceof SyntaxError) return failed(400, "The command is not JSON");
    return failed(500, "The command failed. The source may not be readable now");
  }
}

async function perform(body: Fields, { store, forks, path }: CommandContext): Promise<Fields> {
  const [what, id = "", command] = path.map(decodeURIComponent);
  if (what === "sessions" && store.sessions) {
    const { sessions } = store;
    if (id === "find") return { found: await sessions.find(textOf(body["text"])) };
    await sessions.showMore();
    return {};
  }
  const run = what === "runs" ? store.get(id) : undefined;
  if (!run) throw new InvalidCommand("There is no such run");
  if (command === "fork") return { run: forks.start(await recallWhole(run), indexOf(body["entry"]), body).summary.id };
  if (command === "result") forks.resolve(id, textOf(body["call"]), resolutionOf(body));
  else if (command === "abort") forks.abort(id);
  else throw new InvalidCommand("There is no such command");
  return {};
}

function indexOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : -1;
}

/** The page sends `confirmed` after the user has confirmed that the tool may run with its arguments. */
function resolutionOf({ run, confirmed, text, isError }: Fields): Resolution {
  if (run === true) {
    if (confirmed !== true) throw new InvalidCommand("The user must confirm that the tool may run");
    return "run";
  }
  if (typeof text !== "string") throw new InvalidCommand("A result must be text");
  return { text, isError: isError === true };
}

class TooLarge extends Error {}

async function readBody(request: IncomingMessage): Promise<Fields> {
  const pieces: Buffer[] = [];
  let length = 0;
  // By default, leaving the loop closes the connection, and the response could not be sent.
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    length += piece.length;
    if (length > MAX_BODY) throw new TooLarge();
    pieces.push(piece);
  }
  return fieldsOf(JSON.parse(Buffer.concat(pieces).toString()));
}

function failed(status: number, error: string): CommandResult {
  return { status, value: { error } };
}
