/** Responses of each api's model: hand-written wire streams, read by the api's own mapping. */

import { type Api, type AssistantMessage, type Model, PiError } from "pi-ai";
import type { ModelRequest } from "pi-ai/adapter";
import { AssistantMessageBuilder } from "pi-ai/assemble";
import { toFailure } from "pi-ai/call";
import { adapterOf } from "../protocols/adapters.internal.js";
import { type OwnKind, opaque, type Script, type Step, type Wire } from "./script.js";
import { createWrittenContent } from "./written-content.js";

export interface Source {
  api: Api;
  wire: Wire;
  model: Model;
}

/** The turns of a conversation, by their content. */
export interface Turns {
  /** Thinking with its signature, then text. */
  thoughtful: AssistantMessage;
  /** The same again; no two responses have the same ids. */
  thoughtfulAgain: AssistantMessage;
  thoughtfulAtLast: AssistantMessage;
  /** Unreadable reasoning, then text. */
  hidden: AssistantMessage;
  /** Thinking, a text and three tool calls, two of them of one tool. */
  parallel: AssistantMessage;
  /** One tool call without text. */
  lone: AssistantMessage;
  loneAgain: AssistantMessage;
  /** Hidden reasoning, then one tool call. */
  hiddenCall: AssistantMessage;
  /** Two tool calls whose ids of 400 characters differ at the end. */
  longIds: AssistantMessage;
  /** A later turn that uses one of those ids again. */
  sameId: AssistantMessage;
  /** Thinking that used up all tokens. */
  thinkingOnly: AssistantMessage;
  /** A tool call whose arguments break off at the token limit. */
  cut: AssistantMessage;
  /** A service failure after a tool call. */
  failed: AssistantMessage;
  /** The user aborted. */
  aborted: AssistantMessage;
  /** No content. */
  empty: AssistantMessage;
  /** All of the provider's own tools, citations and media, except tools that wait. */
  own: AssistantMessage;
  ownAgain: AssistantMessage;
  /** The same together with thinking and a tool call. */
  ownCall: AssistantMessage;
  /** A tool that waits for the application. Undefined if the wire format has none. */
  waiting: AssistantMessage | undefined;
  waitingAgain: AssistantMessage | undefined;
  /** Every kind of content with opaque data, from a model that is not part of the hand-off. */
  written: AssistantMessage;
}

const LONG = "x".repeat(399);

/** @param prefix makes opaque data unique if two models respond in one conversation */
export function createTurns(source: Source, prefix: string): Turns {
  const play = (name: string, end: Script["end"], ...steps: Step[]): AssistantMessage =>
    response(source, { name: `${prefix}${name}`, steps, end });
  const think = (name: string): Step => ({
    kind: "think",
    text: `The ${prefix} model thinks about ${name}.`,
    signature: opaque(prefix, source.model.api, name),
  });
  const hide = (name: string): Step => ({ kind: "hide", payload: opaque(prefix, source.model.api, name, "hidden") });
  const say = (text: string): Step => ({ kind: "say", text });
  const call = (name: string, input: object, id?: string): Step => ({
    kind: "call",
    name,
    input,
    ...(id === undefined ? {} : { id }),
  });
  const own = (name: string, ...kinds: OwnKind[]): Step[] =>
    kinds.map((what) => ({ kind: "own", what, payload: opaque(prefix, source.model.api, name, what) }));
  const settled = source.wire.provides.filter((kind) => kind !== "waitingTool");
  const wait = (name: string): AssistantMessage | undefined =>
    source.wire.provides.includes("waitingTool")
      ? play(name, "stop", say("I patch it."), ...own(name, "waitingTool"))
      : undefined;
  const thoughtful = play("thoughtful", "stop", think("an answer"), say("It is 42."));
  return {
    own: play("own", "stop", say("I look."), ...own("own", ...settled), say("That is all.")),
    ownCall: play("ownCall", "calls", think("a search"), ...own("ownCall", ...settled), call("read", { path: "j" })),
    ownAgain: play("ownAgain", "stop", say("I look again."), ...own("ownAgain", ...settled)),
    waiting: wait("waiting"),
    waitingAgain: wait("waitingAgain"),
    written: { ...thoughtful, model: "another-model", content: createWrittenContent(prefix) },
    thoughtful,
    thoughtfulAgain: play("thoughtfulAgain", "stop", think("an answer again"), say("It is 43.")),
    thoughtfulAtLast: play("thoughtfulAtLast", "stop", think("an answer at last"), say("It is 44.")),
    hidden: play("hidden", "stop", hide("secret"), say("I would rather not say.")),
    parallel: play(
      "parallel",
      "calls",
      think("three calls"),
      say("I look at all of them."),
      call("read", { path: "a" }),
      call("screenshot", {}),
      call("read", { path: "b" }),
    ),
    lone: play("lone", "calls", call("read", { path: "c" })),
    hiddenCall: play("hiddenCall", "calls", hide("a call"), call("read", { path: "d" })),
    longIds: play("longIds", "calls", call("read", { path: "e" }, `${LONG}1`), call("read", { path: "f" }, `${LONG}2`)),
    sameId: play("sameId", "calls", call("read", { path: "g" }, `${LONG}1`)),
    loneAgain: play("loneAgain", "calls", call("read", { path: "c again" })),
    thinkingOnly: play("thinkingOnly", "length", think("nothing else")),
    cut: play("cut", "length", { kind: "call", name: "read", input: { path: "a long name" }, cut: true }),
    failed: play("failed", "error", think("a failure"), call("read", { path: "h" })),
    aborted: play("aborted", "none", think("an interruption"), say("It is"), call("read", { path: "i" })),
    empty: play("empty", "stop"),
  };
}

/** Feeds a wire stream to the mapping as the driver does. */
export function response({ api, wire, model }: Source, script: Script): AssistantMessage {
  const options = {};
  const request: ModelRequest = { model, context: { messages: [] }, options, apiKey: "key", keyIsBearer: false };
  const wireRequest = { baseUrl: model.baseUrl, path: "", headers: {}, body: {} };
  const mapping = adapterOf(api).createMapping(request, wireRequest);
  const builder = new AssistantMessageBuilder({ model, emit: () => {}, timestamp: 0 });
  try {
    for (const event of wire.encode(script, model)) {
      builder.start();
      if (mapping(event, builder)) break;
    }
  } catch (error) {
    if (!PiError.is(error)) throw error;
    return builder.fail(toFailure(error, { secrets: [], attempts: 1 }));
  }
  if (script.end === "none") {
    return builder.fail({ reason: "aborted", errorMessage: "Request was aborted", error: { kind: "aborted" } });
  }
  return builder.finish();
}
