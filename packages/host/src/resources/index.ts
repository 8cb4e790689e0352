/** Reads context files, skills and prompt templates. */

export { readContextFiles } from "./context-files.ts";
export { parseFrontMatter } from "./front-matter.ts";
export { parseImage } from "./parse-image.ts";
export { listTrustedMarkdown, readMarkdownFolder, type Templates } from "./templates.ts";
