/** Implements `/resume`, `/new` and `/reload`, and asks in which folder to resume a session of another folder. */

import { homedir } from "node:os";
import { refusalNotes } from "@pith/context";
import { listSessions, rebindSession, type SessionItem } from "@pith/context/node";
import type { HostContext } from "@pith/host/host-context";
import { formatAge } from "@pith/host/text/format";
import { truncate } from "@pith/host/text/safe-text";
import type { SessionTarget } from "../../../../args/args.ts";
import { checkExtensionVeto } from "../../../../commands/command.ts";
import { resumeCommand } from "../../../../commands/sessions.ts";
import { reloadCommand } from "../../../../commands/settings.ts";
import { describeOpenFailure, isFolder } from "../../../../sessions/find-session.ts";
import { resolveSettings } from "../../../../settings/resolve.ts";
import type { InteractiveContext, ScreenApi } from "../../screen-context.ts";
import { createNextArgs, showResult } from "../../send.ts";
import { createChoicePanel, type Option } from "../choice.ts";
import { createDiskSource, type SessionPickerOptions } from "./disk-source.ts";
import { describeSession, formatFolder, NO_SESSIONS_HERE } from "./draw.ts";
import { createSessionsPanel } from "./panel.ts";

export interface FolderOptions extends Pick<HostContext, "cwd" | "home"> {
  readonly screen: ScreenApi;
}

export type FolderChoice =
  /** The path may differ from the old one, if the session was moved. */
  | { readonly type: "chosen"; readonly path: string }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly why: string };

/** A session can be resumed here even if its folder no longer exists. */
async function chooseFolder(item: SessionItem, { screen, cwd, home }: FolderOptions): Promise<FolderChoice> {
  if (item.cwd === "" || item.cwd === cwd) return { type: "chosen", path: item.path };
  const exists = await isFolder(item.cwd);
  const folder = formatFolder(item.cwd, homedir());
  const title = exists ? `This session belongs to ${folder}.` : `This session's folder no longer exists: ${folder}`;
  const options = [...(exists ? [workThere] : []), workHere, moveHere];
  switch (await screen.showPanel(createChoicePanel({ title, options }), { where: "inline", question: "follow-up" })) {
    case "there":
      return enterFolder(item);
    case "here":
      return { type: "chosen", path: item.path };
    case "move":
      return await moveSessionHere(item, { cwd, home });
    default:
      return { type: "cancelled" };
  }
}

type FolderAnswer = "there" | "here" | "move";

const workThere: Option<FolderAnswer> = {
  key: "t",
  label: "Work there",
  description: "in its own folder",
  value: "there",
};
const workHere: Option<FolderAnswer> = { key: "h", label: "Work here", description: "this time only", value: "here" };
const moveHere: Option<FolderAnswer> = {
  key: "b",
  label: "Bring it here",
  description: "the session belongs to this folder from now on",
  value: "move",
};

function enterFolder({ cwd, path }: SessionItem): FolderChoice {
  try {
    process.chdir(cwd);
    return { type: "chosen", path };
  } catch {
    // `stat` can succeed without the permission to enter, or the folder was removed since.
    return {
      type: "failed",
      why: `Cannot enter ${formatFolder(cwd, homedir())}. Work here, or bring the session here.`,
    };
  }
}

async function moveSessionHere(
  { path }: SessionItem,
  { cwd, home }: Omit<FolderOptions, "screen">,
): Promise<FolderChoice> {
  const outcome = await rebindSession(path, cwd, { env: { PITH_HOME: home } });
  if (outcome.type === "rebound") return { type: "chosen", path: outcome.path };
  const reason =
    outcome.type === "refused"
      ? refusalNotes[outcome.why]
      : outcome.type === "leaf-moved"
        ? "another process is writing to this session; stop it first"
        : describeOpenFailure(outcome);
  return { type: "failed", why: `Cannot bring the session here: ${reason}` };
}

