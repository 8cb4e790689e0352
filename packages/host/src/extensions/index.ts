/** Finds and loads extensions, and connects them to a session. */

export * from "./errors.ts";
export * from "./extension-files.ts";
export * from "./extensions.ts";
export * from "./find.ts";
export * from "./load.ts";
export * from "./session.ts";
