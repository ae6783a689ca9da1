/** A stream function that plays a script, for tests of agents. */

import { createFailedStream } from "../driver/index.js";
import { type AssistantMessageEventStream, normalizeContext } from "../message/index.js";
import { checkOptions } from "../request/index.js";
import type { Context } from "../types/context.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { checkOptionNames } from "../utils/nearest-names.js";
import { toFauxMessage } from "./faux-message.js";
import { checkSteps, type FauxPace, FauxPlayer, type FauxResponseStep } from "./faux-player.js";

/** A request that the script received. */
export interface ScriptedRequest {
  /** The requested model. */
  model: Model;
  /** The messages at the time of the request. */
  context: Context;
  /** The options of the request. */
  options: SimpleStreamOptions;
}

/** A stream function that records its calls. */
export interface ScriptedStreamFn {
  (model: Model, context: Context, options?: SimpleStreamOptions): AssistantMessageEventStream;
  /** The requests so far. */
  readonly calls: readonly ScriptedRequest[];
  /**
   * Throws if steps were not used, or if there were requests after the last step. The error names them.
   */
  assertDone(): void;
}

/**
 * Creates a stream function that responds to each request with the next step: a text, blocks such as {@link fauxToolCall}, a whole
 * message, or a function that returns one of these. A request after the last step ends with
 * an error event, and {@link ScriptedStreamFn.assertDone} fails.
 *
 * @example
 * const streamFn = createScriptedStreamFn([fauxToolCall("look", {}), "Hello!"]);
 * const agent = new Agent({ streamFn, initialState: { tools: [look] } });
 * await agent.prompt("Hi");
 * streamFn.assertDone();
 */
export function createScriptedStreamFn(steps: readonly FauxResponseStep[], pace: FauxPace = {}): ScriptedStreamFn {
  checkSteps(steps);
  checkOptionNames("createScriptedStreamFn", pace, { tokensPerSecond: true, tokenSize: true, seed: true });
  const player = new FauxPlayer(pace);
  player.steps.push(...steps);
  const calls: ScriptedRequest[] = [];
  const streamFn = (model: Model, context: Context, options: SimpleStreamOptions = {}): AssistantMessageEventStream => {
    let normalized: Context;
    try {
      normalized = normalizeContext(context);
      checkOptions(options);
    } catch (error) {
      return createFailedStream(model, error);
    }
    calls.push({ model, context: { ...normalized, messages: [...normalized.messages] }, options });
    return player.stream(model, normalized, options);
  };
  const assertDone = (): void => {
    if (calls.length === steps.length) return;
    throw new Error(calls.length < steps.length ? describeUnused(steps, calls.length) : describeMissing(steps, calls));
  };
  return Object.assign(streamFn, { calls, assertDone });
}

function describeUnused(steps: readonly FauxResponseStep[], used: number): string {
  const rest = steps.slice(used).map((step, index) => `step ${used + index + 1}: ${describeStep(step)}`);
  return `${rest.length} of ${steps.length} scripted steps were never requested:\n${rest.join("\n")}`;
}

function describeMissing(steps: readonly FauxResponseStep[], calls: readonly ScriptedRequest[]): string {
  const last = calls[steps.length]?.context.messages.at(-1);
  const after = last ? `; the first request without a step ended with: ${JSON.stringify(last).slice(0, 200)}` : "";
  return `${calls.length} requests were sent, but the script has ${steps.length} steps${after}`;
}

function describeStep(step: FauxResponseStep): string {
  return typeof step === "function" ? "(a function)" : JSON.stringify(toFauxMessage(step).content).slice(0, 200);
}
