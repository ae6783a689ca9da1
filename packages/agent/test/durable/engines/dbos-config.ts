/** The configuration that the workers and the client of DBOS share. */
export const QUEUE = "agents";

export function dbosConfig(folder: string): {
  name: string;
  systemDatabaseUrl: string;
  logLevel: string;
  applicationVersion: string;
} {
  return { name: "agents", systemDatabaseUrl: databaseUrl(folder), logLevel: "error", applicationVersion: "1" };
}

/** The folder of the server's socket as a host. */
export function databaseUrl(folder: string): string {
  return `postgresql://test@localhost/agents?host=${encodeURIComponent(folder)}`;
}
