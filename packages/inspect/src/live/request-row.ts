/** The row of a request that is known only from the wire, without the conversation that it belongs to. */
import type { Fields } from "../record/fields.js";
import { describeMessage, describeUsage, outcomeOf, titleOfMessage, usageOf } from "../record/message-sections.js";
import { describePrompt, type Prompt } from "../record/prompt.js";
import type { Run } from "../record/run.js";
import type { Wire } from "../record/wire.js";
import { WireRows } from "./wire-rows.js";

/** A row of a run, and the prompt of its request. */
interface Place {
  run: Run;
  index: number;
  prompt: Prompt;
}

/** @param previous the prompt of the request before, if there is one */
export function addRequest(
  run: Run,
  { startedAt, model }: { startedAt: number | undefined; model: string },
  turn: number,
  previous?: Prompt,
): Place {
  const prompt: Prompt = { tools: undefined, system: undefined, messages: [], length: 0 };
  const index = run.add(
    {
      kind: "request",
      name: model,
      title: "",
      outcome: "running",
      turn,
      ...(startedAt !== undefined && { startedAt }),
    },
    () => [],
    () => (prompt.wire?.prompt ? describePrompt(prompt, previous) : []),
  );
  return { run, index, prompt };
}

export class RequestRow extends WireRows {
  readonly #place: Place;

  constructor(store: ConstructorParameters<typeof WireRows>[0], place: Place, wire: Wire) {
    super(store, place, wire);
    this.#place = place;
    place.prompt.wire = wire;
  }

  /** Fills the row from the message of the response, which is known only at the end. */
  override end(endedAt: number | undefined, message: Fields): void {
    super.end(endedAt, message);
    const { run, index } = this.#place;
    const entry = run.entries[index];
    if (!entry) return;
    const first = this.wire.attempts.findLast(({ firstTime }) => firstTime !== undefined)?.["firstTime"];
    const { startedAt } = entry;
    const usage = usageOf(message);
    const change = {
      title: titleOfMessage(message),
      outcome: outcomeOf(message),
      ...(usage && { usage }),
      ...(startedAt !== undefined && endedAt !== undefined && { durationMs: Math.max(0, endedAt - startedAt) }),
      ...(startedAt !== undefined && typeof first === "number" && { firstMs: Math.max(0, first - startedAt) }),
    };
    const finished = { ...entry, ...change };
    run.update(index, change, () => [describeUsage(message, finished), ...describeMessage(message)]);
  }
}
