/** Answers that come after `timeoutMs`, on every route that pages use. Each request is another process. */
import { Agent, type AgentMessage, type AnyAgentTool } from "pi-agent";
import { agUiResponse, readAgUiAnswers } from "pi-agent/ag-ui";
import { type ApprovalsOptions, approvals } from "pi-agent/approvals";
import { subscribeEmbedded } from "pi-agent/embed";
import { fromUIMessages, readUIApprovals, toUIMessageStream } from "pi-agent/ui-stream";
import { Type } from "pi-ai";
import { beforeEach, describe, expect, test } from "vitest";
import { call, MODEL, response, scripted, text } from "../scripted-stream.js";
import { Page } from "../ui-stream/page.js";

const TIMEOUT_MS = 50;
const SECRET = "a secret of at least thirty-two bytes";
const ASKED = { role: "user", parts: [{ type: "text", text: "Pay." }] };
const ID = "1";

let now: number;
let ran: string[];

beforeEach(() => {
  now = 1000;
  ran = [];
});

const parameters = Type.Object({ euros: Type.Number() });

/** `pay` needs an approval, `order` asks its user. */
function createTools(fallback: unknown) {
  return [
    {
      ...{ name: "pay", description: "Pays", parameters },
      execute: async (_id: string, { euros }: { euros: number }) => {
        ran.push(`pay ${euros}`);
        return "Paid";
      },
    },
    {
      ...{ name: "order", description: "Orders", parameters },
      execute: async (...[, , , , context]: Parameters<NonNullable<AnyAgentTool["execute"]>>) => {
        const schema = Type.Object({ size: Type.Number() });
        const question = { message: "Which size?", schema, timeoutMs: TIMEOUT_MS };
        const answer = await context?.ask?.(fallback === undefined ? question : { ...question, default: fallback });
        ran.push(`order ${JSON.stringify(answer)}`);
        return "Ordered";
      },
    },
  ];
}

interface Chat {
  tool?: "pay" | "order";
  /** Of `approvals`. */
  options?: Partial<ApprovalsOptions>;
  /** The default of the question. */
  fallback?: unknown;
}

/** The agent of one request. */
function createAgent(messages: AgentMessage[], { tool = "pay", options, fallback }: Chat): Agent {
  const done = messages.some(({ role }) => role === "assistant");
  const calling = response([call(ID, tool, { euros: 5 })]);
  return new Agent({
    sessionId: "chat",
    now: () => now,
    onNewMessage: "decline",
    initialState: { model: MODEL, tools: createTools(fallback), messages },
    middleware: [
      approvals({
        ...{ when: (one) => one.tool.name === "pay", pause: true, timeoutMs: TIMEOUT_MS, claim: () => true },
        ...options,
      }),
    ],
    streamFn: scripted(...(done ? [] : [calling]), text("Done.")).streamFn,
  });
}

const copyOf = <TValue>(value: TValue): TValue => JSON.parse(JSON.stringify(value)) as TValue; // As a database does.

/** The page holds the conversation. It answers `after` milliseconds, if at all. Returns its last message. */
async function playHeldByPage(after: number, chat: Chat, answer: boolean | "none" = true): Promise<Page> {
  const post = async (page: Page, messages: { role: string; parts: object[] }[]): Promise<Page> => {
    const agent = createAgent(fromUIMessages(messages), chat);
    await page.read(toUIMessageStream(agent, { run: () => agent.continue() }));
    return page;
  };
  const page = await post(new Page(), [ASKED]);
  now += after;
  if (answer !== "none") page.answer(ID, answer);
  return post(page, [ASKED, page.message]);
}

type Send = (agent: Agent, page: Page) => Promise<boolean>;

/** The server holds the conversation. The page sends its answer to a route. */
const SERVER_ROUTES: Record<
  string,
  { serve(agent: Agent, page: Page, run: () => Promise<void>): unknown; send: Send }
> = {
  useChat: {
    serve: (agent, page, run) => page.read(toUIMessageStream(agent, { run })),
    send: async (agent, page) => {
      const { requests = [] } = agent.state.pause ?? {};
      const [question] = requests.filter(({ kind }) => kind === "question");
      if (question) return agent.answer([{ id: question.id, approved: true, value: { size: 7 } }]);
      page.answer(ID, true);
      return agent.answer(readUIApprovals([page.message]));
    },
  },
  "AG-UI": {
    serve: (agent, _page, run) => agUiResponse(agent, { threadId: "t", runId: "r", run }).text(),
    send: (agent) => {
      const payload = { approved: true, value: { size: 7 } };
      const resume = agent.state.pause?.requests.map(({ id }) => ({
        interruptId: id,
        status: "resolved",
        payload,
      }));
      return agent.answer(readAgUiAnswers(resume));
    },
  },
  embed: {
    serve: async (agent, _page, run) => {
      const { whenDelivered } = subscribeEmbedded(agent, {});
      await run();
      await whenDelivered();
    },
    send: (agent) => {
      const { requests = [] } = agent.state.pause ?? {};
      return agent.answer(requests.map(({ id }) => ({ id, approved: true, value: { size: 7 } })));
    },
  },
};

