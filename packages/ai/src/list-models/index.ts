/**
 * The models that a provider or a server offers now, as data: newer ones than the catalogue knows, and those on this
 * machine.
 *
 * @module pi-ai/list-models
 */

export { type FindLocalServersOptions, findLocalServers, type LocalServer } from "./find-local-servers.js";
export { type ListModelsNote, type ListModelsOptions, type ListModelsTarget, listModels } from "./list-models.js";
