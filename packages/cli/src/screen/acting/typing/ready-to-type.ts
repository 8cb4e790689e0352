/** What typing needs and a first picture does not: the keymap, what was said here before, and what can be completed. */

import { KeybindingsManager, type KeyId, setKeybindings, TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { saidWords } from "../../../prompting/said-words.ts";
import { Presses } from "../../keys/presses.ts";
import { readKeymap } from "../../keys/read-keymap.ts";
import { queuedWords } from "../../state/queued-words.ts";
import { type HistoryPlace, readHistory } from "../../typing/history-file.ts";
import type { WritingEditor } from "../../typing/writing-editor.ts";
import { pressWith } from "../pressed.ts";
import type { Talking } from "../talking.ts";

export async function readyToType(talking: Talking): Promise<void> {
  const { ready, screen } = talking;
  const { editor } = screen;
  showQueue(talking);
  if (!editor) return;
  editor.onPicture = async (path) => (await import("./paste-picture.ts")).pictureAt(path, talking);
  await keysHere(talking);
  if (!filled.has(editor)) for (const words of await historyOf(ready.place)) editor.addToHistory(words);
  filled.add(editor);
  const { completionAt } = await import("./completion-at.ts");
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
    queuedWords(queue.filter((each) => each.kind === kind).map(({ content }) => saidWords(content)));
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
