/** What approvals need to survive a restart of the server: a secret, and which of them were used. */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface ApprovalState {
  /** Signs the requests, so that a page cannot forge, change or transfer one. */
  secret: Uint8Array;
  /** Returns false if an approval was used before, such as by a page that has lost the response and sends it again. */
  claim: (signature: string) => Promise<boolean>;
}

/**
 * Keeps both in a folder. A product has the secret in its environment. With several web servers, it claims with `SET key 1 NX`
 * of Redis or the primary key of a table.
 */
export async function openApprovalState(folder: string): Promise<ApprovalState> {
  await mkdir(join(folder, "used"), { recursive: true });
  const file = join(folder, "secret");
  await create(file, randomBytes(32));
  return {
    secret: await readFile(file),
    // A signature consists of letters that names of files may have.
    claim: (signature) => create(join(folder, "used", signature), ""),
  };
}

/** Returns false if the file exists. */
async function create(file: string, data: string | Uint8Array): Promise<boolean> {
  try {
    await writeFile(file, data, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false; // Node throws such errors.
    throw error;
  }
}
