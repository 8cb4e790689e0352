/** Sets up the editor: keymap, history, queued messages and completion. Loaded lazily: the first frame does not need it. */

import { nodeSearch } from "@pith/agent/node";
import { displayText } from "@pith/context/host";
import { listSessions } from "@pith/context/node";
import { listModelsWithKey, type ModelsWithKeyOptions } from "@pith/host/models/available-models";
import type { CommandContext } from "../../../commands/command.ts";
import { commands } from "../../../commands/commands.ts";
import { readKeymap } from "../../../settings/keymap.ts";
import { setKeyMatcher } from "../key-actions.ts";
import type { InteractiveContext, SessionScreen } from "../screen-context.ts";
import { formatQueuedMessages } from "../state/reduce.ts";
import { KeyMatcher } from "../terminal/key-input.ts";
import {
  type AutocompleteProvider,
  KeybindingsManager,
  type KeyId,
  setKeybindings,
  TUI_KEYBINDINGS,
} from "../terminal/pi-tui.ts";
import {
  type Candidate,
  createCompletionProvider,
  FileList,
  listArgumentCandidates,
  listMatchingNames,
  parseOutsideFolder,
} from "./completion.ts";
import type { MessageEditor } from "./editor.ts";
import { readHistory } from "./editor.ts";

export async function setUpEditor(context: InteractiveContext): Promise<void> {
  const { app, screen } = context;
  const { editor } = screen;
  showQueue(context);
  if (!editor) return;
  editor.onImagePath = async (path) => (await import("./attachments.ts")).attachImageFile(path, context);
  await applyKeymap(context);
  // A history that cannot be read is treated as empty.
  if (!editorsWithHistory.has(editor))
    for (const prompt of await readHistory(app).catch(() => [])) editor.addToHistory(prompt);
  editorsWithHistory.add(editor);
  editor.setAutocompleteProvider(createEditorCompletion(context));
}

/** The history belongs to the folder, so an editor loads it once for all sessions. */
const editorsWithHistory = new WeakSet<MessageEditor>();

/** Shows the messages that were still queued when this session was last open. */
function showQueue({ app, screen }: SessionScreen): void {
  const { queue } = app.agent;
  if (queue.length === 0) return;
  const queuedTexts = (kind: string): readonly string[] =>
    formatQueuedMessages(queue.filter((message) => message.kind === kind).map(({ content }) => displayText(content)));
  screen.update((state) => ({
    ...state,
    queue: { steering: queuedTexts("steer"), followUp: queuedTexts("followUp") },
  }));
}

async function applyKeymap({ app, screen }: SessionScreen<"home">): Promise<void> {
  const { keymap, customIds, warnings } = await readKeymap(app.home);
  for (const warning of warnings) screen.showNote(warning, "warning");
  setKeyMatcher(new KeyMatcher(keymap), screen);
  screen.update((state) => ({ ...state, keymap }));
  const changedIds = Object.keys(TUI_KEYBINDINGS).filter(
    (id) => customIds.includes(id) || hasFewerKeys(id, keymap[id]),
  );
  const bindings = changedIds.map((id) => [id, [...(keymap[id] ?? [])] as KeyId[]]);
  // The terminal copies text itself. If copy keys were bound, the editor would not use them to close a completion.
  setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS, { ...Object.fromEntries(bindings), "tui.input.copy": [] }));
}

/** True if another action has taken one of the default keys. */
function hasFewerKeys(id: string, keys: readonly string[] | undefined): boolean {
  const defaultKeys = TUI_KEYBINDINGS[id as keyof typeof TUI_KEYBINDINGS].defaultKeys;
  return keys !== undefined && keys.length < [defaultKeys].flat().length;
}

function createEditorCompletion({ app }: InteractiveContext): AutocompleteProvider {
  const root = app.cwd;
  const fileList = new FileList(async () => nodeSearch({ root, ...(await findRipgrep()) }));
  return createCompletionProvider({
    listCommands: async () => [
      ...builtInCommands,
      ...(app.extensions?.commands ?? []).map(({ name, description }) => toCandidate({ name, description })),
      ...((await app.templates?.list()) ?? []).map(toCandidate),
    ],
    listArguments: (name) => listArgumentCandidates(name, { context: app, listModels: () => listModelNames(app) }),
    findPaths: async (query, signal) => {
      if (query.startsWith(SESSION_PREFIX)) return await listSessionCandidates(query, app);
      const folder = parseOutsideFolder(query);
      const search = nodeSearch({ root });
      // The search is aborted when the user types on. A folder that cannot be read completes nothing.
      const listNames = (path: string) => listMatchingNames(path, query, { search, signal }).catch(() => []);
      if (folder !== null) return (await listNames(folder)).map(toPathCandidate);
      const paths = await fileList.find(query, signal).catch(() => []);
      // Ignored files are listed if their folder is named.
      return (paths.length === 0 && query.endsWith("/") ? await listNames(query) : paths).map(toPathCandidate);
    },
  });
}

const SESSION_PREFIX = "session:";
const SHORT_ID_CHARS = 8;

/** The sessions whose id, name or first message contains the text, newest first. Those of other folders can be named, too. */
async function listSessionCandidates(
  query: string,
  { home, sessionPath }: Pick<CommandContext, "home" | "sessionPath">,
): Promise<readonly Candidate[]> {
  const text = query.slice(SESSION_PREFIX.length).toLowerCase();
  const sessions = await listSessions({ env: { PITH_HOME: home } });
  return sessions
    .filter(({ path, firstMessage }) => path !== sessionPath && firstMessage !== "")
    .map(({ id, name, firstMessage }) => ({
      value: `${SESSION_PREFIX}${id.slice(0, SHORT_ID_CHARS)}`,
      description: name ?? firstMessage,
    }))
    .filter(({ value, description }) => `${value} ${description}`.toLowerCase().includes(text))
    .slice(0, MAX_SESSION_CANDIDATES);
}

const MAX_SESSION_CANDIDATES = 20;

function toPathCandidate(value: string): Candidate {
  return { value };
}

const builtInCommands: readonly Candidate[] = commands.map(toCandidate);

function toCandidate({ name, description }: { readonly name: string; readonly description: string }): Candidate {
  return { value: `/${name}`, description };
}

async function listModelNames(options: ModelsWithKeyOptions): Promise<readonly string[]> {
  return (await listModelsWithKey(options)).map(({ name }) => name);
}

/** Ripgrep is an optional dependency, so its package may be missing. */
async function findRipgrep(): Promise<{ readonly ripgrep?: string }> {
  const ripgrepPackage = await import("@vscode/ripgrep").catch(() => null);
  return ripgrepPackage ? { ripgrep: ripgrepPackage.rgPath } : {};
}
