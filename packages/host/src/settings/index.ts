/** Defines the settings, and finds keys and secrets. */

export type { Setting } from "./definitions.ts";
export {
  buildSettings,
  findSetting,
  formatSettingName,
  formatValue,
  listFields,
  type SettingField,
  validateSetting,
} from "./fields.ts";
export { listOutsideSessionPaths, PRIVATE_NAMES } from "./home-files.ts";
export { type ParseSettingsResult, parseSettings, parseVariables } from "./parse.ts";
export {
  findKey,
  findKeyVariable,
  isKey,
  type KeyRedaction,
  type KeySources,
  keyFilePath,
  type ProviderKeys,
  readKeyFile,
  savedKeyName,
  unsetKeyVariables,
} from "./provider-keys.ts";
export { buildVault, createVault, REDACTION_OFF_NOTICE } from "./secrets.ts";
export {
  type CompactionSettings,
  createLimitsForModel,
  type DisabledServer,
  type McpServer,
  type McpServers,
  type ResolvedSettings,
  type Settings,
  type SettingsOverrides,
} from "./settings.ts";
export { settingTable } from "./table.ts";
