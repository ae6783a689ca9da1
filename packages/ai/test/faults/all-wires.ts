/** Every api of the fault matrix, over each of its transports. */
import { API_TESTS } from "../protocols/all-apis.js";
import type { FaultWireFormat } from "./fault-wire-format.js";

export const allWires: readonly FaultWireFormat[] = API_TESTS.flatMap(({ faultWires }) => faultWires);
