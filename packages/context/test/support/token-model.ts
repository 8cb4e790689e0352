/** Gives the benchmarks the internals of the token estimate, which the package does not export. */

export {
  buildTokenCostTable,
  COST_SHIFT,
  charClassIndexes,
  ROW_MASK,
  type TokenWeights,
} from "../../src/tokens/token-model.ts";
export { tokenWeights } from "../../src/tokens/token-weights.ts";
