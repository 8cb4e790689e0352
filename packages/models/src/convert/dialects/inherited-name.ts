/** Names of tools such as `constructor`: provider packages look names up in a plain object, and find there what nobody has put in. */

/** The name that a model called, whatever became of it on the way. */
export function calledName(toolName: unknown): string {
  if (typeof toolName === "string") return toolName;
  return Object.getOwnPropertyNames(Object.prototype).find((name) => nothing[name] === toolName) ?? "unnamed";
}

const nothing: Readonly<Record<string, unknown>> = {};

/** A spelling that is found nowhere, the same for a call and its result. */
export function sentName(name: string): string {
  return name in nothing ? `${name}_` : name;
}
