/** Public API of `@pith/models`: opens any AI SDK provider as a Pith model. */

export { type AiSdkModelParts, aiSdkModel } from "./ai-sdk-model.ts";
export { type Catalogue, type CatalogueParts, catalogue, type Found } from "./catalogue/catalogue.ts";
export type { ModelFacts, Prices } from "./catalogue/facts.ts";
export { type Finding, type UserEntries, type UserEntry, type UserFile, userEntries } from "./catalogue/user-models.ts";
export { searches, webSearch } from "./convert/server-tools.ts";
export { type Environment, networkFetch } from "./network/fetch.ts";
export { type ModelWish, type OpenedModel, openModel, type Surroundings } from "./open-model.ts";
export { type Provider, providers } from "./providers/providers.ts";
export { type Patience, patience, type RetryPorts, retrying } from "./retry.ts";
export type { ContextWindow } from "./windows/context-window.ts";
export { type WindowMemory, windowFile } from "./windows/window-file.ts";
