import { describe, expect, it } from "vitest";
import { BODY, MODEL, post, refusal, type Setup, setUp } from "../../test/support/proxy-setup.js";

const PUBLIC = "https://a.example/a.pdf";
const file = (fields: object): object => ({ type: "file", mimeType: "application/pdf", ...fields });
const user = (...content: object[]): object => ({ role: "user", content, timestamp: 1 });
const response = (block: object, more: object = {}): object => ({
  role: "assistant",
  content: [block],
  api: MODEL.api,
  provider: MODEL.provider,
  model: MODEL.id,
  stopReason: "stop",
  timestamp: 1,
  ...more,
});
const result = (...content: object[]): object => ({
  role: "toolResult",
  toolCallId: "c",
  toolName: "t",
  content,
  isError: false,
  timestamp: 1,
});

/** Each message refers to the file "file-of-alice". */
const WAYS: Readonly<Record<string, object>> = {
  "a file of a user": user({ type: "text", text: "Look" }, file({ fileId: "file-of-alice" })),
  "a file beside data": user(file({ data: "aGk=", fileId: "file-of-alice" })),
  "a file of a response": response(file({ fileId: "file-of-alice" })),
  "a file of a result": result(file({ fileId: "file-of-alice" })),
  "a container": response({ type: "text", text: "Hi" }, { container: { id: "file-of-alice" } }),
};

/** What a client can write into a signature, in the formats of several providers. */
const RAW: Readonly<Record<string, unknown>> = {
  "an uploaded file": [{ item: { type: "container_upload", file_id: "file-of-alice" } }],
  "a file in a message": [
    { item: { type: "message", role: "user", content: [{ type: "input_file", file_id: "file-of-alice" }] } },
  ],
  "files of a container": [{ item: { container: { type: "auto", file_ids: ["file-of-alice"] } } }],
  "a container": { environment: { type: "container_reference", container_id: "file-of-alice" } },
  "a file of Gemini": { fileData: { fileUri: "file-of-alice" } },
  "a file of Gemini in the other spelling": { file_data: { file_uri: "file-of-alice" } },
  "a store": { tools: [{ vector_store_ids: ["file-of-alice"] }] },
  "an earlier item": [{ item: { type: "item_reference", id: "file-of-alice" } }],
  "a store of Gemini": { fileSearch: { fileSearchStoreNames: ["file-of-alice"] } },
  "a store of Gemini in the other spelling": { file_search: { file_search_store_names: ["file-of-alice"] } },
  "a data store of Vertex AI": { retrieval: { vertexAiSearch: { datastore: "file-of-alice" } } },
  "data stores of Vertex AI": { vertexAiSearch: { dataStoreSpecs: [{ dataStore: "file-of-alice" }] } },
  "a corpus of Vertex AI": { vertexRagStore: { ragResources: [{ ragCorpus: "file-of-alice" }] } },
  "a secret of Vertex AI": { apiAuth: { apiKeyConfig: { apiKeySecretVersion: "file-of-alice" } } },
  "an account of Vertex AI": { googleServiceAccountConfig: { serviceAccount: "file-of-alice" } },
  "a library of Mistral": { type: "document_library", library_ids: ["file-of-alice"] },
  "a collection of xAI": { type: "collections_search", collection_ids: ["file-of-alice"] },
  "a skill": { environment: { skills: [{ type: "skill_reference", skill_id: "file-of-alice" }] } },
  "a connection of Azure": { azure_ai_search: { indexes: [{ project_connection_id: "file-of-alice" }] } },
  "an object of S3": [{ item: { document: { source: { s3Location: { uri: "file-of-alice" } } } } }],
};

const send = async (messages: object[], options: Setup = {}, tools?: object[]) => {
  const { handler, requests } = setUp(options);
  const answer = await handler(post({ ...BODY, context: { messages, ...(tools && { tools }) } }));
  if (answer.status === 200) await answer.text();
  else expect(requests).toEqual([]);
  return answer;
};

