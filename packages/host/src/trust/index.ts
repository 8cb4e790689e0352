/** Defines which files of a folder need trust, and reads them. */

export { type FolderTrust, listTrustedFiles, type TrustChange } from "./folder-trust.ts";
export {
  type FoundFile,
  findProjectFolders,
  hashProject,
  type ProjectFile,
  type ProjectFileKind,
  type ProjectFiles,
  readProjectFiles,
  toRelativeName,
  trustRequiredPaths,
  type UnreadFile,
} from "./project-files.ts";
