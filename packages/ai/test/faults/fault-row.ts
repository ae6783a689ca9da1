/** A row of the fault matrix: one behaviour, tested on each api to which it applies. */
import type { FaultSubject } from "./fault-subject.js";

export interface FaultRow {
  number: number;
  name: string;
  /** The apis to which the row applies. Default: all. */
  applies?: (subject: FaultSubject) => boolean;
  run: (subject: FaultSubject) => Promise<unknown>;
}

export function row(
  number: number,
  name: string,
  run: FaultRow["run"],
  applies: (subject: FaultSubject) => boolean = () => true,
): FaultRow {
  return { number, name, run, applies };
}

export const overHttp = (subject: FaultSubject): boolean => !subject.isSocket;
export const overSse = (subject: FaultSubject): boolean => !subject.isSocket && subject.wire.framing === "sse";
export const overAws = (subject: FaultSubject): boolean => subject.wire.framing === "aws-event-stream";
export const streamsArguments = (subject: FaultSubject): boolean => subject.wire.streamsArguments;
export const speaks =
  (pattern: RegExp) =>
  (subject: FaultSubject): boolean =>
    pattern.test(subject.name);
