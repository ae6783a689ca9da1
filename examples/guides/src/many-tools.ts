/** An agent with 200 tools, of which a request holds only those that it needs. */
import { Agent, defineTool } from "pi-agent";
import { toolSearch } from "pi-agent/tool-search";
import { estimateTokens, type Tool, Type } from "pi-ai";
import { createScriptedStreamFn, fauxToolCall } from "pi-ai/testing";

const VERBS = ["list", "find", "read", "create", "update", "delete", "archive", "share", "export", "import"];
const THINGS =
  "order invoice customer ticket meeting mail note task file folder report contract payment refund product price stock supplier shipment return".split(
    " ",
  );
const PAGING = {
  limit: Type.Optional(Type.Integer({ description: "The most records that are returned, up to 100." })),
};

// Those of servers come from `await mcpTools(client, { load: "deferred" })`.
const tools = VERBS.flatMap((verb) =>
  THINGS.map((thing) =>
    defineTool({
      name: `${verb}_${thing}`,
      description: `Use this to ${verb} a ${thing} of the company. ${"Rights, limits and formats are those of the user. ".repeat(40)}`,
      parameters: Type.Object({ id: Type.String({ description: `The number of the ${thing}.` }), ...PAGING }),
      loading: "deferred",
      execute: async (_id, { id }) => `${thing} ${id}: done`,
    }),
  ),
);

const weigh = (sent: Tool[] = []): string =>
  `${sent.length} tools, ${estimateTokens({ messages: [], tools: sent }).toLocaleString("en")} tokens`;
console.log(`all: ${weigh(tools)}`);

// A script replaces the model here. Use your own `streamFn`, or none, and set a model.
const script = createScriptedStreamFn([
  fauxToolCall("search_tools", { query: "create a refund" }),
  fauxToolCall("create_refund", { id: "7" }),
  "The refund is there.",
]);
const agent = new Agent({
  initialState: { tools },
  middleware: [toolSearch({ about: "orders, customers, files, money and mail", maxResults: 3 })],
  streamFn: (model, context, options) => {
    console.log(`request: ${weigh(context.tools)}`);
    return script(model, context, options);
  },
});
await agent.prompt("Refund order 7.");
console.log(agent.state.errorMessage ?? "done");