async function playHeldByServer(route: string, after: number, chat: Chat): Promise<unknown> {
  const { serve, send } = SERVER_ROUTES[route] ?? {};
  if (!(serve && send)) throw new Error(`No route ${route}`);
  const page = new Page();
  const agent = createAgent([], chat);
  await serve(agent, page, () => agent.prompt("Pay."));
  now += after;
  const later = createAgent(copyOf([...agent.state.messages]), chat);
  const refusal: unknown = await send(later, page).then(
    () => undefined,
    (error) => error,
  );
  await serve(later, page, () => later.continue());
  return refusal;
}

const [IN_TIME, TOO_LATE] = [TIMEOUT_MS - 1, TIMEOUT_MS];

describe("a page that holds the conversation", () => {
  test("approves in time, and not after it", async () => {
    await playHeldByPage(IN_TIME, { options: { secret: SECRET } });
    expect(ran).toEqual(["pay 5"]);
    const page = await playHeldByPage(TOO_LATE, { options: { secret: SECRET } });
    expect(ran).toEqual(["pay 5"]);
    expect(JSON.stringify(page.chunks)).toContain("its approval came too late");
  });

  const approving = { secret: SECRET, default: { approved: true } };
  const declining = { secret: SECRET, default: { approved: false, reason: "Ask again. In 1.5 h, ☕ and 😀 ~" } };

  test("answers a request that has a default", async () => {
    for (const options of [approving, declining]) await playHeldByPage(IN_TIME, { options });
    expect(ran).toEqual(["pay 5", "pay 5"]);
    const page = await playHeldByPage(IN_TIME, { options: approving }, false);
    expect(page.states).toEqual(["output-denied"]);
    expect(ran).toHaveLength(2);
  });

  test("gets the default without an answer, and never more than that by a late one", async () => {
    const declined = await playHeldByPage(TOO_LATE, { options: declining }, "none");
    expect(declined.states).toEqual(["output-denied"]);
    await playHeldByPage(TOO_LATE, { options: declining }, true);
    expect(ran).toEqual([]);
    await playHeldByPage(TOO_LATE, { options: approving }, "none");
    expect(ran).toEqual(["pay 5"]);
    const other = { ...approving, default: { approved: true, arguments: { euros: 3 } } };
    await playHeldByPage(TOO_LATE, { options: other }, "none");
    expect(ran).toEqual(["pay 5", "pay 3"]);
    await playHeldByPage(TOO_LATE, { options: other }, true);
    expect(ran).toEqual(["pay 5", "pay 3"]);
  });

  test.each([
    ["another default", /~[^.]*\./, `~${encodeURIComponent('{"approved":true}')}.`],
    ["a default that cannot be read", /~[^.]*\./, "~%."],
    [
      "a deep default",
      /~[^.]*\./,
      `~${encodeURIComponent(`{"arguments":${'{"a":'.repeat(9999)}1${"}".repeat(10_000)}`)}.`,
    ],
    ["no default", /~[^.]*\./, "."],
    ["another time", /signed\.\d+/, "signed.1"],
  ])("cannot send %s", async (_name, from, to) => {
    const agent = createAgent(fromUIMessages([ASKED]), { options: declining });
    const page = await new Page().read(toUIMessageStream(agent, { run: () => agent.continue() }));
    const forged = JSON.parse(JSON.stringify(page.message).replace(from, to)) as typeof page.message;
    expect(JSON.stringify(forged)).not.toBe(JSON.stringify(page.message));
    now += TOO_LATE;
    const later = createAgent(fromUIMessages([ASKED, forged]), { options: declining });
    await new Page(forged.parts).read(toUIMessageStream(later, { run: () => later.continue() }));
    expect(ran).toEqual([]);
  });
});

describe.each(Object.keys(SERVER_ROUTES))("a server that holds the conversation: %s", (route) => {
  test.each(["pay", "order"] as const)("%s takes an answer in time, and none after it", async (tool) => {
    const secrets = [{}, { secret: SECRET }];
    for (const options of secrets) expect(await playHeldByServer(route, IN_TIME, { tool, options })).toBeUndefined();
    const once = tool === "pay" ? "pay 5" : 'order {"size":7}';
    expect(ran).toEqual([once, once]);
    for (const options of secrets)
      expect(await playHeldByServer(route, TOO_LATE, { tool, options })).toMatchObject({ kind: "expired" });
    expect(ran).toEqual([once, once]);
  });

  test("takes the default after the time", async () => {
    const options = { secret: SECRET, default: { approved: true, arguments: { euros: 3 } } };
    await playHeldByServer(route, TOO_LATE, { options });
    await playHeldByServer(route, TOO_LATE, { tool: "order", options: { secret: SECRET }, fallback: { size: 1 } });
    expect(ran).toEqual(["pay 3", 'order {"size":1}']);
  });
});
