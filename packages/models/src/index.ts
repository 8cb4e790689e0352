/** The door `@pith/models`: any AI SDK provider as a model of Pith. */

export { type Catalogue, type CatalogueParts, catalogue, type Found } from "./catalogue/catalogue.ts";
export type { ModelFacts, Prices } from "./catalogue/facts.ts";
export type { UserEntries, UserEntry } from "./catalogue/user-entry.ts";
export { type Finding, type UserFile, userEntries } from "./catalogue/user-file.ts";
export { searches, webSearch } from "./convert/served/own-search.ts";
export { type AiSdkModelParts, aiSdkModel } from "./model/ai-sdk-model.ts";
export type { Environment } from "./network/environment.ts";
export { networkFetch } from "./network/network-fetch.ts";
export type { ModelWish, Surroundings } from "./opening/model-wish.ts";
export { type OpenedModel, openModel } from "./opening/open-model.ts";
export { type Provider, providers } from "./providers/provider.ts";
export type { WindowMemory } from "./windows/memory.ts";
export { windowFile } from "./windows/node-window-file.ts";
export type { ContextWindow } from "./windows/window.ts";
export { type Patience, patience, type RetryPorts, retrying } from "./wrapping/retrying.ts";
