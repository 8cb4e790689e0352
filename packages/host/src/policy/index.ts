/** Reads and applies an organization's policy. */

export { type ApplyPolicyResult, applyPolicy } from "./apply-policy.ts";
export { formatRefusal, getModeRefusal, listPermittedModes, type Policy, requiresSandbox } from "./policy.ts";
export { getPolicyLocation, type PolicyLocation, readPolicy } from "./policy-file.ts";
