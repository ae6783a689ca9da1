/** Plays operations on a message builder. */

import type { AssistantMessage, AssistantMessageEvent, Model } from "pi-ai";
import { AssistantMessageBuilder } from "pi-ai/assemble";
import { checkEvents } from "./check-events.js";

export const builderModel: Model = {
  id: "m",
  name: "M",
  api: "test",
  provider: "test",
  baseUrl: "",
  reasoning: true,
  input: ["text"],
  cost: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
  contextWindow: 1000,
  maxTokens: 100,
};

export interface Played {
  events: AssistantMessageEvent[];
  message: AssistantMessage;
}

/** Plays operations on a builder and ends it. The events must keep the guarantees of every stream. */
export function playBuilder(play: (builder: AssistantMessageBuilder) => void): Played {
  const events: AssistantMessageEvent[] = [];
  let ids = 0;
  const builder = new AssistantMessageBuilder({
    model: builderModel,
    timestamp: 7,
    createId: () => `made${++ids}`,
    emit: (event) => events.push(event),
  });
  play(builder);
  if (!events.some((event) => event.type === "done" || event.type === "error")) {
    if (!builder.stopped) builder.stop("stop");
    builder.finish();
  }
  return { events, message: checkEvents(events) };
}

/** The types of the events, with the index of their block. */
export function typesOf(events: readonly AssistantMessageEvent[]): string[] {
  return events.map((event) => ("contentIndex" in event ? `${event.type} ${event.contentIndex}` : event.type));
}
