/** The tables that the documentation is written from. */

export { policyTable } from "./policy/parse-policy.ts";
export { settingTable } from "./settings/table.ts";
