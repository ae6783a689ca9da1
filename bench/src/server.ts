/** Runs the server in a separate process. Prints its port. */
import type { AddressInfo } from "node:net";
import { createBenchServer } from "./bench-server.ts";

const server = createBenchServer();
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`)); // TCP
process.once("disconnect", () => process.exit(0));
