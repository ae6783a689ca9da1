/** Tests the demo's conversation with a simulated terminal and a model that the test can pause. */
import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { Agent, type AgentOptions, defineTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { type FauxResponseStep, fauxAssistantMessage, fauxToolCall, registerFauxProvider, Type } from "pi-ai";
import { afterEach, describe, expect, it } from "vitest";
import { converse } from "../../examples/demo/src/conversation.js";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const faux = registerFauxProvider();
afterEach(() => faux.setResponses([]));

class Screen extends Writable {
  readonly columns = 60;
  readonly isTTY = true;
  /** Without escape sequences. */
  text = "";
  raw = "";
  #onText: (() => void)[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.raw += chunk.toString();
    this.text += stripVTControlCharacters(chunk.toString());
    for (const look of this.#onText) look();
    done();
  }

  /** Resolves when the screen shows this text. */
  shows(wanted: string, from = 0): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.text.includes(wanted, from)) resolve();
      };
      this.#onText.push(look);
      look();
    });
  }
}

function start(responses: FauxResponseStep[], { initialState, ...options }: AgentOptions = {}) {
  faux.setResponses(responses);
  const agent = new Agent({ initialState: { model: faux.getModel(), ...initialState }, ...options });
  const input = new PassThrough();
  const screen = new Screen();
  const left = converse({ agent, note: "a test model", input, output: screen });
  const type = (text: string): void => void input.write(text);
  return { agent, screen, left, type };
}

/** A response that does not arrive before `release` is called or the request is aborted. */
function held(text: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { promise: requested, resolve: request } = Promise.withResolvers<void>();
  const step: FauxResponseStep = async (_context, options) => {
    request();
    const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
    options?.signal?.addEventListener("abort", () => abort());
    await Promise.race([promise, aborted]);
    return fauxAssistantMessage(text);
  };
  return { step, requested, release: resolve };
}

describe("a conversation in the terminal", () => {
  it("responds to one prompt after another, and shows the totals at the end", async () => {
    const { screen, left, type } = start([fauxAssistantMessage("First."), fauxAssistantMessage("Second.")]);
    type("one\r");
    await screen.shows("First.\n");
    type("two\r");
    await screen.shows("Second.\n");
    type(CTRL_D);
    expect(await left).toBe(0);
    expect(screen.text).toContain("2 responses");
  });

  it("steers with a line that is typed during a run", async () => {
    const { step, requested, release } = held("First.");
    const { agent, screen, left, type } = start([step, fauxAssistantMessage("Shorter.")]);
    type("tell me\r");
    await requested;
    type("be brief\r");
    await screen.shows("after its current step");
    release();
    await screen.shows("Shorter.");
    await agent.waitForIdle();
    expect(agent.state.messages.map((message) => message.role)).toEqual(["user", "assistant", "user", "assistant"]);
    type("/quit\r");
    await left;
  });

  it("stops the run at the first Ctrl-C and exits at the second", async () => {
    const { screen, left, type } = start([held("Never.").step]);
    type("tell me\r");
    type(CTRL_C);
    await screen.shows("Stopped.");
    type(CTRL_C);
    expect(await left).toBe(0);
  });

  it("starts over with /new, and explains an unknown command", async () => {
    const { agent, screen, left, type } = start([fauxAssistantMessage("First.")]);
    type("one\r");
    await screen.shows("First.\n");
    await agent.waitForIdle();
    type("/new\r/nope\r");
    await screen.shows("/nope is not a command");
    expect(agent.state.messages).toEqual([]);
    type(CTRL_D);
    await left;
  });

  it.each([
    ["y", ["saved \u001b[2Jthis"], "note is done"],
    ["", [], "was declined"],
    ["not today", [], "declined: not today"],
  ])("asks the person before a tool runs, and takes %j as the answer", async (line, saved, told) => {
    const ran: string[] = [];
    const note = defineTool({
      name: "note",
      description: "Saves a note",
      parameters: Type.Object({ text: Type.String() }),
      execute: async (_id, { text }) => {
        ran.push(`saved ${text}`);
        return "note is done";
      },
    });
    const call = fauxAssistantMessage(fauxToolCall("note", { text: "\u001b[2Jthis" }), { stopReason: "toolUse" });
    const { agent, screen, left, type } = start([call, fauxAssistantMessage("Well.")], {
      initialState: { tools: [note] },
      middleware: [approvals({ pause: true })],
    });
    type("save\r");
    await screen.shows("May note run?");
    await screen.shows("  text: this");
    await agent.waitForIdle();
    expect(ran).toEqual([]);
    type(`${line}\r`);
    await screen.shows("Well.");
    expect(ran).toEqual(saved);
    expect(JSON.stringify(agent.state.messages)).toContain(told);
    expect(screen.raw).not.toContain("\u001b[2J");
    type(CTRL_D);
    await left;
  });

  it("asks for one answer after the other, and reads a value as the answer to a question", async () => {
    const answers: unknown[] = [];
    const ask = defineTool({
      name: "ask",
      description: "Asks",
      parameters: Type.Object({}),
      execute: async (_id, _args, _signal, _onUpdate, context) => {
        answers.push(await context?.ask?.({ message: "Which size?" }));
        return "asked";
      },
    });
    const calls = fauxAssistantMessage([fauxToolCall("ask", {}), fauxToolCall("ask", {})], { stopReason: "toolUse" });
    const { screen, left, type } = start([calls, fauxAssistantMessage("Well.")], { initialState: { tools: [ask] } });
    type("go\r");
    await screen.shows("Which size?");
    type("small\r");
    await screen.shows("Which size?", screen.text.lastIndexOf("Which size?") + 1);
    type("large\r");
    await screen.shows("Well.");
    expect(answers).toEqual(["small", "large"]);
    type(CTRL_D);
    await left;
  });

  it("removes escape sequences from what a model writes", async () => {
    const { screen, left, type } = start([fauxAssistantMessage("safe\u001b[2J\u0007 text")]);
    type("one\r");
    await screen.shows(" text");
    type(CTRL_D);
    await left;
    expect(screen.raw).not.toContain("\u001b[2J");
    expect(screen.raw).not.toContain("\u0007");
  });
});
