/** What does not hold yet, with its reason. A test fails when an entry is no longer needed. */
import type { HostName } from "./scene.js";

/** The name of a budget that refuses requests, of which only random lists have one. */
export const REFUSAL = "refusal";

export interface Loss {
  /** The feature that loses something, with any other one if `other` is absent. */
  readonly feature: string;
  readonly other?: string;
  /** Default: both. */
  readonly host?: HostName;
  readonly reason: string;
}

export const LOSSES: readonly Loss[] = [];

export function findLoss(names: readonly string[], host: HostName): Loss | undefined {
  return LOSSES.find(
    (loss) =>
      names.includes(loss.feature) &&
      (loss.other === undefined || names.includes(loss.other)) &&
      (loss.host ?? host) === host,
  );
}
