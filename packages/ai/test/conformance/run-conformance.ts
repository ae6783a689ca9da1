/**
 * The conformance suite: what every provider of this library promises, whatever its wire protocol. A new api writes
 * a few answers by hand (see `protocols/`) and calls this in a test file of its own. What it cannot pass it lists in
 * `skip`, with the reason.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { stream as streamOfPackage } from "../../src/index.js";
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

/** Runs the suite on an api over HTTP. */
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
  register("a good answer", responseCases, subject, skipped);
  register("abort and leaving", lifetimeCases, subject, skipped);
  register("the wire", wireCases, subject, skipped);
  register("broken answers", brokenCases, subject, skipped);
  register("requests", requestCases, subject, skipped);
  expectKnown(skipped, [...responseCases, ...lifetimeCases, ...wireCases, ...brokenCases, ...requestCases]);
}

/** Runs the part of the suite that needs no network, on a provider that has none. */
export function runProviderConformance(target: Target, stream: StreamUnderTest = streamOfPackage): void {
  const subject = new Subject(target, stream);
  const skipped = reasonsToSkip(target, target.skip);
  register("a good answer", responseCases, subject, skipped);
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
      if (reason === undefined) it(name, { timeout: 30_000 }, () => run(subject));
      else it.skip(`${name} (skipped: ${reason})`, () => {});
    }
  });
}

/** The reason for each case that is left out. */
function reasonsToSkip(target: Target, skip: Target["skip"] = []): Map<string, string> {
  const missing = RESPONSE_NAMES.filter((name) => !target.responses[name]).flatMap((response) =>
    casesOfResponse(response).map((name): [string, string] => [name, "the protocol has no such answer"]),
  );
  const named = skip.flatMap(({ reason, cases }) => cases.map((name): [string, string] => [name, reason]));
  return new Map([...missing, ...named]);
}

/** A misspelt exception would skip nothing and hide that it is no longer needed. */
function expectKnown(skipped: ReadonlyMap<string, string>, cases: readonly { name: string }[]): void {
  it("knows the cases that are left out", () => {
    const known = cases.map((one) => one.name);
    for (const name of skipped.keys()) expect(known).toContain(name);
  });
}
