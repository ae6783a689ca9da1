/** Tests the demo's conversation with a simulated terminal and a model that the test can pause. */
import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { Agent } from "pi-agent";
import { type FauxResponseStep, fauxAssistantMessage, registerFauxProvider } from "pi-ai";
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

function start(responses: FauxResponseStep[]) {
  faux.setResponses(responses);
  const agent = new Agent({ initialState: { model: faux.getModel() } });
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
