import { createHash } from 'node:crypto'
import { protectiveHeaders } from '../../contract/headers.ts'
import { type PagePath, pagePaths } from '../../contract/pages.ts'

/** The files of the page, and the origins that it may reach. */
export interface PageFacts {
  /** Reads a built file. In it `{url}` is the public base URL, and `{base}` its path, with a slash at its end. */
  readonly read: (file: string) => string
  readonly publicBaseUrl: string
  /** Origin of the storage, the only one besides its own that the page may read from. */
  readonly storageOrigin: string
}

const javascript = 'text/javascript; charset=utf-8'

const files: Readonly<Record<PagePath, { readonly file: string; readonly contentType: string }>> = {
  '/': { file: 'index.html', contentType: 'text/html; charset=utf-8' },
  '/app.js': { file: 'app.js', contentType: javascript },
  '/new-search.js': { file: 'new-search.js', contentType: javascript },
  '/search-view.js': { file: 'search-view.js', contentType: javascript },
  '/search-parts.js': { file: 'search-parts.js', contentType: javascript },
  '/chunk.js': { file: 'chunk.js', contentType: javascript },
  '/result-chunk.js': { file: 'result-chunk.js', contentType: javascript },
  '/app.css': { file: 'app.css', contentType: 'text/css; charset=utf-8' },
  '/docs': { file: 'docs.html', contentType: 'text/html; charset=utf-8' },
  '/docs.css': { file: 'docs.css', contentType: 'text/css; charset=utf-8' },
  '/openapi.json': { file: 'openapi.json', contentType: 'application/json; charset=utf-8' },
  '/notices.txt': { file: 'THIRD-PARTY-NOTICES.txt', contentType: 'text/plain; charset=utf-8' },
}

/** The documents as they are sent, each with an ETag of its content. */
export function describeDocuments({ read, publicBaseUrl }: PageFacts) {
  const base = new URL(`${publicBaseUrl}/`).pathname
  return pagePaths.map((path) => {
    const { file, contentType } = files[path]
    const body = read(file).replaceAll('{base}', base).replaceAll('{url}', publicBaseUrl)
    const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`
    return { path, contentType, body, etag }
  })
}

/** Nothing runs or loads from elsewhere; only results are read, from the storage. */
export function describeSecurity({ storageOrigin }: PageFacts): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The page draws its plot as a picture, from an SVG that it holds itself.
    'img-src blob:',
    `connect-src 'self' ${storageOrigin}`,
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'no-referrer',
    ...protectiveHeaders,
  }
}
