/** A typed output whose partial object is read at each delta. The floor only joins the deltas. */
import { bodyPath, lengthOf } from "../bodies.ts";
import { benchModel } from "../clients/bench-model.ts";
import { offered } from "../not-offered.ts";
import { measureCost, type Work } from "./measured.ts";

/** The tool of the body: its arguments are the output. */
const OUTPUT = { schema: { type: "object", properties: {} }, name: "write", mode: "tool" } as const;

export const run: Work = async ({ side, client, input: { body }, serverUrl }) => {
  const request = offered(body);
  const { protocol, kind } = request;
  const url = serverUrl + bodyPath(request);
  if (side === "floor") {
    const stream = offered(client.stream);
    return measureCost(() => stream({ url, protocol, kind, read: false }, () => {}));
  }
  const { streamObject } = await import("pi-ai/object");
  return measureCost(async () => {
    const stream = streamObject(benchModel(protocol, url), "Hello.", { ...OUTPUT, apiKey: "key", maxRepairs: 0 });
    let updates = 0;
    for await (const { partial } of stream) updates += partial ? 1 : 0;
    const { object } = await stream.result();
    if (updates === 0 || JSON.stringify(object).length !== lengthOf(request))
      throw new Error("the object is incomplete");
  });
};
