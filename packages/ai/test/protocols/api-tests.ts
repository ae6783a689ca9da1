/**
 * The tests of an api, for the suites that cover every api: the `index.ts` of its folder exports one of these as
 * `tests`.
 */
import type fc from "fast-check";
import type { Api, Model } from "pi-ai";
import type { HttpFixtures } from "../conformance/http-target.js";
import type { FaultWireFormat } from "../faults/fault-wire-format.js";
import type { Wire } from "../handoff/script.js";
import type { SentOptions } from "../sent-options.js";
import type { Faults, Fields } from "../validators/faults.js";
import type { RecordedApi } from "../wire/recorded-api.js";

export interface ApiTests {
  api: Api;
  /** Hand-written responses for the conformance suite. */
  fixtures: HttpFixtures;
  /** Adds a fault for each rule of the api that a request body breaks. */
  validate(body: Fields, model: Model, faults: Faults): void;
  handoff: HandoffFacts;
  sentOptions: SentOptions;
  /** Fields of a model that lets `sentOptions` take effect. Default: a reasoning model without flags. */
  optionsModel?: Partial<Model>;
  /** The events of this api in the fault matrix: one format per transport. */
  faultWires: readonly FaultWireFormat[];
  /** Default: the api has no recorded responses. */
  recordings?: RecordedApi;
  /** Values for each compatibility flag, for the first api with these flags. */
  flags?: Readonly<Record<string, FlagCase>>;
  /** Random events for the mapping. Default: random names and values of all apis. */
  events?: fc.Arbitrary<unknown>;
}

export interface HandoffFacts {
  wire: Wire;
  /** The models that continue a conversation. The first also writes the turns that other models continue. */
  targets: readonly Model[];
  /** The key that the driver passes on. Default: `key`. */
  apiKey?: string;
  /** True if the wire format cannot carry reasoning that only the vendor can read. */
  hidesReasoning?: boolean;
  /** False if visible thinking carries no signature. Default: true. */
  signsThinking?: boolean;
}

/** Two values that must change the request or the response, and further flags that they need. */
export interface FlagCase {
  values: [unknown, unknown];
  beside?: object;
}

/** A case for each flag. A flag without one does not compile. */
export type FlagTable<TCompat> = Record<keyof Required<TCompat>, FlagCase & { beside?: TCompat }>;

export const ON_OFF: { values: [unknown, unknown] } = { values: [true, false] };
