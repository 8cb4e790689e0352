/** What an extension may import of Pith: the doors of its packages, as they are in the program that runs. */

/** Each through a file of its own: imported directly, all of a door would stand in what every run loads. Written out, so that a build finds them. */
const doors: Readonly<Record<string, () => Promise<object>>> = {
  "@pith/context": () => import("./doors/context.ts"),
  "@pith/context/node": () => import("./doors/context-node.ts"),
  "@pith/context/secrets": () => import("./doors/context-secrets.ts"),
  "@pith/agent": () => import("./doors/agent.ts"),
  "@pith/agent/node": () => import("./doors/agent-node.ts"),
  "@pith/models": () => import("./doors/models.ts"),
  "@pith/models/convert": () => import("./doors/models-convert.ts"),
  "@pith/models/overflow": () => import("./doors/models-overflow.ts"),
};

export const doorNames: readonly string[] = Object.keys(doors);

/** Loaded, by name: a module that an extension imports cannot wait for them. */
export async function openDoors(): Promise<ReadonlyMap<string, object>> {
  return new Map(await Promise.all(Object.entries(doors).map(async ([name, open]) => [name, await open()] as const)));
}

/** The text of a module that hands on what a door has; `at` is where the doors are found. */
export function doorSource(name: string, door: object, at: string): string {
  const names = Object.keys(door).filter((each) => each !== "default");
  const held = `const door = globalThis[Symbol.for(${JSON.stringify(at)})].get(${JSON.stringify(name)});`;
  return [held, ...names.map((each) => `export const ${each} = door.${each};`)].join("\n");
}
