/** Finds and loads extensions, and connects them to a session. */

export { isExtensionError, type StrayErrorKind } from "./errors.ts";
export { type ExtensionOrigin, extensionsFolder, type FoundExtension } from "./extension-files.ts";
export {
  askExtensionsForTrust,
  assembleExtensions,
  type BundledExtension,
  type ExtensionOptions,
  findExtensions,
  loadExtensions,
} from "./extensions.ts";
export { findEntryFile, findInstalledPackages, findUserExtensions } from "./find.ts";
export { createExtensionModules } from "./load.ts";
export {
  createSessionActions,
  createSessionListener,
  emitSessionStart,
  type SessionActionsOptions,
  type SessionStart,
} from "./session.ts";
