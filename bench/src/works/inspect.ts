/** An agent that streams over HTTP while the inspector is attached, against the same agent without it. */
import { Agent } from "pi-agent";
import { stream } from "pi-ai";
import { inspect } from "pi-inspect";
import { type BodyRequest, bodyPath } from "../bodies.ts";
import { benchModel } from "../clients/bench-model.ts";
import { offered } from "../not-offered.ts";
import { measureCost, type Work } from "./measured.ts";

/** Calls in one run of short responses. */
const CALLS = 200;
/** Responses with fewer deltas are short. */
const SHORT = 1000;

/**
 * A goal of 5 % needs a longer window than others. In its first second a process optimises its code and enlarges its heap,
 * and what ran before decides when: runs after a closed inspector then took 15 % more than those without one, later runs
 * the same.
 */
const WINDOW = { warmUp: 2500, measured: 1500 };

/** The variant `closed` has an inspector that was closed before the first call. */
export const run: Work = async ({ side, input: { body, variant }, serverUrl }) => {
  const request = offered(body);
  const agent = createAgent(request, serverUrl);
  if (side !== "floor") {
    const inspector = await inspect(agent, { onUrl: () => {} });
    if (variant === "closed") await inspector.close();
  }
  let length = 0;
  agent.subscribe((event) => {
    if (event.type === "message_update" && "delta" in event.assistantMessageEvent)
      length += event.assistantMessageEvent.delta.length;
  });
  const calls = request.size < SHORT ? CALLS : 1;
  return measureCost(async () => {
    length = 0;
    for (let call = 0; call < calls; call++) {
      agent.reset();
      await agent.prompt("Hello.");
    }
    if (length < request.size * calls) throw new Error("too few characters were received");
  }, WINDOW);
};

function createAgent(request: BodyRequest, serverUrl: string): Agent {
  const model = benchModel(request.protocol, serverUrl + bodyPath(request));
  return new Agent({
    initialState: { model },
    streamFn: (called, context, options) => stream(called, context, { ...options, apiKey: "bench-key" }),
  });
}
