/** The door `@pith/models`: any AI SDK provider as a model of Pith. */

export { type AiSdkModelParts, aiSdkModel } from "./ai-sdk-model.ts";
export { type Catalogue, type CatalogueParts, catalogue, type Found } from "./catalogue/catalogue.ts";
export type { ModelFacts, Prices } from "./catalogue/facts.ts";
export type { UserEntries, UserEntry } from "./catalogue/user-models.ts";
export { type Finding, type UserFile, userEntries } from "./catalogue/user-models.ts";
export { searches, webSearch } from "./convert/server-tools.ts";
export type { Environment } from "./network/fetch.ts";
export { networkFetch } from "./network/fetch.ts";
export type { ModelWish, Surroundings } from "./open-model.ts";
export { type OpenedModel, openModel } from "./open-model.ts";
export { type Provider, providers } from "./providers/providers.ts";
export { type Patience, patience, type RetryPorts, retrying } from "./retry.ts";
export type { ContextWindow } from "./windows/context-window.ts";
export type { WindowMemory } from "./windows/window-file.ts";
export { windowFile } from "./windows/window-file.ts";
