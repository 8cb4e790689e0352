/** Public API of `@pith/models`: opens any AI SDK provider as a Pith model. */

export { type AiSdkModelOptions, createAiSdkModel } from "./ai-sdk-model.ts";
export {
  chooseDefaultModels,
  createSnapshotRows,
  type ListedModel,
  type SnapshotData,
  type SnapshotRow,
} from "./catalogue/build-snapshot.ts";
export { type Catalogue, type CatalogueOptions, createCatalogue, type FactsResult } from "./catalogue/catalogue.ts";
export { type LoadedCatalogue, loadCatalogue, writeCatalogueFile } from "./catalogue/catalogue-file.ts";
export type { ModelFacts, Prices } from "./catalogue/model-facts.ts";
export {
  compareVersions,
  findOlderModels,
  type ModelVersion,
  parseModelVersion,
  sortNewestFirst,
} from "./catalogue/model-version.ts";
export { type ModelListResult, parseModelList } from "./catalogue/models-dev.ts";
export {
  type ParsedUserModels,
  parseUserModels,
  type UserModel,
  type UserModels,
  type UserModelsIssue,
} from "./catalogue/user-models.ts";
export type { ContextWindow } from "./context-window/choose-window.ts";
export { createFileWindowStore, type WindowStore } from "./context-window/window-store.ts";
export { webSearch } from "./convert/server-tools.ts";
export { supportsWebSearch } from "./convert/web-search.ts";
export { CostLimit, type RequestLimit, withRequestLimit } from "./cost-limit.ts";
export { type BaseUrlOptions, createEndpoint, type Endpoint } from "./network/base-url.ts";
export { createNetworkFetch, type Environment } from "./network/fetch.ts";
export {
  baseUrlFromEnvironment,
  type ModelOptions,
  type OpenModelDependencies,
  type OpenModelResult,
  openModel,
  readContextWindow,
} from "./open-model.ts";
export { type Provider, providers } from "./providers/providers.ts";
export { defaultRequestPolicy, type RequestPolicy, type RetryRuntime, withRetries } from "./retry.ts";
