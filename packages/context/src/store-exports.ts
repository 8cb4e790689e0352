/** Exports `@pith/context/store`: the store interface, the session file format and the entry tree, for writing your own store. */

export { crashDamageKinds, type Damage, harmlessDamageKinds } from "./format/damage.ts";
export {
  parseEntry,
  readReservedNumber,
  resolveEntryNumber,
  serializeEntry,
  setEntryNumberInLine,
  withEntryNumber,
} from "./format/entry-line.ts";
export type { EntryLine } from "./format/link-entries.ts";
export {
  addHeaderMark,
  createHeader,
  decodeSession,
  encodeSession,
  isFutureHeader,
} from "./format/session-file.ts";
export {
  type AppendFacts,
  type AppendLookups,
  decideAppend,
  listAppendLookups,
  type StoredEntry,
} from "./session/append-rules.ts";
export { appendToBranch, loadBranch, loadBranchFrom } from "./session/loaded-branch.ts";
export { reduceState, stateInCompaction } from "./session/state.ts";
export type { AppendGuard, Refusal, Store } from "./session/store.ts";
export { branchEntries, buildTree, collectLabels, commonAncestor, findBranchSummaries } from "./tree.ts";
