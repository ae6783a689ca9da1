/** What the folder of an api gives to the suites that test every api: its `index.ts` exports one of these as `tests`. */
import type fc from "fast-check";
import type { ApiAdapter } from "../../src/runtime/api-adapter.js";
import type { Model } from "../../src/types/model.js";
import type { HttpFixtures } from "../conformance/http-target.js";
import type { FaultWireFormat } from "../faults/fault-wire-format.js";
import type { Wire } from "../handoff/script.js";
import type { Faults, Fields } from "../validators/faults.js";
import type { RecordedApi } from "../wire/recorded-api.js";

export interface ApiTests {
  adapter: ApiAdapter;
  /** Hand-written responses for the conformance suite. */
  fixtures: HttpFixtures;
  /** Adds a fault for each rule of the api that the body of a request breaks. */
  validate(body: Fields, model: Model, faults: Faults): void;
  handoff: HandoffFacts;
  /** How the fault matrix writes the events of this api: one for each transport. */
  faultWires: readonly FaultWireFormat[];
  /** Default: the api has no recorded responses. */
  recordings?: RecordedApi;
  /** Values for each compatibility flag, for apis that are the first of their flags. */
  flags?: Readonly<Record<string, FlagCase>>;
  /** Events of any shape for the mapping. Default: random names and values of all apis. */
  events?: fc.Arbitrary<unknown>;
}

export interface HandoffFacts {
  wire: Wire;
  /** The models that continue a conversation. The first also writes the turns that other models continue. */
  targets: readonly Model[];
  /** The key as the driver passes it on. Default: `key`. */
  apiKey?: string;
  /** True where reasoning that only the vendor can read has no place on the wire. */
  hidesReasoning?: boolean;
  /** False where visible thinking carries no signature. Default: true. */
  signsThinking?: boolean;
}

/** Two values that must change the request or the response, and the flags that they need beside them. */
export interface FlagCase {
  values: [unknown, unknown];
  beside?: object;
}

/** A case for each flag: a flag without one does not compile. */
export type FlagTable<TCompat> = Record<keyof Required<TCompat>, FlagCase & { beside?: TCompat }>;

export const ON_OFF: { values: [unknown, unknown] } = { values: [true, false] };
