/** A type in one line, where it has no sentence of its own: the names of its fields, or of what it is one of. */

import type { Declaration } from "./declaration.ts";

export function shape({ signature }: Declaration): string {
  if (signature.startsWith("interface")) return `{ ${fields(signature).join(", ")} }`;
  const right = signature.slice(signature.indexOf("=") + 1).replace(/\/\*\*.*?\*\//gs, "");
  if (!right.includes("\n")) return right.replaceAll("readonly ", "").trim();
  const members = right.split(/^ {2}\| /m).map((member) => member.trim());
  return [...new Set(members.filter((member) => member !== "").map(oneOf))].join(" | ");
}

function fields(signature: string): readonly string[] {
  return [...signature.matchAll(/^ {2}(?:readonly )?([\w$]+\??)[:(<]/gm)].map(([, name = ""]) => name);
}

// Outcomes and events are told apart by their type; that is what one asks first.
function oneOf(member: string): string {
  if (!member.startsWith("{")) return member;
  return /\btype: ("[^;]+");/.exec(member)?.[1] ?? /\btype: ("[^;]+") \}/.exec(member)?.[1] ?? "{ … }";
}
