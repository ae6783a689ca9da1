/** The vendors' own SDKs at the level of events, as a program without a library would use them. */
import type { Protocol } from "../bodies.ts";
import { NotOffered } from "../not-offered.ts";
import { type CreateClient, type Load, once, type StreamRequest } from "./client.ts";

type Events = AsyncIterable<WireEvent>;

interface WireEvent {
  delta?: string | { text?: string; partial_json?: string };
  choices?: { delta: { content?: string | null; tool_calls?: { function?: { arguments?: string } }[] } }[];
  text?: string | undefined;
}

type Open = (load: Load, url: string) => Promise<() => Promise<Events>>;

const MESSAGES = [{ role: "user", content: "Hello." }];
const OPTIONS = { apiKey: "bench-key", maxRetries: 0 };

interface Creator {
  create(request: object): Promise<Events>;
}

// Each `as` names the part of a package that is used. A missing part fails at its first use.
const OPEN: Record<Protocol, Open> = {
  "anthropic-messages": async (load, baseURL) => {
    const { Anthropic } = (await load("@anthropic-ai/sdk")) as {
      Anthropic: new (options: object) => { messages: Creator };
    };
    const { messages } = new Anthropic({ ...OPTIONS, baseURL });
    return () => messages.create({ model: "m", max_tokens: 8192, messages: MESSAGES, stream: true });
  },
  "openai-completions": async (load, baseURL) => {
    const { OpenAI } = (await load("openai")) as {
      OpenAI: new (options: object) => { chat: { completions: Creator } };
    };
    const { completions } = new OpenAI({ ...OPTIONS, baseURL }).chat;
    return () => completions.create({ model: "m", messages: MESSAGES, stream: true });
  },
  "openai-responses": async (load, baseURL) => {
    const { OpenAI } = (await load("openai")) as { OpenAI: new (options: object) => { responses: Creator } };
    const { responses } = new OpenAI({ ...OPTIONS, baseURL });
    return () => responses.create({ model: "m", input: MESSAGES, stream: true });
  },
  "google-generative-ai": async (load, baseUrl) => {
    const { GoogleGenAI } = (await load("@google/genai")) as {
      GoogleGenAI: new (options: object) => { models: { generateContentStream(request: object): Promise<Events> } };
    };
    const { models } = new GoogleGenAI({ apiKey: OPTIONS.apiKey, httpOptions: { baseUrl } });
    return () => models.generateContentStream({ model: "m", contents: "Hello." });
  },
};

const DELTA: Record<Protocol, (event: WireEvent) => string | undefined> = {
  "anthropic-messages": ({ delta }) => (typeof delta === "object" ? (delta.text ?? delta.partial_json) : undefined),
  "openai-completions": ({ choices }) =>
    choices?.[0]?.delta.content ?? choices?.[0]?.delta.tool_calls?.[0]?.function?.arguments,
  "openai-responses": ({ delta }) => (typeof delta === "string" ? delta : undefined),
  "google-generative-ai": ({ text }) => text,
};

export const createClient: CreateClient = (load) => {
  const opened = new Map<string, () => Promise<() => Promise<Events>>>();
  const open = async ({ protocol, url }: StreamRequest): Promise<Events> => {
    const key = protocol + url;
    const opening = opened.get(key) ?? once(() => OPEN[protocol](load, url));
    opened.set(key, opening);
    return (await opening())();
  };
  return {
    importRoot: () => load("@anthropic-ai/sdk"),
    stream: async (request, onDelta) => {
      if (request.read) throw new NotOffered();
      const read = DELTA[request.protocol];
      let deltas = 0;
      let text = "";
      for await (const event of await open(request)) {
        const delta = read(event);
        if (delta === undefined) continue;
        deltas++;
        text += delta;
        onDelta(delta);
      }
      if (request.kind === "arguments") JSON.parse(text);
      return deltas;
    },
    keep: async (request, kept) => {
      const events: WireEvent[] = [];
      let text = "";
      for await (const event of await open(request)) {
        if (kept === "events") events.push(event);
        else text += DELTA[request.protocol](event) ?? "";
      }
      return kept === "events" ? events : { text };
    },
  };
};
