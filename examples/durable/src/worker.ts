/** A process that runs agents for Restate: `worker.ts PORT LEDGER`. */
import { type RestateContext, type RestateSdk, restateOptions, restateSteps } from "pi-agent/durable/restate";
import { loadEngine } from "../engines/install-engines.ts";
import { bookHotel } from "./booking.ts";

/** The parts of the SDK that are used. A program that depends on the SDK imports its types instead. */
interface Restate extends RestateSdk {
  workflow(definition: {
    name: string;
    options: object;
    handlers: { run: (context: RestateContext) => Promise<number> };
  }): object;
  serve(options: { port: number; services: object[] }): Promise<number>;
}

const [, , port, ledger = ""] = process.argv;
const restate = await loadEngine<Restate>("@restatedev/restate-sdk");
const bookings = restate.workflow({
  name: "bookings",
  options: restateOptions,
  handlers: { run: (context) => bookHotel(restateSteps(restate, context), ledger) },
});
await restate.serve({ port: Number(port), services: [bookings] });
