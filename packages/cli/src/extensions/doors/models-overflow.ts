/** Re-exports all of `@pith/models/overflow`, for extensions only. */

export * from "@pith/models/overflow";
