/** The code that names and reads the environment variables of all providers. A request with a key of its own needs none. */
import { type LateCode, lateCode } from "../../utils/late-code.js";

export const credentials: LateCode<typeof import("./credentials.js")> = /* @__PURE__ */ lateCode(
  () => import("./credentials.js"),
);
