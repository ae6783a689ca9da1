/** The Example API. */
import type { ApiAdapter } from "../../../src/driver/api-adapter.js";
import { toWireResponse } from "../../../src/transport/http-response.js";
import { postJson } from "../../../src/transport/post-json.js";
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
