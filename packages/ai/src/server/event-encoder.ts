/** Encodes the events of a stream for a relay's client: without snapshots, but with fields that it cannot derive. */

import type { AssistantMessageEvent } from "../types/event.js";
import type {
  AssistantBlock,
  AssistantMessage,
  AssistantMessageDiagnostic,
  ErrorInfo,
  MessageFacts,
  ServerToolContent,
  Usage,
} from "../types/message.js";
import { redact } from "../utils/redact.js";
import { clientErrorText, hideAddresses } from "./client-texts.js";
import type {
  ProxyAssistantMessageEvent,
  ProxyBlockFields,
  ProxyEnding,
  ProxyNews,
  ProxyResponseFields,
} from "./proxy-event.js";
import { WIRE_NAMES } from "./wire-names.js";

/** Removes from a text what a client may not see. */
type Clean = (text: string) => string;

// Records, so that a new fact fails to compile here instead of being lost on the way to the client.
/** The part of each fact about a response that a client may see. */
const FACTS: {
  readonly [TName in keyof MessageFacts]-?: (
    value: NonNullable<MessageFacts[TName]>,
    clean: Clean,
  ) => NonNullable<MessageFacts[TName]>;
} = {
  responseId: (value) => value,
  responseModel: (value) => value,
  stopSequence: (value) => value,
  container: (value) => value,
  diagnostics: (value, clean) => value.map((diagnostic) => cleanDiagnostic(diagnostic, clean)),
};
// Object.keys has no narrower type; the record names exactly these keys.
const FACT_NAMES = Object.keys(FACTS) as readonly (keyof MessageFacts)[];

const ERROR_FIELDS: Readonly<Record<keyof ErrorInfo, true>> = {
  kind: true,
  status: true,
  requestId: true,
  retryAfterMs: true,
  attempts: true,
};

const NOTHING: ProxyBlockFields = {};
const NO_NEWS: ProxyResponseFields = {};
/** For blocks of an unknown type, which a custom stream may contain. */
const NO_NAMES = {};

/** Encodes one stream. Every event costs O(1), the last one O(number of blocks). */
export class ProxyEventEncoder {
  readonly #baseUrl: string;
  readonly #clean: Clean;
  readonly #sent = new Map<number, ProxyBlockFields>();
  #usage: Usage | undefined;
  #response: ProxyResponseFields = {};

  /**
   * @param secrets values that no text may contain
   * @param baseUrl the address of the model's server, which no text may contain either
   */
  constructor(secrets: readonly string[], baseUrl = "") {
    this.#baseUrl = baseUrl;
    this.#clean = (text) => hideAddresses(redact(text, secrets), baseUrl);
  }

  /** The line of an event. */
  encode(event: AssistantMessageEvent): string {
    return `data: ${JSON.stringify(this.toWire(event))}\n\n`;
  }

