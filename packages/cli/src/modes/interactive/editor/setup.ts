/** Sets up the editor: keymap, history, queued messages and completion. Loaded lazily: the first frame does not need it. */

import { nodeSearch } from "@pith/agent/node";
import { displayText } from "@pith/context/host";
import { commands } from "../../../commands/commands.ts";
import type { ModelPlaces } from "../../../models/available-models.ts";
import { readKeymap } from "../../../settings/keymap-text.ts";
import { pressWith } from "../keys/actions.ts";
import { Presses } from "../keys/input.ts";
import type { Talking } from "../screen-context.ts";
import { queuedWords } from "../state/reduce.ts";
import {
  type AutocompleteProvider,
  KeybindingsManager,
  type KeyId,
  setKeybindings,
  TUI_KEYBINDINGS,
} from "../terminal/pi-tui.ts";
import { argumentWords, type Candidate, completion } from "./completion.ts";
import type { WritingEditor } from "./editor.ts";
import { FileList, namesIn, outsideFolder } from "./file-completion.ts";
import { type HistoryPlace, readHistory } from "./history.ts";

export async function readyToType(talking: Talking): Promise<void> {
  const { ready, screen } = talking;
  const { editor } = screen;
  showQueue(talking);
  if (!editor) return;
  editor.onPicture = async (path) => (await import("./attachments.ts")).pictureAt(path, talking);
  await keysHere(talking);
  if (!filled.has(editor)) for (const words of await historyOf(ready.place)) editor.addToHistory(words);
  filled.add(editor);
  editor.setAutocompleteProvider(completionAt(talking));
}

/** The same folder has the same history, whichever session is open. */
const filled = new WeakSet<WritingEditor>();

/** Without a history one can type as well. */
function historyOf(place: HistoryPlace): Promise<readonly string[]> {
  return readHistory(place).catch(() => []);
}

/** What was left waiting in the log when this session was last open. */
function showQueue({ ready, screen }: Talking): void {
  const { queue } = ready.built.agent;
  if (queue.length === 0) return;
  const said = (kind: string): readonly string[] =>
    queuedWords(queue.filter((each) => each.kind === kind).map(({ content }) => displayText(content)));
  screen.change((state) => ({ ...state, queue: { steering: said("steer"), followUp: said("followUp") } }));
}

async function keysHere({ ready, screen }: Talking): Promise<void> {
  const { keymap, own, notes } = await readKeymap(ready.place.home);
  for (const note of notes) screen.tell(note, "warning");
  pressWith(new Presses(keymap), screen);
  screen.change((state) => ({ ...state, keymap }));
  const changed = Object.keys(TUI_KEYBINDINGS).filter((id) => own.includes(id) || isLess(id, keymap[id]));
  const bindings = changed.map((id) => [id, [...(keymap[id] ?? [])] as KeyId[]]);
  // Copying is the terminal's; else the editor would hear none of its keys as closing a completion.
  setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, { ...Object.fromEntries(bindings), "tui.input.copy": [] }));
}

/** Something else has one of its keys now. */
function isLess(id: string, keys: readonly string[] | undefined): boolean {
  const usual = TUI_KEYBINDINGS[id as keyof typeof TUI_KEYBINDINGS].defaultKeys;
  return keys !== undefined && keys.length < [usual].flat().length;
}

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

async function modelNames(places: ModelPlaces): Promise<readonly string[]> {
  const { modelsWithKey } = await import("../../../models/available-models.ts");
  return (await modelsWithKey(places)).map(({ name }) => name);
}

/** Comes with the program where its package could be installed. */
async function ripgrep(): Promise<{ readonly ripgrep?: string }> {
  const found = await import("@vscode/ripgrep").catch(() => null);
  return found ? { ripgrep: found.rgPath } : {};
}
