/** What strangers named, such as a path or a tool, in one line: no line end in it can begin a line that looks like ours. */

export function oneLine(text: string): string {
  return text.replace(/[\n\r\t]/g, (sign) => ESCAPES[sign] ?? " ");
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
