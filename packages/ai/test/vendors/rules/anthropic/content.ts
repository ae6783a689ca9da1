/** What the Messages API refuses: messages, pictures and documents. */
import * as find from "../../find.js";
import { listOf, type RequestView } from "../../request-view.js";
import type { Finding, Rule } from "../../rule.js";
import { BROKEN_PNG, bmp, json, PDF, PNG, png } from "../../samples.js";
import { ask, document, image, isSmall, MEASURED, MESSAGES, PDFS, refusesPrefill, say, TYPES, VISION } from "./form.js";

export const ANTHROPIC_CONTENT: readonly Rule[] = [
  {
    id: "anthropic/no-messages",
    refuses: "a request without messages",
    find: find.noTurns,
    says: "messages: at least one message is required",
    source: MESSAGES,
    date: "2026-11",
    certainty: "documented",
    example: { messages: [] },
  },
  {
    id: "anthropic/first-role",
    refuses: "a first message that is not the user's",
    find: find.beginsWith("assistant"),
    says: 'messages: first message must use the "user" role',
    source: MESSAGES,
    date: "2025-03",
    certainty: "documented",
    example: { messages: [{ role: "assistant", content: "Hi" }, ask] },
  },
  {
    id: "anthropic/role",
    refuses: "a role other than user, assistant and system",
    find: find.otherRole("user", "assistant", "system"),
    says: "{at}.role: Input should be 'user', 'assistant' or 'system'",
    source: TYPES,
    date: "2026-11",
    certainty: "documented",
    example: { messages: [{ role: "tool", content: "Hi" }] },
  },
  {
    id: "anthropic/prefill",
    refuses: "an assistant message at the end, from Claude 4.6 on",
    find: (request) =>
      refusesPrefill(request) && !endsInCompaction(request) ? find.endsWith("assistant")(request) : undefined,
    says: "This model does not support assistant message prefill. The conversation must end with a user message.",
    source: "cortexkit/magic-context#511",
    date: "2026-09",
    certainty: "reported",
    example: { messages: [ask, { role: "assistant", content: "Well" }] },
  },
  {
    id: "anthropic/prefill-space",
    refuses: "white space at the end of a last message of the assistant",
    find: ({ turns, parts }) => {
      const last = turns.at(-1);
      const end = parts.filter(({ turn }) => turn === turns.length - 1).at(-1);
      const spaced = last?.role === "assistant" && typeof end?.text === "string" && /\s$/.test(end.text);
      return spaced ? { at: last.at } : undefined;
    },
    says: "messages: final assistant content cannot end with trailing whitespace",
    source: "aws/aws-sdk-net#4015",
    date: "2025-09",
    certainty: "reported",
    example: { messages: [ask, { role: "assistant", content: "Well " }] },
  },
  {
    id: "anthropic/empty-message",
    refuses: "a user message without content",
    find: find.emptyTurn("user"),
    says: "{at}: user messages must have non-empty content",
    source: MEASURED,
    date: "2026-09",
    certainty: "reported",
    example: say(),
  },
  {
    id: "anthropic/empty-text",
    refuses: "a text block of length 0",
    find: find.text((part) => !part.inResult && find.isEmpty(part)),
    says: "messages: text content blocks must be non-empty",
    source: MEASURED,
    date: "2026-09",
    certainty: "reported",
    example: say({ type: "text", text: "" }, { type: "text", text: "x" }),
  },
  {
    id: "anthropic/blank-message",
    refuses: "a message of nothing but white space",
    find: blankMessage,
    says: "messages: text content blocks must contain non-whitespace text",
    source: MEASURED,
    date: "2026-09",
    certainty: "reported",
    example: say({ type: "text", text: " \n" }),
  },
  {
    id: "anthropic/empty-system",
    refuses: "an empty block of the system prompt",
    find: ({ body }) => (listOf(body["system"]).some(({ text }) => text === "") ? { at: "system" } : undefined),
    says: "system: text content blocks must be non-empty",
    source: MEASURED,
    date: "2026-09",
    certainty: "reported",
    example: { system: [{ type: "text", text: "" }] },
  },
  {
    id: "anthropic/blank-system",
    refuses: "a system prompt of white space",
    find: ({ body: { system } }) => (typeof system === "string" && /^\s+$/.test(system) ? { at: "system" } : undefined),
    says: "system: text content blocks must contain non-whitespace text",
    source: MEASURED,
    date: "2026-09",
    certainty: "reported",
    example: { system: "  " },
  },
  {
    id: "anthropic/picture-type",
    refuses: "a picture of another type than JPEG, PNG, GIF and WebP",
    find: find.pictureType("image/jpeg", "image/png", "image/gif", "image/webp"),
    says: "{at}.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    source: "expectedparrot/edsl#2057",
    date: "2025-06",
    certainty: "reported",
    example: say(image("image/bmp", bmp())),
  },
  {
    id: "anthropic/other-picture",
    refuses: "a picture whose bytes are of another type than it says",
    find: find.otherPicture,
    says: "{at}.base64: The image was specified using the {type} media type, but the image appears to be a image/{format} image",
    source: "vybestack/llxprt-code#2130",
    date: "2026-06",
    certainty: "reported",
    example: say(image("image/jpeg", PNG)),
  },
  {
    id: "anthropic/picture-data",
    refuses: "a picture that is none of these formats, or has no data",
    find: find.pictureFormat("jpeg", "png", "gif", "webp"),
    says: "{at}.base64.data: Could not process image",
    source: VISION,
    date: "2026-11",
    certainty: "documented",
    example: say(image("image/png", "")),
  },
  {
    id: "anthropic/picture-bytes",
    refuses: "a picture of more than 10 MB in base64",
    find: find.pictureLength(10 * 1024 * 1024),
    says: "{at}.base64: image exceeds 10 MB maximum: {length} bytes > 10485760 bytes",
    source: VISION,
    date: "2026-11",
    certainty: "documented",
    example: say(image("image/png", png(10, 10, 9_000_000))),
  },
  {
    id: "anthropic/broken-picture",
    refuses: "a picture whose end is missing",
    find: find.pictures((_part, { isBroken }) => (isBroken ? {} : undefined)),
    says: "Could not process image",
    source: "anthropics/claude-code#56016",
    date: "2026-05",
    certainty: "reported",
    example: say(image("image/png", BROKEN_PNG)),
  },
  {
    id: "anthropic/picture-pixels",
    refuses: "a picture of more than 8,000 pixels on a side",
    find: find.pictureSize(8000),
    says: "{at}.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    source: VISION,
    date: "2026-11",
    certainty: "documented",
    example: say(image("image/png", png(9000, 10))),
  },
  {
    id: "anthropic/many-pictures",
    refuses: "a picture of more than 2,000 pixels on a side in a request with more than 20",
    find: find.pictureSize(2000, 21),
    says: "{at}.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    source: VISION,
    date: "2026-11",
    certainty: "documented",
    example: say(...Array.from({ length: 21 }, () => image("image/png", png(2400, 10)))),
  },
  {
    id: "anthropic/picture-count",
    refuses: "more than 600 pictures, or 100 for a model with a context of 200,000 tokens",
    find: (request) => find.pictureCount(isSmall(request) ? 100 : 600)(request),
    says: "messages: too many images and documents: {count} > {most}",
    source: VISION,
    date: "2026-11",
    certainty: "documented",
    example: say(...Array.from({ length: 601 }, () => image("image/png", PNG))),
  },
  {
    id: "anthropic/picture-role",
    refuses: "a picture in a message of the assistant",
    find: ({ parts }) => {
      const found = parts.find(({ kind, role }) => (kind === "picture" || kind === "file") && role === "assistant");
      return found && { at: found.at };
    },
    says: "{at}: Input tag 'image' found using 'type' does not match any of the expected tags",
    source: MESSAGES,
    date: "2026-11",
    certainty: "documented",
    example: { messages: [ask, { role: "assistant", content: [image("image/png", PNG)] }, ask] },
  },
  {
    id: "anthropic/document-type",
    refuses: "a document in base64 that is no PDF by its type",
    find: find.files(({ type }) => (type === "application/pdf" ? undefined : {})),
    says: "{at}.base64.media_type: Input should be 'application/pdf'",
    source: PDFS,
    date: "2026-11",
    certainty: "documented",
    example: say(document(PDF, "application/msword")),
  },
  {
    id: "anthropic/document-data",
    refuses: "a document whose bytes are no PDF",
    find: find.files(({ data = "" }) => (find.isPdf(data) ? undefined : {})),
    says: "{at}.base64.data: The PDF specified was not valid.",
    source: PDFS,
    date: "2026-11",
    certainty: "documented",
    example: say(document("aGVsbG8=")),
  },
  {
    id: "anthropic/document-pages",
    refuses: "more than 100 pages of PDF, for a model with 200,000 tokens of context",
    find: (request) => {
      const { parts } = request;
      const files = parts.filter(({ kind }) => kind === "file");
      const pages = files.reduce((sum, { data = "" }) => sum + find.pagesOf(data), 0);
      return pages > (isSmall(request) ? 100 : 600) ? { at: files[0]?.at ?? "", pages } : undefined;
    },
    says: "{at}.base64.data: A maximum of 100 PDF pages may be provided.",
    source: PDFS,
    date: "2026-11",
    certainty: "documented",
    example: say(document(json(`%PDF-1.4 ${"/Type /Page ".repeat(601)}`))),
  },
  {
    id: "anthropic/inline-bytes",
    refuses: "a request of more than 32 MB",
    find: find.totalLength(32 * 1024 * 1024),
    says: "Request exceeds the maximum size",
    status: 413,
    source: "platform.claude.com/docs/en/api/errors",
    date: "2026-11",
    certainty: "documented",
    example: say(...Array.from({ length: 4 }, () => image("image/png", png(1, 1, 7_000_000)))),
  },
  {
    id: "anthropic/max-tokens",
    refuses: "a limit of output below 0, or none",
    find: ({ body }) => (Number(body["max_tokens"]) >= 0 ? undefined : { at: "max_tokens" }),
    says: "max_tokens: Input should be greater than or equal to 0",
    source: TYPES,
    date: "2026-11",
    certainty: "documented",
    example: { max_tokens: -1 },
  },
  {
    id: "anthropic/cache-marks",
    refuses: "more than 4 cache marks",
    find: ({ body }) => {
      const count = find.countKeys({ ...body, metadata: undefined }, "cache_control");
      return count > 4 ? { at: "cache_control", count } : undefined;
    },
    says: "A maximum of 4 blocks with cache_control may be provided. Found {count}.",
    source: "Wei-Shaw/sub2api#176",
    date: "2026-01",
    certainty: "reported",
    example: say(
      ...Array.from({ length: 5 }, () => ({ type: "text", text: "x", cache_control: { type: "ephemeral" } })),
    ),
  },
  {
    id: "anthropic/cache-empty",
    refuses: "a cache mark on an empty text",
    find: ({ body }) => {
      const blocks = listOf(body["messages"]).flatMap(({ content }) => listOf(content));
      const found = blocks.some(
        ({ type, text, cache_control: mark }) => type === "text" && text === "" && mark !== undefined,
      );
      return found ? { at: "messages" } : undefined;
    },
    says: "{at}: cache_control cannot be set for empty text blocks",
    source: "platform.claude.com/docs/en/build-with-claude/prompt-caching",
    date: "2026-11",
    certainty: "documented",
    example: say({ type: "text", text: "", cache_control: { type: "ephemeral" } }),
  },
];

function blankMessage({ turns, parts, calls, results }: RequestView): Finding | undefined {
  for (const [index, { role, at }] of turns.entries()) {
    const own = parts.filter(({ turn, inResult }) => turn === index && !inResult);
    const others = [...calls, ...results].some(({ turn }) => turn === index);
    const blank = own.length > 0 && own.every((part) => part.kind === "text" && find.isBlank(part));
    if (blank && !others && role !== "system" && !own.some(find.isEmpty)) return { at };
  }
  return undefined;
}

function endsInCompaction({ body }: RequestView): boolean {
  return listOf(listOf(body["messages"]).at(-1)?.["content"]).at(-1)?.["type"] === "compaction";
}
