/** Reads context files, skills and prompt templates. */

export * from "./context-files.ts";
export * from "./front-matter.ts";
export * from "./guidance.ts";
export * from "./parse-image.ts";
export * from "./templates.ts";
