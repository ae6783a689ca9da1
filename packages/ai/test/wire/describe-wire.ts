/** The tests of an api that replay recorded responses through the public API. */

import { stream } from "pi-ai";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CALL_ENVIRONMENT } from "../support/credentials.js";
import { TestServer } from "../support/test-server.js";
import { type Doubt, findDoubt } from "./doubts.js";
import { type Recording, readRecordings } from "./recordings.js";
import { type Finding, replay } from "./replay.js";

declare module "vitest" {
  interface TaskMeta {
    /** The result of a recording in each way of sending. */
    replayed?: { api: string; ways: { way: string; passed: boolean }[] };
  }
}

/** One test per recording, which tries all ways of sending. A failure names the way. */
export function describeWire(api: string): void {
  const recordings = readRecordings(api);
  if (recordings.length === 0) {
    it.skip(`replays recorded responses of ${api} (skipped: set PI_WIRE_DIR to the folder of recordings)`, () => {});
    return;
  }
  let server: TestServer;
  beforeAll(async () => {
    for (const [name, value] of Object.entries(CALL_ENVIRONMENT)) vi.stubEnv(name, value);
    server = await TestServer.start();
  });
  afterAll(async () => {
    await server.stop();
    vi.unstubAllEnvs();
  });
  for (const kind of ["stream", "error"] as const) {
    describe(kind === "stream" ? `${api}: recorded streams` : `${api}: recorded HTTP errors`, () => {
      for (const recording of recordings.filter((one) => one.kind === kind)) test(recording, () => server);
    });
  }
}

function test(recording: Recording, server: () => TestServer): void {
  const doubt = findDoubt(recording);
  const title = doubt ? `${recording.name} (in doubt: ${doubt.rules.join(", ")})` : recording.name;
  it(title, async (context) => {
    const { ways, findings } = await replay(recording, stream, server());
    const certain = findings.filter((finding) => !isDoubtful(finding, doubt));
    const broken = new Set(certain.map(({ way }) => way));
    context.task.meta.replayed = { api: recording.api, ways: ways.map((way) => ({ way, passed: !broken.has(way) })) };
    expect(certain.map(toLine)).toEqual([]);
    if (findings.length > 0) context.skip(`${doubt?.reason}: ${findings.map(toLine).join("; ")}`);
  });
}

function isDoubtful(finding: Finding, doubt: Doubt | undefined): boolean {
  return doubt?.rules.includes(finding.rule) ?? false;
}

function toLine({ way, rule, problem }: Finding): string {
  return `${way}: ${rule}: ${problem}`;
}
