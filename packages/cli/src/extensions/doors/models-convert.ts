/** Re-exports all of `@pith/models/convert`, for extensions only. */

export * from "@pith/models/convert";
