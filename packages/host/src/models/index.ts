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
export { loadSummarizers } from "./load-summarizers.ts";
export {
  type ChooseModelResult,
  canonicalProviderId,
  chooseModel,
  createAbsentModel,
  createModelOpener,
  findBaseUrlOwner,
  isAbsentModel,
  type OpenModelByName,
  openWindowStore,
  resolveSummaryModels,
  selectModel,
} from "./open-model.ts";
export { describeSummaryModel, readSummaryModelNames, type SummaryModelOptions } from "./summary-models.ts";
