/** Rules "fields", "requests" and "secret": the fields of a message, and the requests that may be sent. */
import { CANARIES } from "../support/credentials.js";
import { type Case, isRecord, show } from "./judgement.js";

/** The documented fields of each part of a message, including those of later reference versions. */
const FIELDS = {
  message:
    "role content api provider model responseModel responseId diagnostics usage stopReason errorMessage error timestamp " +
    "providerThinkingLevel thinkingLevel deferred rawStopReason endTurn durationMs stopSequence container",
  usage: "input output cacheRead cacheWrite totalTokens cost cacheWrite1h reasoning",
  cost: "input output cacheRead cacheWrite total totalFromProvider reported",
  error: "kind status requestId retryAfterMs attempts",
  text: "type text textSignature citations",
  thinking: "type thinking thinkingSignature redacted",
  toolCall: "type id name arguments thoughtSignature namespace caller argumentsError argumentsText",
  serverTool: "type id name status input output errorText signature",
  image: "type data mimeType signature",
  file: "type mimeType data url fileId name signature",
  compaction: "type text signature",
  citation: "url title quote start end source signature",
} as const;

type Part = keyof typeof FIELDS;

const BLOCKS: ReadonlySet<string> = new Set<Part>([
  "text",
  "thinking",
  "toolCall",
  "serverTool",
  "image",
  "file",
  "compaction",
]);

const ALLOWED_FIELDS = new Map(
  Object.entries(FIELDS).map(([part, names]): [string, ReadonlySet<string>] => [part, new Set(names.split(" "))]),
);

export function checkFields({ seen: { message } }: Case): string | undefined {
  if (!isRecord(message)) return `the message is ${show(message)}`;
  if (message.role !== "assistant") return `the role is ${show(message.role)}`;
  const problems = [
    checkPart("message", message, ""),
    checkPart("usage", message.usage, "usage."),
    checkPart("cost", message.usage.cost, "usage.cost."),
    checkPart("error", message.error, "error."),
    ...message.content.map((block, index) => checkBlock(block, `content[${index}].`)),
  ];
  return problems.find((problem) => problem !== undefined);
}

export function checkRequests({ requests }: Case): string | undefined {
  return requests === 1 ? undefined : `${requests} requests with maxRetries 0`;
}

export function checkSecret({ seen }: Case): string | undefined {
  const texts = [seen.message, seen.events.map((event) => event.delta), String(seen.thrown ?? "")];
  const shown = JSON.stringify(texts) + seen.events.map((event) => event.delta ?? "").join("");
  const leak = Object.entries(CANARIES).find(([, secret]) => shown.includes(secret));
  return leak && `${leak[0]} is shown`;
}

function checkBlock(block: object, path: string): string | undefined {
  const type = "type" in block ? String(block.type) : "";
  if (!BLOCKS.has(type)) return `${path}type is ${show(type)}`;
  // Checked above to be one of the parts.
  const problem = checkPart(type as Part, block, path);
  const hasLooseText = "argumentsText" in block && !("argumentsError" in block);
  const citations: unknown[] = "citations" in block && Array.isArray(block.citations) ? block.citations : [];
  const ofCitation = citations.map((one) => checkPart("citation", Object(one), `${path}citations.`)).find(Boolean);
  return problem ?? ofCitation ?? (hasLooseText ? `${path}argumentsText without argumentsError` : undefined);
}

function checkPart(part: Part, value: object | undefined, path: string): string | undefined {
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(value ?? {}))) {
    if (descriptor.get || descriptor.set) return `${path}${name} is an accessor`;
    const isShown = descriptor.enumerable && descriptor.value !== undefined;
    if (isShown && !ALLOWED_FIELDS.get(part)?.has(name)) return `${path}${name} is no documented field`;
  }
  return undefined;
}
