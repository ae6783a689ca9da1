/** Sends random conversations to a vendor's double. */
import { type AssistantMessage, type Context, completeSimple, type Model } from "pi-ai";
import { testsOf } from "../protocols/all-apis.js";
import { changesOf } from "./changes-of.js";
import { createDouble, type SeenRequest } from "./double.js";
import { halfPair } from "./find.js";
import { ALL_KINDS, type Kinds } from "./kinds.js";
import { randomRequest } from "./random-conversation.internal.js";
import { modelsOf } from "./vendor-models.js";
import type { Vendor } from "./vendors.js";

export interface Outcome {
  requests: number;
  /** Refused by the library itself, before anything was sent. */
  stopped: number;
  /** Refused by the vendor. */
  refused: number;
  /** Sent with another tool, name, picture or file than the conversation has. */
  changed: number;
  /** Of these, told by a diagnostic of the message. */
  told: number;
  problems: string[];
}

/** @param from the first seed */
export async function checkConversations(
  vendor: Vendor,
  count: number,
  { from = 0, kinds = ALL_KINDS }: { from?: number; kinds?: Kinds } = {},
): Promise<Outcome> {
  const outcome: Outcome = { requests: 0, stopped: 0, refused: 0, changed: 0, told: 0, problems: [] };
  const models = modelsOf(vendor);
  for (let seed = from; seed < from + count; seed++) {
    const model = models[seed % models.length];
    if (model) await checkOne(vendor, { seed, model, kinds }, outcome);
  }
  return outcome;
}

async function checkOne(
  vendor: Vendor,
  { seed, model, kinds }: { seed: number; model: Model; kinds: Kinds },
  outcome: Outcome,
): Promise<void> {
  const { fixtures } = testsOf(model.api);
  const double = createDouble(vendor, fixtures);
  const { context, options } = randomRequest(seed, model, kinds);
  const before = JSON.stringify(context);
  const sending = { apiKey: "test-key", maxRetries: 0, ...fixtures.options, ...options, fetch: double.fetch };
  const message = await completeSimple(model, context, sending);
  const problem = (text: string): unknown =>
    outcome.problems.push(`${model.provider}/${model.id}, seed ${seed}: ${text}`);
  if (JSON.stringify(context) !== before) problem("the conversation was changed");
  outcome.requests++;
  const refusal = double.requests.find((request) => request.refusal)?.refusal;
  if (refusal) {
    outcome.refused++;
    problem(`${refusal.rule.id} at ${refusal.at}: ${refusal.words}`);
    return;
  }
  const [sent] = double.requests;
  if (!sent) {
    outcome.stopped++;
    if (!isClear(message)) problem(`not sent, without a clear error: ${message.errorMessage}`);
    return;
  }
  // The servers of most vendors cannot read one.
  if (halfPair(vendor.read(sent.body, ""))) problem("half of a surrogate pair was sent");
  if (message.stopReason === "error") problem(`failed: ${message.errorMessage}`);
  noteChange(vendor, { context, model, sent, message, problem }, outcome);
}

/** An error of ours names the field, and comes before anything is sent. */
function isClear({ error, errorMessage = "" }: AssistantMessage): boolean {
  return error?.kind === "config" && /tool|message|image|picture|file|document|schema|prompt|PDF/i.test(errorMessage);
}

interface Sent {
  context: Context;
  model: Model;
  sent: SeenRequest;
  message: AssistantMessage;
  problem: (text: string) => unknown;
}

function noteChange(vendor: Vendor, { context, model, sent, message, problem }: Sent, outcome: Outcome): void {
  const changes = changesOf(vendor, { context, model, sent });
  if (changes.length === 0) return;
  outcome.changed++;
  if (message.diagnostics?.length) outcome.told++;
  else problem(`not told: ${changes.join(", ")}`);
}
