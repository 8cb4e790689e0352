/** Finds and loads extensions, and connects them to a session. */

export { isExtensionError, type StrayErrorKind } from "./errors.ts";
export { type ExtensionOrigin, extensionsFolder, type FoundExtension } from "./extension-files.ts";
export {
  askExtensionsForTrust,
  assembleExtensions,
  type BundledExtension,
  findExtensions,
  loadExtensions,
} from "./extensions.ts";
export { findEntryFile, findInstalledPackages, findUserExtensions } from "./find.ts";
export { createExtensionModules } from "./load.ts";
export { emitSessionStart, type SessionStart } from "./session.ts";
