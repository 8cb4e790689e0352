/** What a first start says: who Pith is, which keys there are, and what to do where nobody can speak. */

export const WELCOME: string = [
  "Pith: a coding agent whose long sessions keep their memory.",
  "Enter sends · / commands · @ files · Esc stops · Ctrl+C twice quits",
].join("\n");

export const HINT: string = "Say what you want done in this folder; /help shows more, /model who speaks.";

export const LEFT: string =
  "Nobody can speak yet. Say anything and you are asked again; or set a key such as ANTHROPIC_API_KEY, or start a server such as Ollama, and run pith again.";

export function speaksNow(model: string, from: string): string {
  return `${model} speaks, ${from}.`;
}

export function refusedKey(name: string, status: number): string {
  return `${name} refused this key (${status}). Was all of it copied?`;
}

export function uncheckedKey(name: string, why: string): string {
  return `${name} could not be asked whether it takes this key: ${why}. It is kept; your first message will show.`;
}