describe("a file of the provider's account", () => {
  const cases = [
    ...Object.entries(WAYS),
    ...Object.entries(RAW).flatMap(([name, raw]) =>
      Object.entries({
        serverTool: { id: "s", name: "n", status: "done" },
        compaction: {},
        image: { data: "aGk=", mimeType: "image/png" },
        file: { data: "aGk=", mimeType: "image/png" },
      }).map(([type, fields]): [string, object] => [
        `${name} in the signature of a block ${type}`,
        response({ type, ...fields, signature: JSON.stringify(raw) }),
      ]),
    ),
    [
      "a file in the signature of a user's file",
      user(file({ url: PUBLIC, signature: ` ${JSON.stringify(RAW["a file of Gemini"])}` })),
    ],
    [
      "a file in the signature of a citation",
      response({
        type: "text",
        text: "Hi",
        citations: [{ signature: '{"file_id":"file-of-alice"}' }],
      }),
    ],
    [
      "a file in the signature of a text",
      response({ type: "text", text: "Hi", textSignature: '{"file_id":"file-of-alice"}' }),
    ],
    [
      "a file in the signature of a thought",
      response({ type: "thinking", thinking: "Hi", thinkingSignature: '{"details":[{"file_id":"file-of-alice"}]}' }),
    ],
    [
      "a container in the caller of a call",
      response({
        ...{ type: "toolCall", id: "c", name: "t", arguments: {} },
        caller: { type: "code_execution", container_id: "file-of-alice" },
      }),
    ],
    [
      "a file in the signature of a call",
      response({
        type: "toolCall",
        id: "c",
        name: "t",
        arguments: {},
        thoughtSignature: '[{"\\u0066ile_id":"file-of-alice"}]',
      }),
    ],
  ] as [string, object][];

  it.each(cases)("is refused by default: %s", async (_, message) => {
    const [status, text] = await refusal(await send([message]));
    expect(status).toBe(403);
    expect(text).toMatch(/^context\.messages\.0\..*"file-of-alice" may not be used here$/);
  });

  it.each(cases)("is allowed by allowFile: %s", async (_, message) => {
    const asked: unknown[][] = [];
    const allowFile: NonNullable<Setup["allowFile"]> = async (...args) => {
      asked.push(args);
      return args[0] === "file-of-alice" && args[1] === "alice";
    };
    const authorize = () => ({ caller: "alice" });
    expect((await send([message, message], { allowFile, authorize })).status).toBe(200);
    expect(asked).toEqual([["file-of-alice", "alice"]]);
    expect((await send([message], { allowFile, authorize: () => ({ caller: "bob" }) })).status).toBe(403);
  });

  it("is one that only `true` allows", async () => {
    // biome-ignore lint/suspicious/noExplicitAny: plain JavaScript may return anything.
    const allowFile = (() => "yes") as any;
    expect((await send([user(file({ fileId: "f" }))], { allowFile })).status).toBe(403);
  });

  it("may have an address", async () => {
    const own = `${new URL(MODEL.baseUrl).origin}/v1/files/f`;
    const gemini = "https://generativelanguage.googleapis.com/v1beta/files/f";
    for (const url of [own, gemini]) {
      expect((await send([user(file({ url }))])).status).toBe(403);
      expect((await send([user(file({ url }))], { allowFile: (id) => id === url })).status).toBe(200);
    }
  });

  it("may be a store that a server tool searches", async () => {
    const tool = (server: object) => ({ name: "t", description: "", parameters: {}, server });
    const limits = { maxServerTools: 9 };
    for (const server of [
      { kind: "fileSearch", storeIds: ["mine", "store-of-alice"] },
      { kind: "declared", api: "openai-responses", declaration: { tool: { vector_store_ids: ["store-of-alice"] } } },
    ]) {
      const [status, text] = await refusal(
        await send([user()], { limits, allowFile: (id) => id === "mine" }, [tool(server)]),
      );
      expect([status, text]).toEqual([403, expect.stringContaining('"store-of-alice" may not be used here')]);
    }
  });
});

it("an engine of Vertex AI belongs to the account, and the engine of another search does not", async () => {
  const limits = { maxServerTools: 1 };
  const declared = (engine: string) => {
    const server = { kind: "declared", api: "openai-responses", declaration: { tool: { engine } } };
    return [{ name: "t", description: "", parameters: {}, server }];
  };
  expect((await send([user()], { limits }, declared("exa"))).status).toBe(200);
  expect((await send([user()], { limits }, declared("projects/p/engines/e"))).status).toBe(403);
});

describe("an address", () => {
  const PRIVATE = [
    "http://169.254.169.254/latest",
    "http://localhost:8080/",
    "http://[::ffff:10.0.0.1]/",
    "http://redis/",
  ];

  it.each(PRIVATE)("of a private network is refused by default: %s", async (url) => {
    const raw = {
      type: "serverTool",
      id: "s",
      name: "n",
      status: "done",
      signature: JSON.stringify({ image_url: { url } }),
    };
    for (const message of [user(file({ url })), response(file({ url })), result(file({ url })), response(raw)]) {
      const [status, text] = await refusal(await send([message]));
      expect([status, text]).toEqual([400, expect.stringContaining("may not be fetched from here")]);
    }
    const tool = {
      name: "t",
      description: "",
      parameters: {},
      server: { kind: "mcpServer", url, name: "n" },
    };
    expect((await send([user()], { limits: { maxServerTools: 1 } }, [tool])).status).toBe(400);
  });

  it("is decided by allowAddress, if there is one", async () => {
    const asked: unknown[] = [];
    const allowAddress = (address: string) => {
      asked.push(address);
      return address.startsWith("http://10.");
    };
    expect((await send([user(file({ url: "http://10.0.0.1/a" }))], { allowAddress })).status).toBe(200);
    expect((await send([user(file({ url: PUBLIC }))], { allowAddress })).status).toBe(400);
    expect(asked).toEqual(["http://10.0.0.1/a", PUBLIC]);
  });

  it("of a signature that is nested too deep is not searched", async () => {
    const signature = `${"[".repeat(101)}${"]".repeat(101)}`;
    const [status, text] = await refusal(await send([response({ type: "compaction", signature })]));
    expect([status, text]).toEqual([400, "context.messages.0.content.0.signature: nested deeper than 100 levels"]);
  });
});
