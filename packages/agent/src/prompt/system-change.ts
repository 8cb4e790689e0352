/** What has to be said so that the system state becomes another: the whole where there was none, else only what differs. */

import type { SystemMessage, Tool } from "@pith/context";

/** Null where it says the same already. */
export function systemChange(before: SystemMessage | null, wanted: SystemMessage): SystemMessage | null {
  if (!before) return wanted;
  const sections = changedSections(before.sections ?? {}, wanted.sections ?? {});
  const { added, removed } = changedTools(before.toolsAdded ?? [], wanted.toolsAdded ?? []);
  if (Object.keys(sections).length === 0 && added.length === 0 && removed.length === 0) return null;
  return {
    role: "system",
    content: "",
    ...(Object.keys(sections).length > 0 && { sections }),
    ...(added.length > 0 && { toolsAdded: added }),
    ...(removed.length > 0 && { toolsRemoved: removed }),
    timestamp: wanted.timestamp,
  };
}

type Sections = NonNullable<SystemMessage["sections"]>;

function changedSections(before: Sections, wanted: Sections): Sections {
  const changed = Object.entries(wanted).filter(([name, text]) => before[name] !== text);
  const gone = Object.keys(before).filter((name) => wanted[name] === undefined);
  return Object.fromEntries([...changed, ...gone.map((name): [string, null] => [name, null])]);
}

function changedTools(before: readonly Tool[], wanted: readonly Tool[]) {
  const told = new Map(before.map((tool) => [tool.name, JSON.stringify(tool)]));
  const offered = new Set(wanted.map(({ name }) => name));
  return {
    added: wanted.filter((tool) => told.get(tool.name) !== JSON.stringify(tool)),
    removed: before.filter(({ name }) => !offered.has(name)).map(({ name }) => ({ name })),
  };
}
