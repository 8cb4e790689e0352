/** What can be completed in a talk: its commands, templates and skills, what belongs behind them, and paths. */

import type { AutocompleteProvider } from "@earendil-works/pi-tui";
import { nodeSearch } from "@pith/agent/node";
import { commands } from "../../../commands/commands.ts";
import type { KeyPlaces } from "../../../home/keys.ts";
import { argumentWords } from "../../typing/completing/argument-words.ts";
import { type Candidate, completion } from "../../typing/completing/completion.ts";
import { FileList } from "../../typing/completing/file-list.ts";
import { namesIn, outsideFolder } from "../../typing/completing/near-paths.ts";
import type { Talking } from "../talking.ts";

export function completionAt({ ready, desk }: Talking): AutocompleteProvider {
  const root = ready.place.cwd;
  const list = new FileList(async () => nodeSearch({ root, ...(await ripgrep()) }));
  return completion({
    commands: async () => [...own, ...theirs(desk), ...((await desk.templates?.list()) ?? []).map(candidate)],
    argumentsOf: (name) => argumentWords(name, { desk, models: () => modelNames(ready.place) }),
    paths: async (wanted, signal) => {
      const folder = outsideFolder(wanted);
      const search = nodeSearch({ root });
      const found = folder === null ? list.find(wanted, signal) : namesIn(folder, wanted, { search, signal });
      // Whoever types on has broken it off; a folder that cannot be read completes nothing.
      return (await found.catch(() => [])).map((value) => ({ value }));
    },
  });
}

function theirs({ extensions }: Talking["desk"]): readonly Candidate[] {
  return (extensions?.commands ?? []).map(({ name, description }) => candidate({ name, says: description }));
}

const own: readonly Candidate[] = commands.map(candidate);

function candidate({ name, says }: { readonly name: string; readonly says: string }): Candidate {
  return { value: `/${name}`, says };
}

async function modelNames(places: KeyPlaces): Promise<readonly string[]> {
  const { modelsWithKey } = await import("../choosing/models-here.ts");
  return (await modelsWithKey(places)).map(({ name }) => name);
}

/** Comes with the program where its package could be installed. */
async function ripgrep(): Promise<{ readonly ripgrep?: string }> {
  const found = await import("@vscode/ripgrep").catch(() => null);
  return found ? { ripgrep: found.rgPath } : {};
}