  toWire(event: AssistantMessageEvent): ProxyAssistantMessageEvent {
    switch (event.type) {
      case "start":
        return { type: "start", ...this.#takeNews(event.partial) };
      case "attempt_reset":
        this.#sent.clear();
        return { type: "attempt_reset", ...this.#takeNews(event.partial) };
      case "done":
        return { type: "done", reason: doneReason(event.reason), ...this.#ending(event.message) };
      case "error":
        return this.#error(event.reason, event.error);
      default:
        return this.#blockEvent(event);
    }
  }

  #blockEvent(event: Extract<AssistantMessageEvent, { contentIndex: number }>): ProxyAssistantMessageEvent {
    const { contentIndex, partial } = event;
    const facts = {
      contentIndex,
      ...this.#takeFields(contentIndex, partial.content[contentIndex]),
      ...this.#takeNews(partial),
    };
    switch (event.type) {
      case "toolcall_end":
        return { type: event.type, ...facts, toolCall: event.toolCall };
      case "servertool_start":
        return { type: event.type, ...facts, serverTool: serverToolOf(event) };
      case "servertool_update":
        return event.delta === undefined
          ? { type: event.type, ...facts, serverTool: serverToolOf(event) }
          : { type: event.type, ...facts, delta: event.delta };
      case "servertool_end":
        return { type: event.type, ...facts, serverTool: event.serverTool };
      case "file_end":
        return { type: event.type, ...facts, file: event.file };
      case "compaction_end":
        return { type: event.type, ...facts, compaction: event.compaction };
      case "citation":
        return { type: event.type, ...facts, citation: event.citation };
      default:
        return "delta" in event ? { type: event.type, ...facts, delta: event.delta } : { type: event.type, ...facts };
    }
  }

  #error(reason: "error" | "aborted", message: AssistantMessage): ProxyAssistantMessageEvent {
    const { errorMessage, error } = message;
    return {
      type: "error",
      reason,
      ...(errorMessage === undefined
        ? {}
        : { errorMessage: clientErrorText(this.#clean(errorMessage), error, this.#baseUrl) }),
      ...(error ? { error: factsOf(error) } : {}),
      ...this.#ending(message),
    };
  }

  #ending(message: AssistantMessage): ProxyEnding {
    const blocks = message.content.flatMap((block, contentIndex) => {
      const fields = this.#takeFields(contentIndex, block);
      return fields === NOTHING ? [] : [{ contentIndex, ...fields }];
    });
    return {
      usage: message.usage,
      ...this.#responseFields(message),
      ...(blocks.length > 0 ? { blocks } : {}),
    };
  }

  /** Counts and facts that the client has not seen. Snapshots share them until they change. */
  #takeNews(partial: AssistantMessage): ProxyNews {
    const { usage } = partial;
    const isNew = usage !== this.#usage && (this.#usage !== undefined || usage.totalTokens > 0);
    if (isNew) this.#usage = usage;
    return isNew ? { usage, ...this.#takeResponseFields(partial) } : this.#takeResponseFields(partial);
  }

  #takeResponseFields(partial: AssistantMessage): ProxyResponseFields {
    const before = this.#response;
    for (const name of FACT_NAMES) {
      if (partial[name] === before[name]) continue;
      this.#response = partial;
      return this.#responseFields(partial);
    }
    return NO_NEWS;
  }

  #responseFields(facts: ProxyResponseFields): ProxyResponseFields {
    const fields: ProxyResponseFields = {};
    for (const name of FACT_NAMES) {
      const value = facts[name];
      // The compiler cannot pair the value of a name with the function of the same name.
      const show = FACTS[name] as (value: unknown, clean: Clean) => unknown;
      if (value !== undefined) Reflect.set(fields, name, show(value, this.#clean));
    }
    return fields;
  }

  /** The fields of a block that the client has not seen. Only an event that brings some costs an object. */
  #takeFields(index: number, block: AssistantBlock | undefined): ProxyBlockFields {
    if (!block) return NOTHING;
    const before = this.#sent.get(index) ?? NOTHING;
    const names: Readonly<Record<string, keyof ProxyBlockFields | "whole">> = WIRE_NAMES[block.type] ?? NO_NAMES;
    let changed: ProxyBlockFields | undefined;
    for (const name in names) {
      const wireName = names[name];
      if (!wireName || wireName === "whole") continue;
      const value: unknown = Reflect.get(block, name);
      if (value === undefined || value === false || value === before[wireName]) continue;
      changed = { ...changed, [wireName]: value };
    }
    if (!changed) return NOTHING;
    this.#sent.set(index, { ...before, ...changed });
    return changed;
  }
}

function serverToolOf({
  contentIndex,
  partial,
}: {
  contentIndex: number;
  partial: AssistantMessage;
}): ServerToolContent {
  const block = partial.content[contentIndex];
  // A custom stream may hold any value here.
  return block?.type === "serverTool" ? block : { type: "serverTool", id: "", name: "", status: "running" };
}

/** Removes the stack of the error. */
function cleanDiagnostic({ error, ...rest }: AssistantMessageDiagnostic, clean: Clean): AssistantMessageDiagnostic {
  if (!error) return rest;
  const { stack: _, ...facts } = error;
  return { ...rest, error: { ...facts, message: clean(error.message) } };
}

/** The error of a custom stream may have fields that a client should not see. */
function factsOf(error: ErrorInfo): ErrorInfo {
  const entries = Object.entries(error).filter(
    ([name, value]) => Object.hasOwn(ERROR_FIELDS, name) && value !== undefined,
  );
  // Every required field is one of the named ones.
  return Object.fromEntries(entries) as unknown as ErrorInfo;
}

/** A custom stream may have any reason. */
function doneReason(reason: string): Extract<ProxyAssistantMessageEvent, { type: "done" }>["reason"] {
  return reason === "length" || reason === "toolUse" || reason === "pause" ? reason : "stop";
}
