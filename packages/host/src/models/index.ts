/** Chooses and opens models. */

export {
  type AvailableModel,
  filterModels,
  findLocalServers,
  formatPrice,
  formatWindow,
  type LocalServer,
  listLocalModels,
  listModelsWithKey,
  type ModelsWithKeyOptions,
  parseModelIds,
} from "./available-models.ts";
export { catalogueFilePath, openCatalogue } from "./catalogue.ts";
export {
  type ChooseModelResult,
  canonicalProviderId,
  findBaseUrlOwner,
  isAbsentModel,
  openWindowStore,
  resolveSummaryModels,
  selectModel,
} from "./open-model.ts";
export { describeSummaryModel, readSummaryModelNames } from "./summary-models.ts";
