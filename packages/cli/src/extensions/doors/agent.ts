/** Re-exports all of `@pith/agent`, for extensions only. */

export * from "@pith/agent";
