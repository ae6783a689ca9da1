/** One stream after the other. */
import { bodyPath, lengthOf } from "../bodies.ts";
import { offered } from "../not-offered.ts";
import { measureCost, type Work } from "./measured.ts";

export const run: Work = async ({ side, client, input: { body, variant }, serverUrl }) => {
  const stream = offered(client.stream);
  const request = offered(body);
  const { protocol, kind } = request;
  const url = serverUrl + bodyPath(request);
  const whole = lengthOf(request);
  const read = variant === "read" && side !== "floor";
  return measureCost(async () => {
    let length = 0;
    await stream({ url, protocol, kind, read }, (delta) => {
      length += delta.length;
    });
    if (length !== whole) throw new Error(`received ${length} of ${whole} characters`);
  });
};
