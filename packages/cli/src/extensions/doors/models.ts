/** Re-exports all of `@pith/models`, for extensions only. */

export * from "@pith/models";
