/** Events of a stream as a proxy sends them: without snapshots, and with what a client cannot know by itself. */
import { redact } from "../transport/redact.js";
import type { AssistantMessageEvent } from "../types/event.js";
import type { AssistantMessage, AssistantMessageDiagnostic, ErrorInfo, Usage } from "../types/message.js";
import type {
  ProxyAssistantMessageEvent,
  ProxyBlockFields,
  ProxyEnding,
  ProxyNews,
  ProxyResponseFields,
} from "./proxy-event.js";

type Block = AssistantMessage["content"][number];

const NOTHING: ProxyBlockFields = {};
const NO_NEWS: ProxyResponseFields = {};

/** One for each stream. Every event costs O(1), the last one as much as the message has blocks. */
export class ProxyEventEncoder {
  readonly #secrets: readonly string[];
  readonly #sent = new Map<number, ProxyBlockFields>();
  #usage: Usage | undefined;
  #response: ProxyResponseFields = {};

  /** @param secrets values that must appear in no text */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /** The line of an event. */
  encode(event: AssistantMessageEvent): string {
    return `data: ${JSON.stringify(this.toWire(event))}\n\n`;
  }

  toWire(event: AssistantMessageEvent): ProxyAssistantMessageEvent {
    switch (event.type) {
      case "start":
        return { type: "start", ...this.#takeNews(event.partial) };
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
    if (event.type === "toolcall_end") return { type: event.type, ...facts, toolCall: event.toolCall };
    if ("delta" in event) return { type: event.type, ...facts, delta: event.delta };
    return { type: event.type, ...facts };
  }

  #error(reason: "error" | "aborted", message: AssistantMessage): ProxyAssistantMessageEvent {
    const { errorMessage, error } = message;
    return {
      type: "error",
      reason,
      ...(errorMessage === undefined ? {} : { errorMessage: redact(errorMessage, this.#secrets) }),
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

  /** Where in the server's code something happened is nobody else's business. */
  #clean({ error, ...rest }: AssistantMessageDiagnostic): AssistantMessageDiagnostic {
    if (!error) return rest;
    const { stack: _, ...facts } = error;
    return { ...rest, error: { ...facts, message: redact(error.message, this.#secrets) } };
  }

  /** Counts and facts of the answer that the client has not seen; snapshots share them until they change. */
  #takeNews(partial: AssistantMessage): ProxyNews {
    const { usage } = partial;
    const isNew = usage !== this.#usage && (this.#usage !== undefined || usage.totalTokens > 0);
    if (isNew) this.#usage = usage;
    return isNew ? { usage, ...this.#takeResponseFields(partial) } : this.#takeResponseFields(partial);
  }

  #takeResponseFields(partial: AssistantMessage): ProxyResponseFields {
    const { responseId, responseModel, diagnostics } = partial;
    const before = this.#response;
    if (
      responseId === before.responseId &&
      responseModel === before.responseModel &&
      diagnostics === before.diagnostics
    )
      return NO_NEWS;
    this.#response = partial;
    return this.#responseFields(partial);
  }

  #responseFields({ responseId, responseModel, diagnostics }: ProxyResponseFields): ProxyResponseFields {
    return {
      ...(responseId === undefined ? {} : { responseId }),
      ...(responseModel === undefined ? {} : { responseModel }),
      ...(diagnostics ? { diagnostics: diagnostics.map((diagnostic) => this.#clean(diagnostic)) } : {}),
    };
  }

  #takeFields(index: number, block: Block | undefined): ProxyBlockFields {
    const fields = fieldsOf(block);
    const before = this.#sent.get(index) ?? NOTHING;
    const names = Object.keys(fields) as (keyof ProxyBlockFields)[]; // the function below names no others
    const changed = names.filter((name) => fields[name] !== before[name]);
    if (changed.length === 0) return NOTHING;
    this.#sent.set(index, fields);
    return Object.fromEntries(changed.map((name) => [name, fields[name]]));
  }
}

/** An error made elsewhere may have more to it than a client should see. */
function factsOf({ kind, status, requestId, retryAfterMs, attempts }: ErrorInfo): ErrorInfo {
  return {
    kind,
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(attempts === undefined ? {} : { attempts }),
  };
}

function fieldsOf(block: Block | undefined): ProxyBlockFields {
  if (block?.type === "toolCall") {
    const { id, name, thoughtSignature } = block;
    return { id, toolName: name, ...(thoughtSignature ? { thoughtSignature } : {}) };
  }
  const signature = block?.type === "text" ? block.textSignature : block?.thinkingSignature;
  return {
    ...(signature ? { contentSignature: signature } : {}),
    ...(block?.type === "thinking" && block.redacted ? { redacted: true } : {}),
  };
}

/** A stream made elsewhere may name any reason. */
function doneReason(reason: string): "stop" | "length" | "toolUse" {
  return reason === "length" || reason === "toolUse" ? reason : "stop";
}
