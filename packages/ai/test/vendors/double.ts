/** A double of a vendor: a `fetch` that checks each request, refuses as the vendor does, and else answers from a script. */
import type { HttpFixtures } from "../conformance/http-target.js";
import { toBytes } from "../conformance/http-target.js";
import type { Refusal } from "./rule.js";
import { refuse, type Vendor } from "./vendors.js";

export interface SeenRequest {
  url: string;
  body: Record<string, unknown>;
  refusal: Refusal | undefined;
}

export interface Double {
  fetch: typeof globalThis.fetch;
  requests: SeenRequest[];
}

/** @param fixtures the responses of the api; every accepted request gets its text */
export function createDouble(vendor: Vendor, fixtures: HttpFixtures): Double {
  const requests: SeenRequest[] = [];
  const text = textOf(fixtures);
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const sent = await readBody(input, init);
    const body: Record<string, unknown> = JSON.parse(sent);
    const refusal = refuse(vendor, body, modelOf(url) ?? String(body["model"] ?? ""));
    requests.push({ url, body, refusal });
    if (!refusal) return new Response(text, { headers: { "content-type": fixtures.contentType } });
    const headers = { "content-type": "application/json", ...vendor.errorHeaders };
    return new Response(JSON.stringify(vendor.error(refusal)), { status: refusal.status, headers });
  };
  return { fetch, requests };
}

const texts = new WeakMap<HttpFixtures, Buffer<ArrayBuffer>>();

function textOf(fixtures: HttpFixtures): Buffer<ArrayBuffer> {
  const text = texts.get(fixtures) ?? Buffer.concat(fixtures.responses.text.frames.map((frame) => toBytes(frame)));
  texts.set(fixtures, text);
  return text;
}

async function readBody(input: string | URL | Request, init: RequestInit | undefined): Promise<string> {
  const body = init?.body ?? (input instanceof Request ? await input.text() : "");
  return typeof body === "string" ? body : new Response(body).text();
}

/** The model that an address names, for apis without one in the body. */
export function modelOf(url: string): string | undefined {
  const [, model] = /\/models?\/([^/:?]+(?:%3A\d+|:\d+)?)[/:](?:\w|converse)/.exec(url) ?? [];
  return model === undefined ? undefined : decodeURIComponent(model);
}
