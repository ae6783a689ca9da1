/** The chunks of the AI SDK's UI message stream. */

/** A tool that the page does not know in advance; the AI SDK shows it as a part of type `dynamic-tool`. */
interface ToolChunk {
  toolCallId: string;
  dynamic: true;
  /** Whether the provider ran the tool. */
  providerExecuted?: boolean;
}

interface NamedToolChunk extends ToolChunk {
  toolName: string;
}

/**
 * A chunk of the UI message stream, version 1, for `ai` 7. The option `sdk` replaces those that the versions 5 and 6 do not
 * know: `reset-step` (a response that starts over), `steering-message`, `tool-approval-response`, and for version 5 all
 * chunks of approvals.
 */
export type UIMessageChunk =
  | { type: "start"; messageId?: string }
  | { type: "start-step" | "finish-step" | "reset-step" | "abort" }
  | { type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; id: string }
  | { type: "text-delta" | "reasoning-delta"; id: string; delta: string }
  | ({ type: "tool-input-start" } & NamedToolChunk)
  | { type: "tool-input-delta"; toolCallId: string; inputTextDelta: string }
  | ({ type: "tool-input-available"; input: unknown } & NamedToolChunk)
  | ({ type: "tool-input-error"; input: unknown; errorText: string } & NamedToolChunk)
  | ({ type: "tool-output-available"; output: unknown; preliminary?: boolean } & ToolChunk)
  | ({ type: "tool-output-error"; errorText: string } & ToolChunk)
  | { type: "tool-output-denied"; toolCallId: string }
  | { type: "tool-approval-request"; approvalId: string; toolCallId: string; isAutomatic?: boolean }
  | { type: "tool-approval-response"; approvalId: string; approved: boolean; reason?: string }
  | { type: "source-url"; sourceId: string; url: string; title?: string }
  | { type: "source-document"; sourceId: string; mediaType: string; title: string }
  | { type: "file"; url: string; mediaType: string }
  | { type: "steering-message"; id: string; parts: UIInputPart[] }
  | { type: `data-${string}`; id?: string; data: unknown; transient?: boolean }
  | { type: "error"; errorText: string }
  | { type: "finish"; finishReason: "stop" | "length" | "tool-calls" | "error" | "other"; messageMetadata?: unknown };

/** A part of a user's message. */
export type UIInputPart = { type: "text"; text: string } | { type: "file"; mediaType: string; url: string };
