/** The typed output of a run. */
import type { OutputRequest } from "pi-ai/object";

/** Makes the runs of an agent end with an object that fits a schema. */
export interface AgentOutput extends OutputRequest {
  /**
   * How often an output that does not fit the schema is sent back to the model with the validator's errors. Default 1.
   * After that the run ends with an error message of the kind `invalid_output`.
   */
  maxRepairs?: number | undefined;
}
