/** Reads and applies an organization's policy. */

export * from "./apply-policy.ts";
export * from "./policy.ts";
export * from "./policy-file.ts";
