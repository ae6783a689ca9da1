/** Names of properties that Claude refuses: renamed in the request, at any depth, and turned back in the call. */
import { type AssistantMessage, type AssistantMessageEvent, type Context, getModel, stream, type Tool } from "pi-ai";
import { expect, test } from "vitest";

const TOOL: Tool = {
  name: "query",
  description: "Asks a database.",
  parameters: {
    type: "object",
    properties: {
      $select: { type: "string" },
      "a b": { type: "object", properties: { "in/side": { type: "array", items: { type: "number" } } } },
      plain: { type: "string" },
    },
    required: ["$select"],
  },
};
const WANTED = { $select: "name", "a b": { "in/side": [1, 2] }, plain: "$select" };
const ALLOWED = /^[a-zA-Z0-9_.-]{1,64}$/;

interface Sent {
  tools: { input_schema: { properties: Record<string, { properties?: object }>; required: string[] } }[];
  messages: { role: string; content: { type: string; input?: object }[] }[];
}

/** Answers with a call whose arguments use the names of the request. */
function claude(pieceLength: number) {
  const bodies: Sent[] = [];
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const body = JSON.parse(String(init?.body)) as Sent;
    bodies.push(body);
    const properties = Object.entries(body.tools[0]?.input_schema.properties ?? {});
    const [first = "", second = ""] = properties.map(([name]) => name);
    const [inner = ""] = Object.keys(properties[1]?.[1].properties ?? {});
    const json = JSON.stringify({ [first]: "name", [second]: { [inner]: [1, 2] }, plain: "$select" });
    const pieces = json.match(new RegExp(`[^]{1,${pieceLength}}`, "g")) ?? [];
    const events = [
      { type: "message_start", message: { id: "m", model: "claude", usage: { input_tokens: 1, output_tokens: 1 } } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "t1", name: "query", input: {} },
      },
      ...pieces.map((partial_json) => ({
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json },
      })),
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ];
    const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    return new Response(text, { headers: { "content-type": "text/event-stream" } });
  };
  return { bodies, fetch };
}

test.each([1, 3, 7, 1000])(
  "the call has the names of the tool, streamed in pieces of %d characters",
  async (length) => {
    const { bodies, fetch } = claude(length);
    const model = getModel("anthropic", "claude-sonnet-4-6");
    const context: Context = { messages: [{ role: "user", content: "Ask", timestamp: 0 }], tools: [TOOL] };
    const response = stream(model, context, { apiKey: "key", fetch });
    const events: AssistantMessageEvent[] = [];
    for await (const event of response) events.push(event);
    const message: AssistantMessage = await response.result();

    const schema = bodies[0]?.tools[0]?.input_schema;
    for (const name of Object.keys(schema?.properties ?? {})) expect(name).toMatch(ALLOWED);
    for (const name of schema?.required ?? []) expect(Object.keys(schema?.properties ?? {})).toContain(name);
    expect(message).toMatchObject({ stopReason: "toolUse", content: [{ type: "toolCall", arguments: WANTED }] });
    const deltas = events.flatMap((event) => (event.type === "toolcall_delta" ? [event.delta] : []));
    expect(JSON.parse(deltas.join(""))).toEqual(WANTED);

    // The history goes back under the names that the server knows.
    const next: Context = {
      ...context,
      messages: [
        ...context.messages,
        message,
        {
          role: "toolResult",
          toolCallId: "t1",
          toolName: "query",
          content: [{ type: "text", text: "ok" }],
          isError: false,
          timestamp: 0,
        },
      ],
    };
    const before = structuredClone(next.messages);
    await stream(model, next, { apiKey: "key", fetch }).result();
    expect(next.messages).toEqual(before);
    const input = bodies[1]?.messages.flatMap(({ content }) => content).find(({ type }) => type === "tool_use")?.input;
    const [first = "", second = ""] = Object.keys(schema?.properties ?? {});
    expect(Object.keys(input ?? {})).toEqual([first, second, "plain"]);
  },
);

test("the model reads the sent names where the tool's description and examples speak of them", async () => {
  const { bodies, fetch } = claude(1000);
  const tool = {
    ...TOOL,
    description: "Set $select to the field that you need.",
    examples: [{ $select: "name", plain: "$select" }],
  };
  const context: Context = { messages: [{ role: "user", content: "Ask", timestamp: 0 }], tools: [tool] };
  await stream(getModel("anthropic", "claude-sonnet-4-6"), context, { apiKey: "key", fetch }).result();
  expect(bodies[0]?.tools[0]).toMatchObject({
    description:
      "Set $select to the field that you need.\n\nIn the arguments, $select is written _select.\n\n" +
      'Examples of arguments:\n{"_select":"name","plain":"$select"}',
  });
});
