/**
 * The documents and assets that a browser gets below the public base URL: by GET, without a key, from the one function
 * `get-page`. They are no calls of the API.
 */
export const pagePaths = ['/', '/app.js', '/app.css', '/docs', '/docs.css', '/openapi.json', '/notices.txt'] as const

export type PagePath = (typeof pagePaths)[number]
