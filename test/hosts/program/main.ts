/** The program as a process: prints its outcome as one line of JSON. */
import { runInNode } from "./in-node.js";

runInNode(process.env["VENDOR_URL"] ?? "").then(
  (outcome) => console.log(JSON.stringify(outcome)),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
