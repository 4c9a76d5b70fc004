/**
 * Documents and assets for browsers, below the public base URL. They need no key, are served by the function
 * `get-page`, and are not calls of the API.
 */
export const pagePaths = [
  ...['/', '/app.js', '/new-search.js', '/search-view.js', '/search-parts.js'],
  ...['/chunk.js', '/result-chunk.js', '/app.css'],
  ...['/docs', '/docs.css', '/openapi.json', '/notices.txt'],
] as const

export type PagePath = (typeof pagePaths)[number]
