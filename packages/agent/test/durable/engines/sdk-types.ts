/** The parts of the engines' SDKs that the tests use: the engines are not installed where types are checked. */
import type { DbosSdk } from "pi-agent/durable/dbos";
import type { RestateContext, RestateSdk } from "pi-agent/durable/restate";

export interface Restate extends RestateSdk {
  workflow(definition: { name: string; options?: object; handlers: Record<string, RestateHandler> }): object;
  serve(options: { port: number; services: object[] }): Promise<number>;
}

export type RestateHandler = (
  // biome-ignore lint/suspicious/noExplicitAny: the context of the SDK has many more members.
  context: any,
  input: { name: string; answer: unknown },
) => Promise<unknown>;

export interface Dbos {
  DBOS: DbosSdk & {
    setConfig(config: object): void;
    launch(): Promise<void>;
    shutdown(): Promise<void>;
    registerQueue(name: string, options: object): Promise<unknown>;
    registerWorkflow(work: () => Promise<string>, options: { name: string; maxRecoveryAttempts?: number }): unknown;
  };
  DBOSClient: {
    create(options: { systemDatabaseUrl: string }): Promise<DbosClient>;
  };
}

export interface DbosClient {
  enqueue(options: { workflowName: string; queueName: string; workflowID: string }): Promise<unknown>;
  send(workflowId: string, message: unknown, topic: string): Promise<void>;
  destroy(): Promise<void>;
  retrieveWorkflow(id: string): { getStatus(): Promise<{ status: string; error?: unknown } | null> };
}

export type { RestateContext };
