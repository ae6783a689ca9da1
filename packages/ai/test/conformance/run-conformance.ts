/**
 * The conformance suite: the guarantees of every provider of this library, whatever its wire format. A new api defines
 * a few responses by hand (see `protocols/`) and calls this in a test file. Cases that it cannot pass are listed in
 * `skip`, with the reason.
 */

import { stream as streamOfPackage } from "pi-ai";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CALL_ENVIRONMENT } from "../support/credentials.js";
import { TestServer } from "../support/test-server.js";
import type { StreamUnderTest } from "../wire/replay.js";
import { brokenCases } from "./broken-cases.js";
import { type HttpFixtures, HttpTarget } from "./http-target.js";
import { lifetimeCases } from "./lifetime-cases.js";
import { requestCases } from "./request-cases.js";
import { type ConformanceCase, casesOfResponse, responseCases } from "./response-cases.js";
import { Subject } from "./subject.js";
import { RESPONSE_NAMES, type Target } from "./target.js";
import { wireCases } from "./wire-cases.js";

/** Runs the suite for an api over HTTP. */
export function runAdapterConformance(fixtures: HttpFixtures, stream: StreamUnderTest = streamOfPackage): void {
  let server: TestServer;
  const target = new HttpTarget(fixtures, () => server);
  const subject = new Subject(target, stream);
  beforeAll(async () => {
    for (const [name, value] of Object.entries(CALL_ENVIRONMENT)) vi.stubEnv(name, value);
    server = await TestServer.start();
  });
  afterAll(async () => {
    await server.stop();
    vi.unstubAllEnvs();
  });
  const skipped = reasonsToSkip(target, fixtures.skip);
  register("a successful response", responseCases, subject, skipped);
  register("abort and leaving", lifetimeCases, subject, skipped);
  register("the wire", wireCases, subject, skipped);
  register("broken responses", brokenCases, subject, skipped);
  register("requests", requestCases, subject, skipped);
  expectKnown(skipped, [...responseCases, ...lifetimeCases, ...wireCases, ...brokenCases, ...requestCases]);
}

/** Runs the part of the suite that needs no network, for a provider that has none. */
export function runProviderConformance(target: Target, stream: StreamUnderTest = streamOfPackage): void {
  const subject = new Subject(target, stream);
  const skipped = reasonsToSkip(target, target.skip);
  register("a successful response", responseCases, subject, skipped);
  register("abort and leaving", lifetimeCases, subject, skipped);
  expectKnown(skipped, [...responseCases, ...lifetimeCases]);
}

function register<TSubject extends Subject>(
  group: string,
  cases: readonly ConformanceCase<TSubject>[],
  subject: TSubject,
  skipped: ReadonlyMap<string, string>,
): void {
  describe(`${subject.target.name}: ${group}`, () => {
    for (const { name, run } of cases) {
      const reason = skipped.get(name);
      if (reason === undefined) it(name, () => run(subject));
      else it.skip(`${name} (skipped: ${reason})`, () => {});
    }
  });
}

/** The reason for each skipped case. */
function reasonsToSkip(target: Target, skip: Target["skip"] = []): Map<string, string> {
  const missing = RESPONSE_NAMES.filter((name) => !target.responses[name]).flatMap((response) =>
    casesOfResponse(response).map((name): [string, string] => [name, "the api has no such response"]),
  );
  const named = skip.flatMap(({ reason, cases }) => cases.map((name): [string, string] => [name, reason]));
  return new Map([...missing, ...named]);
}

/** A misspelt name would skip nothing, and would hide that the exception is no longer needed. */
function expectKnown(skipped: ReadonlyMap<string, string>, cases: readonly { name: string }[]): void {
  it("skips only cases that exist", () => {
    const known = cases.map((one) => one.name);
    for (const name of skipped.keys()) expect(known).toContain(name);
  });
}
