/**
 * The fault matrix: every fault of a network, a provider or a model, on every api, through the public API and the real
 * SDKs. A test file for each api calls this, so that they run in parallel.
 */
import { describe, it } from "vitest";
import { isFullSuite } from "../../../../test/support/suite.js";
import { abortRows } from "./abort-rows.js";
import type { FaultRow } from "./fault-row.js";
import { FaultSubject } from "./fault-subject.js";
import type { FaultWireFormat } from "./fault-wire-format.js";
import { hostileRows } from "./hostile-rows.js";
import { leakRows } from "./leak-rows.js";
import { protocolRows } from "./protocol-rows.js";
import { transportRows } from "./transport-rows.js";
import { useFaultServer } from "./use-fault-server.js";

const GROUPS: Readonly<Record<string, readonly FaultRow[]>> = {
  Transport: transportRows,
  Protocol: protocolRows,
  "Hostile data": hostileRows,
  Abort: abortRows,
  Leaks: leakRows,
};

/** Rows that mostly wait run concurrently. */
const WAITING: ReadonlySet<number> = new Set([10, 40, 41, 43, 44, 47, 109, 110, 113, 114, 116, 117, 118, 119]);

/** Expensive rows, which the quick suite runs on only one api of each framing. */
const HEAVY: ReadonlySet<number> = new Set([14, 21, 22, 96, 97, 115, 120, 174, 175, 176, 177, 178]);
const HEAVY_APIS = /anthropic|bedrock|websocket/;
/** Hosts of an api that is tested itself: the quick suite runs every fourth row on them. */
const SECOND_HOSTS = /azure|vertex|gemini-cli|codex-responses$/;

function isInSuite(name: string, number: number): boolean {
  if (isFullSuite) return true;
  return HEAVY.has(number) ? HEAVY_APIS.test(name) : !SECOND_HOSTS.test(name) || number % 4 === 1;
}

export function runFaultMatrix(wire: FaultWireFormat): void {
  const subject = new FaultSubject(wire, useFaultServer());
  for (const [group, rows] of Object.entries(GROUPS)) {
    describe(`${subject.name}: ${group}`, () => {
      for (const { number, name, run, applies } of rows) {
        const options = { concurrent: WAITING.has(number) };
        if (isInSuite(subject.name, number) && (applies?.(subject) ?? true))
          it(`#${number} ${name}`, options, () => run(subject));
      }
    });
  }
}
