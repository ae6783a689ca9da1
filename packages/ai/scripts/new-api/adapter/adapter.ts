/** The Example API. */
import type { ApiAdapter } from "../../../src/driver/index.js";
import { postJson, toWireResponse } from "../../../src/transport/index.js";
import { type ExampleApiOptions, simpleExampleApiOptions } from "./options.js";
import { buildExampleApiRequest } from "./request.js";
import { createExampleApiMapping } from "./stream.js";

export const exampleApiAdapter: ApiAdapter<ExampleApiOptions> = {
  api: "example-api",
  endedEarly: "Stream ended before the end event",
  ownOptions: { toolChoice: true, effort: true },
  simpleOptions: simpleExampleApiOptions,
  buildRequest: buildExampleApiRequest,
  send: async (wireRequest, _request, io) => toWireResponse(await postJson(wireRequest, io), "sse"),
  createMapping: ({ model }) => createExampleApiMapping(model.provider),
};
