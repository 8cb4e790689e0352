/** Defines which files of a folder need trust, and reads them. */

export * from "./folder-trust.ts";
export * from "./project-files.ts";
