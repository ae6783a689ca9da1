/** In place of a version that was never published: telemetry that is switched off, as its users have it by default. */
const nothing = () => {};
const span = { addEvent: nothing, setAttributes: nothing, setStatus: nothing };
const instrument = { record: nothing, add: nothing };

export const NOOP_TELEMETRY_METRICS = {};
export const NOOP_TELEMETRY_CONTEXT = { metrics: NOOP_TELEMETRY_METRICS };
export const defineTelemetrySchema = (schema) => schema;
export const createTypedMetrics = () => ({ histogram: () => instrument, counter: () => instrument });
export const createTypedSpanStarter = () => (_name, _attributes, run) => run(span);
