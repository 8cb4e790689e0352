/** The agents there are: the user's own, and those of the project where it is trusted. Of two with one name the user's own counts: no project can stand in for it. */

import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { type TrustedFolder, trustedFiles } from "../../home/trust/trusted-folder.ts";
import { bytesAt } from "../../prompting/skills/user-skills.ts";
import { type AgentFile, type AgentPart, agentIn } from "./agent-in.ts";

export interface AgentPlaces {
  /** Pith's home. */
  readonly home: string;
  /** Absent: nothing of the project counts. */
  readonly trusted?: TrustedFolder;
}

export interface FoundAgents {
  /** By name. */
  readonly agents: readonly AgentPart[];
  /** For people. */
  readonly notes: readonly string[];
}

export async function findAgents({ home, trusted }: AgentPlaces): Promise<FoundAgents> {
  const own = await ofUser(join(home, "agents"));
  const read = [...own.files, ...ofProject(trusted)].map(agentIn);
  const notes = [...own.notes, ...read.flatMap((each) => each.notes)];
  const byName = new Map<string, AgentPart>();
  for (const { agent } of read) {
    if (!agent) continue;
    const first = byName.get(agent.name);
    if (first) notes.push(`there are two agents ${agent.name}: ${first.path} counts, ${agent.path} does not`);
    else byName.set(agent.name, agent);
  }
  if (byName.size > MOST) notes.push(`there are more than ${MOST} agents; the others are left out`);
  const agents = [...byName.values()].slice(0, MOST).sort((one, other) => (one.name < other.name ? -1 : 1));
  return { agents, notes };
}

const MOST = 50;

interface AgentFiles {
  readonly files: readonly AgentFile[];
  readonly notes: readonly string[];
}

async function ofUser(folder: string): Promise<AgentFiles> {
  // Where it cannot be looked into, there is nothing.
  const names = (await readdir(folder).catch(() => [])).filter(isAgent).sort();
  const files: AgentFile[] = [];
  const notes: string[] = [];
  for (const path of names.slice(0, 2 * MOST).map((name) => join(folder, name))) {
    const read = await bytesAt(path);
    if (typeof read === "string") notes.push(read);
    else if (read) files.push({ path, bytes: read });
  }
  return { files, notes };
}

function ofProject(trusted: TrustedFolder | undefined): readonly AgentFile[] {
  if (!trusted) return [];
  return trustedFiles(trusted, "agents").filter(({ path, folder }) => {
    const [, , name = "", ...deeper] = relative(folder, path).split(sep);
    return deeper.length === 0 && isAgent(name);
  });
}

function isAgent(name: string): boolean {
  return name.endsWith(".md") && !name.startsWith(".");
}
