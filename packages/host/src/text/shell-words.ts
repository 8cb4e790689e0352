/** Quotes words for a shell, and expands the tilde in words that no shell has expanded. */

import { join } from "node:path";

/** Quotes the text as one word of a shell. Text without special characters stays as it is, because people read it. */
export function quoteIfNeeded(text: string): string {
  return /^[\w./@%+,:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Expands `~` at the start of a path, e.g. from the settings, in a command or after an equals sign. */
export function expandTilde(path: string, userHome: string): string {
  return path === "~" || path.startsWith("~/") ? join(userHome, path.slice(1)) : path;
}
