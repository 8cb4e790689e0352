/** Chooses and opens models. */

export * from "./available-models.ts";
export * from "./catalogue.ts";
export * from "./open-model.ts";
export * from "./summary-models.ts";
