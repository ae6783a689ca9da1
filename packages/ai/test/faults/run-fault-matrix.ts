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
import { textRows } from "./text-rows.js";
import { transportRows } from "./transport-rows.js";
import { useFaultServer } from "./use-fault-server.js";
import { wireRows } from "./wire-rows.js";

const GROUPS: Readonly<Record<string, readonly FaultRow[]>> = {
  Transport: transportRows,
  Protocol: protocolRows,
  "Hostile data": hostileRows,
  "Texts for people": textRows,
  Abort: abortRows,
  Leaks: leakRows,
  "Wire and agent": wireRows,
};

/** Rows that mostly wait run concurrently. */
const WAITING: ReadonlySet<number> = new Set([10, 40, 41, 43, 44, 47, 109, 110, 113, 114, 116, 117, 118, 119]);

/** Floods and leaks, which only the full suite tries. */
const HEAVY: ReadonlySet<number> = new Set([21, 22, 96, 97, 120, 174, 175, 176, 177, 178, 187, 214]);
/** Rows on the bytes between events, which the quick suite runs on only one api of each framing. */
const FRAMING: ReadonlySet<number> = new Set([13, 14, 115]);
const FRAMING_APIS = /anthropic|bedrock|websocket/;
/** Hosts of an api that is tested itself: the quick suite runs every fourth row on them. */
const SECOND_HOSTS = /azure|vertex|gemini-cli|codex-responses$/;

function isInSuite(name: string, number: number): boolean {
  if (isFullSuite) return true;
  if (HEAVY.has(number)) return false;
  return FRAMING.has(number) ? FRAMING_APIS.test(name) : !SECOND_HOSTS.test(name) || number % 4 === 1;
}

export function runFaultMatrix(wire: FaultWireFormat, send?: FaultSubject["send"]): void {
  const subject = new FaultSubject(wire, useFaultServer(), send);
  for (const [group, all] of Object.entries(GROUPS)) {
    const rows = all.filter((row) => isInSuite(subject.name, row.number) && (row.applies?.(subject) ?? true));
    // A suite without a test counts as a mistake.
    if (rows.length === 0) continue;
    describe(`${subject.name}: ${group}`, () => {
      for (const { number, name, run } of rows) {
        it(`#${number} ${name}`, { concurrent: WAITING.has(number) }, () => run(subject));
      }
    });
  }
}
