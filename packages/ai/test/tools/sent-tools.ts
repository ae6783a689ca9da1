/** What each api is sent for the tools and the calls of a conversation. */
import { type AssistantMessage, type ContextInput, type SimpleStreamOptions, streamSimple } from "pi-ai";
import { PARTIES, type Party } from "../handoff/parties.js";

type Fields = Record<string, unknown>;

export interface SentTool {
  name: string;
  description?: string;
  schema: Fields;
}

export interface SentRequest {
  text: string;
  tools: SentTool[];
  /** The names of calls and, where the wire has them, of results. */
  names: string[];
  /** The arguments of the calls. */
  inputs: unknown[];
  diagnostics: NonNullable<AssistantMessage["diagnostics"]>;
  message: AssistantMessage;
  body: Fields;
}

export const APIS: readonly Party[] = PARTIES;

/** The request that a context becomes. It is not sent. */
export async function request(
  party: Pick<Party, "api" | "model" | "apiKey">,
  context: ContextInput,
  options: SimpleStreamOptions = {},
): Promise<SentRequest> {
  let body: Fields | undefined;
  const onPayload = (payload: unknown): never => {
    body = payload as Fields; // every api sends an object
    throw new Error("not sent");
  };
  const message = await streamSimple(party.model, context, { ...options, apiKey: party.apiKey, onPayload }).result();
  if (!body) throw new Error(`${party.api}: ${message.errorMessage}`);
  const text = JSON.stringify(body);
  const own = readBody(party.api, JSON.parse(text));
  return { text, body, message, diagnostics: message.diagnostics ?? [], ...own };
}

// biome-ignore lint/suspicious/noExplicitAny: the wires of six vendors, read by a test that fails if they change.
type Any = any;

function readBody(api: string, body: Any): Pick<SentRequest, "tools" | "names" | "inputs"> {
  const inside = body.request ?? body;
  if (inside.contents) {
    const parts = inside.contents.flatMap((content: Any) => content.parts);
    return {
      tools: (inside.tools?.[0]?.functionDeclarations ?? []).map((tool: Any) => ({
        ...tool,
        schema: tool.parametersJsonSchema ?? tool.parameters,
      })),
      names: parts.flatMap((part: Any) => [part.functionCall?.name, part.functionResponse?.name]).filter(isDefined),
      inputs: parts.map((part: Any) => part.functionCall?.args).filter(isDefined),
    };
  }
  if (body.input) {
    const calls = body.input.filter((item: Any) => item.type === "function_call");
    return {
      tools: (body.tools ?? []).map((tool: Any) => ({ ...tool, schema: tool.parameters })),
      names: calls.map((call: Any) => call.name),
      inputs: calls.map((call: Any) => JSON.parse(call.arguments)),
    };
  }
  if (api === "anthropic-messages" || api === "bedrock-converse-stream") {
    const blocks = body.messages.flatMap((message: Any) => (Array.isArray(message.content) ? message.content : []));
    const calls = blocks.map((block: Any) => (block.type === "tool_use" ? block : block.toolUse)).filter(isDefined);
    const tools = body.toolConfig?.tools?.map((tool: Any) => tool.toolSpec) ?? body.tools ?? [];
    return {
      tools: tools.map((tool: Any) => ({ ...tool, schema: tool.input_schema ?? tool.inputSchema.json })),
      names: calls.map((call: Any) => call.name),
      inputs: calls.map((call: Any) => call.input),
    };
  }
  const calls = body.messages.flatMap((message: Any) => message.tool_calls ?? []);
  return {
    tools: (body.tools ?? []).map((tool: Any) => ({ ...tool.function, schema: tool.function.parameters })),
    names: calls.map((call: Any) => call.function.name),
    inputs: calls.map((call: Any) => JSON.parse(call.function.arguments)),
  };
}

function isDefined(value: unknown): boolean {
  return value !== undefined;
}