/** Null if the user stays in the current session. If the user cancels the folder question, the page opens again. */
export async function pickSession(
  screen: ScreenApi,
  options: SessionPickerOptions,
  initialNotice: string | null = null,
): Promise<SessionTarget | null> {
  for (let notice = initialNotice; ; ) {
    const item = screen.hasPages
      ? await screen.showPanel(createSessionsPanel(createDiskSource(options), notice), { where: "page" })
      : await pickByNumber(screen, options);
    if (!item || item.path === options.currentPath) return null;
    const folderChoice = await chooseFolder(item, { screen, ...options });
    if (folderChoice.type === "chosen") return { type: "named", name: folderChoice.path };
    notice = folderChoice.type === "failed" ? folderChoice.why : null;
    // The page may have no room for the whole text, or there is no page.
    if (notice !== null) screen.showNote(notice, "bad");
  }
}

/** For screens without pages: asks for the number of one of the newest sessions. */
async function pickByNumber(screen: ScreenApi, { cwd, home }: SessionPickerOptions): Promise<SessionItem | null> {
  const sessions = await listSessions({ cwd, env: { PITH_HOME: home } });
  const newest = sessions.filter(({ firstMessage }) => firstMessage !== "").slice(0, MAX_LISTED_SESSIONS);
  const options = newest.map((item) => ({
    label: truncate(describeSession(item, undefined), LABEL_WIDTH),
    description: formatAge(Date.now() - item.modified),
    value: item,
  }));
  if (options.length > 0)
    return await screen.showPanel(createChoicePanel({ title: "Choose a session", options }), { where: "inline" });
  screen.showNote(NO_SESSIONS_HERE);
  return null;
}

const MAX_LISTED_SESSIONS = 9;
const LABEL_WIDTH = 60;

export async function runResume(args: string, context: InteractiveContext): Promise<boolean> {
  if (args !== "") return await resumeNamed(args, context);
  const { app, screen, leave } = context;
  const session = await pickSession(screen, { cwd: app.cwd, home: app.home, currentPath: app.sessionPath });
  if (!session) return true;
  const target = session.type === "named" ? { targetSessionFile: session.name } : {};
  const veto = await checkExtensionVeto({ type: "session_before_switch", reason: "resume", ...target }, app);
  if (veto) await showResult(veto, context);
  else leave({ ...createNextArgs(app.args), session });
  return true;
}

async function resumeNamed(args: string, context: InteractiveContext): Promise<boolean> {
  const { app, screen, leave } = context;
  const result = await resumeCommand.run(args, app);
  const sessions = result.type === "opened" ? await listSessions({ env: { PITH_HOME: app.home } }) : [];
  const item = sessions.find(({ path }) => result.type === "opened" && path === result.path);
  // A session file outside of Pith's home belongs to no folder.
  if (!item) await showResult(result, context);
  else {
    const folderChoice = await chooseFolder(item, { screen, ...app });
    if (folderChoice.type === "failed") screen.showNote(folderChoice.why, "bad");
    if (folderChoice.type === "chosen")
      leave({ ...createNextArgs(app.args), session: { type: "named", name: folderChoice.path } });
  }
  return true;
}

/** Without a message, the new session creates no file. */
export async function runNew(args: string, context: InteractiveContext): Promise<boolean> {
  if (args !== "") return false;
  const { app, leave } = context;
  const veto = await checkExtensionVeto({ type: "session_before_switch", reason: "new" }, app);
  if (veto) await showResult(veto, context);
  else leave({ ...createNextArgs(app.args), session: { type: app.sessionPath === null ? "none" : "new" } }, "new");
  return true;
}

/** If there are extensions, the session is opened again, which loads the extensions again. */
export async function runReload(args: string, context: InteractiveContext): Promise<boolean> {
  const { app, leave } = context;
  const { sessionPath: name, agent } = app;
  if (args !== "" || !app.extensions || name === null || agent.isRunning || agent.isBusy) return false;
  // With invalid settings, the session could not be opened again.
  const settings = await resolveSettings(app.args, app);
  if (settings.type === "mistake") return false;
  await showResult(await reloadCommand.run(args, { ...app, extensions: null }), context);
  const session = agent.session.leaf === null ? ({ type: "new" } as const) : ({ type: "named", name } as const);
  leave({ ...createNextArgs(app.args), session }, "reload");
  return true;
}
