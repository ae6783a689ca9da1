/** Programs that read any message compile, and so do those that name the types of logins. `tsc` checks this file. */
import type { AgentMessage } from "pi-agent";
import type {
  AssistantBlock,
  AssistantMessage,
  FileContent,
  ImageContent,
  Message,
  OAuthAuthInfo,
  OAuthCredentials,
  OAuthLoginCallbacks,
  OAuthPrompt,
  OAuthProvider,
  OAuthProviderId,
  OAuthProviderInfo,
  OAuthProviderInterface,
  OAuthSelectOption,
  OAuthSelectPrompt,
  TextContent,
  ToolCall,
  ToolResultMessage,
  UserBlock,
} from "pi-ai";
import { describe, expect, expectTypeOf, test } from "vitest";
import { response, user } from "./scripted-stream.js";

const image: ImageContent = { type: "image", data: "", mimeType: "image/png" };
const result: ToolResultMessage = {
  role: "toolResult",
  toolCallId: "1",
  toolName: "look",
  content: [{ type: "text", text: "c" }, image],
  isError: false,
  timestamp: 1,
};
const messages: readonly Message[] = [
  user("a"),
  { role: "user", content: [{ type: "text", text: "b" }, image], timestamp: 1 },
  response([
    { type: "text", text: "d" },
    { type: "toolCall", id: "1", name: "look", arguments: {} },
  ]),
  result,
];

/** What programs do with the blocks of any message. */
function read(message: Message): string {
  if (typeof message.content === "string") return message.content;
  const { content } = message;
  const texts: TextContent[] = content.filter((block): block is TextContent => block.type === "text");
  const inferred: TextContent[] = content.filter((block) => block.type === "text");
  const images: ImageContent[] = content.filter((block): block is ImageContent => block.type === "image");
  const files: FileContent[] = content.filter((block): block is FileContent => block.type === "file");
  const calls: ToolCall[] = content.filter((block): block is ToolCall => block.type === "toolCall");
  const first: TextContent | undefined = content.find((block): block is TextContent => block.type === "text");
  const mapped: string[] = content.map((block) => (block.type === "text" ? block.text : ""));
  const flat: string[] = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const length = content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  expect([inferred, mapped.join(""), flat.join(""), length]).toEqual([
    texts,
    joined(texts),
    joined(texts),
    texts.length,
  ]);
  expect(first).toBe(texts[0]);
  return `${joined(texts)}${images.length}${files.length}${calls.length}`;
}

const joined = (texts: readonly TextContent[]): string => texts.map(({ text }) => text).join("");

describe("the blocks of any message", () => {
  test("are filtered with a type guard", () => {
    expect(messages.map(read)).toEqual(["a", "b100", "d001", "c100"]);
  });

  test("also of messages that are narrowed to some roles, or are an agent's", () => {
    const isText = (block: UserBlock | AssistantBlock): block is TextContent => block.type === "text";
    const ofAgent = (message: AgentMessage): TextContent[] =>
      "content" in message && Array.isArray(message.content)
        ? message.content.filter((block): block is TextContent => block.type === "text")
        : [];
    const ofTool = (message: Message): TextContent[] =>
      message.role === "user" || message.role === "system" ? [] : message.content.filter(isText);
    const ofUser = (message: Message): TextContent[] =>
      message.role === "assistant" || message.role === "system" || typeof message.content === "string"
        ? []
        : message.content.filter(isText);
    const ofAssistant = ({ content }: AssistantMessage): ImageContent[] =>
      content.filter((block): block is ImageContent => block.type === "image");
    expect(messages.map((message) => joined(ofAgent(message)))).toEqual(["", "b", "d", "c"]);
    expect(messages.map((message) => joined(ofTool(message)))).toEqual(["", "", "d", "c"]);
    expect(messages.map((message) => joined(ofUser(message)))).toEqual(["", "b", "", "c"]);
    expect(ofAssistant(response([{ ...image, signature: "s" }]))).toHaveLength(1);
  });
});

test("the types of logins are exported from the root", () => {
  expectTypeOf<OAuthCredentials["expires"]>().toEqualTypeOf<number>();
  expectTypeOf<OAuthProvider>().toEqualTypeOf<OAuthProviderId>();
  expectTypeOf<OAuthProviderInterface["id"]>().toEqualTypeOf<OAuthProviderId>();
  expectTypeOf<OAuthProviderInfo["available"]>().toEqualTypeOf<boolean>();
  expectTypeOf<OAuthSelectPrompt["options"]>().toEqualTypeOf<OAuthSelectOption[]>();
  const callbacks: OAuthLoginCallbacks = {
    onAuth: ({ url }: OAuthAuthInfo) => void url,
    onPrompt: async ({ message }: OAuthPrompt) => message,
    onSelect: async ({ options }: OAuthSelectPrompt) => options[0]?.id,
  };
  expect(Object.keys(callbacks)).toHaveLength(3);
});
