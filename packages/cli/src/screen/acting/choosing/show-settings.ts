/** `/settings` without a name: the page of all settings, where the simple ones are changed in the user's own file. */

import { homedir } from "node:os";
import { settingsFile } from "../../../home/read-settings.ts";
import { saveSetting } from "../../../home/save-setting.ts";
import { settingAt } from "../../../home/settings/field.ts";
import type { ListedSetting } from "../../../home/settings/listed.ts";
import { choice } from "../../panels/choice.ts";
import { type SettingsState, settingsPage, valueTold } from "../../panels/choosing/settings-page.ts";
import type { Talking } from "../talking.ts";

export async function openSettings(words: string, talking: Talking): Promise<boolean> {
  const { screen, desk } = talking;
  if (words !== "" || !desk.settings) return false;
  for (let at: SettingsState | undefined; ; ) {
    const listed = desk.settings().map(atHome);
    const page = settingsPage({ listed, ...(at && { at }) });
    const chosen = await screen.ask(page, { where: "page" });
    if (chosen === null) return true;
    at = chosen.at;
    const values = valuesOf(chosen.setting);
    if (values.length === 0) return tellHow(chosen.setting, talking);
    // What went wrong is told below the page, where nobody would see it.
    if ((await change(chosen.setting, values, talking)) === "in-vain") return true;
  }
}

/** Files of one's own are named as one would write them. */
function atHome(setting: ListedSetting): ListedSetting {
  const { source } = setting;
  return source.startsWith(homedir()) ? { ...setting, source: `~${source.slice(homedir().length)}` } : setting;
}

/** Those that can be chosen from; none where something has to be written. */
function valuesOf({ name }: ListedSetting): readonly unknown[] {
  const schema = settingAt(name.split("."))?.kind.schema ?? {};
  if (schema.type === "boolean") return [true, false];
  return Array.isArray(schema.enum) ? schema.enum : [];
}

/** `in-vain`: something else holds than was chosen, and it was told why. */
async function change(
  setting: ListedSetting,
  values: readonly unknown[],
  talking: Talking,
): Promise<"done" | "in-vain"> {
  const { screen, desk } = talking;
  const options = values.map((value) => ({ label: String(value), value: { value } }));
  const at = Math.max(0, values.indexOf(setting.value));
  const panel = choice({
    title: setting.name,
    body: () => ["", ` ${setting.says.replaceAll("`", "")}`, ` Now: ${valueTold(setting)}`, ""],
    options,
    at,
  });
  const wanted = await screen.ask(panel, { where: "page" });
  if (wanted === null || wanted.value === setting.value) return "done";
  const path = setting.name.split(".");
  const fault = await saveSetting({ path, value: wanted.value, home: desk.home });
  if (fault !== null) screen.tell(fault.message, "bad");
  if (fault !== null) return "in-vain";
  const told = await desk.reload();
  screen.tell([`${setting.name} is ${JSON.stringify(wanted.value)} in ${settingsFile(desk.home)}`, ...told].join("\n"));
  return overruled(setting.name, wanted.value, talking);
}

/** A project, a variable or a flag may say otherwise, and counts more than one's own file. */
function overruled(name: string, wanted: unknown, { screen, desk }: Talking): "done" | "in-vain" {
  const now = desk.settings?.().find((each) => each.name === name);
  if (!now || now.value === wanted) return "done";
  screen.tell(
    `it counts where ${now.source} does not say otherwise; here it says ${JSON.stringify(now.value)}`,
    "warning",
  );
  return "in-vain";
}

/** Whatever is written in words is written in the file. */
function tellHow({ name, says }: ListedSetting, { screen, desk }: Talking): boolean {
  const { kind } = settingAt(name.split(".")) ?? {};
  const how = kind ? `write ${kind.write}` : "write it";
  screen.tell(`${name}: ${says.replaceAll("`", "")}\n${how}, in ${settingsFile(desk.home)}; then /reload`);
  return true;
}
