/** What an application changes beside the messages of a random conversation: prompt, sections, tools and level. Each request must say it. */
import type { Agent, AgentMessage, AgentOptions, AnyAgentTool, StreamFn } from "pi-agent";
import { type Context, getCurrentSystemPrompt, getCurrentTools, type SystemMessage, type Tool } from "pi-ai";
import type { Random } from "../../../../test/support/random.js";

const PROMPTS = ["", "You help.", "You help.\n\nBe brief.", "You test."];
const LEVELS = ["off", "low", "high"] as const;
const SECTIONS = ["style", "place"];

/** Beside the conversation, as text. */
interface Beginning {
  systemPrompt: string;
  tools: string;
  level: string;
}

export class ChatChanges {
  readonly #random: Random;
  readonly #tools: readonly AnyAgentTool[];
  readonly #faults: string[];
  #agent: Agent | undefined;
  /** What the run has, without the instructions in its messages. */
  #stated: Beginning | undefined;
  /** The last request of the agent, and the first message of its conversation. */
  #last: { said: Beginning; first: AgentMessage | undefined } | undefined;

  /** @param faults receives what is wrong */
  constructor(random: Random, { tools, faults }: { tools: readonly AnyAgentTool[]; faults: string[] }) {
    this.#random = random;
    this.#tools = tools;
    this.#faults = faults;
  }

  /** From the next run on, as far as the agent is concerned. */
  change({ state }: Agent): void {
    state.systemPrompt = this.#random.pick(PROMPTS);
    state.thinkingLevel = this.#random.pick(LEVELS);
    state.tools = this.#chooseTools();
  }

  /** A change in the middle of a run, for the rest of it. */
  readonly prepareNextTurn: NonNullable<AgentOptions["prepareNextTurn"]> = async ({ context }) => {
    if (this.#random.chance(0.7)) return undefined;
    const systemPrompt = this.#random.pick(PROMPTS);
    const tools = this.#chooseTools();
    const thinkingLevel = this.#random.pick(LEVELS);
    this.#stated = { systemPrompt, tools: describe(tools), level: thinkingLevel };
    return { context: { ...context, systemPrompt, tools }, thinkingLevel };
  };

  /** Follows the runs of an agent. Its first listener: a change that comes later is for the next run. */
  follow(agent: Agent): void {
    this.#agent = agent;
    agent.subscribe(({ type }) => {
      const { systemPrompt, tools, thinkingLevel } = agent.state;
      if (type === "agent_start") this.#stated = { systemPrompt, tools: describe(tools), level: thinkingLevel };
    });
  }

  /** @param isBeside whether a request is not one of the conversation */
  check(streamFn: StreamFn, isBeside: (context: Context) => boolean): StreamFn {
    return (model, given, options) => {
      // A list is for the functions of pi-ai; an agent passes a context.
      const context = given as Context;
      if (!isBeside(context)) this.#check(context, options?.reasoning ?? "off");
      return streamFn(model, given, options);
    };
  }

  /** Instructions of the application at one place of the conversation. */
  instruct(name: string): SystemMessage {
    const section = this.#random.pick(SECTIONS);
    const text = this.#random.pick([null, "Short.", "Long."]);
    return { role: "system", content: name, sections: { [section]: text }, timestamp: 0 };
  }

  #chooseTools(): AnyAgentTool[] {
    const chosen = this.#tools.filter(() => this.#random.chance(0.8));
    return chosen.map((tool) => (this.#random.chance(0.9) ? tool : { ...tool, description: `${tool.name} again` }));
  }

  #check(context: Context, level: string): void {
    const { messages = [] } = this.#agent?.state ?? {};
    const said = { systemPrompt: context.systemPrompt ?? "", tools: describe(context.tools ?? []), level };
    if (this.#stated) {
      const systemPrompt = addInstructions(this.#stated.systemPrompt, messages);
      this.#compare("a request says", said, { ...this.#stated, systemPrompt });
    }
    const notes = context.messages.filter((message) => message.role === "system").filter(isNote);
    const others = context.messages.filter((message) => !isNote(message));
    const isNoted = others.some(({ role }) => role === "assistant") && others.at(-1)?.role !== "assistant";
    const told = notes.some(({ base }) => base) ? replay(notes) : this.#last?.first === messages[0] && this.#last?.said;
    if (isNoted && told) this.#compare("its messages say", told, said);
    this.#last = { said, first: messages[0] };
  }

  #compare(what: string, found: Beginning, expected: Beginning): void {
    if (JSON.stringify(found) !== JSON.stringify(expected))
      this.#faults.push(`${what} ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
  }
}

/** Whether an agent has noted a change by itself. */
export function isNote(message: AgentMessage): boolean {
  return message.role === "system" && message.origin === "agent";
}

function replay(notes: readonly SystemMessage[]): Beginning {
  const from = notes.findLast(({ base }) => base)?.base?.thinkingLevel ?? "off";
  const level = notes.findLast(({ thinkingLevel }) => thinkingLevel !== undefined)?.thinkingLevel ?? from;
  return { systemPrompt: getCurrentSystemPrompt(notes), tools: describe(getCurrentTools(notes)), level };
}

function addInstructions(systemPrompt: string, messages: readonly AgentMessage[]): string {
  const texts = [systemPrompt];
  const sections = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== "system" || isNote(message)) continue;
    texts.push(String(message.content));
    for (const [name, text] of Object.entries(message.sections ?? {})) {
      if (text === null) sections.delete(name);
      else sections.set(name, text);
    }
  }
  return [...texts, ...sections.values()].filter((text) => text !== "").join("\n\n");
}

const describe = (tools: readonly Pick<Tool, "name" | "description">[]): string =>
  tools
    .map(({ name, description }) => `${name}: ${description}`)
    .toSorted()
    .join(", ");
