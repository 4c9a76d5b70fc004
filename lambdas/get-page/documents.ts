import { createHash } from 'node:crypto'
import type { PagePath } from '../../contract/pages.ts'
import { pagePaths } from '../../contract/pages.ts'

/** What the page is made of, and what it may reach. */
export interface PageFacts {
  /** The files by path. In them `{url}` is the public base URL, and `{base}` its path, with a slash at its end. */
  readonly files: Readonly<Record<PagePath, string>>
  readonly publicBaseUrl: string
  /** Where the page may read results from. */
  readonly storageOrigin: string
}

const contentTypes: Readonly<Record<PagePath, string>> = {
  '/': 'text/html; charset=utf-8',
  '/app.js': 'text/javascript; charset=utf-8',
  '/app.css': 'text/css; charset=utf-8',
  '/docs': 'text/html; charset=utf-8',
  '/docs.css': 'text/css; charset=utf-8',
  '/openapi.json': 'application/json; charset=utf-8',
  '/notices.txt': 'text/plain; charset=utf-8',
}

/** The documents as they are sent, each with an ETag of its content. */
export function describeDocuments({ files, publicBaseUrl }: PageFacts) {
  const base = new URL(`${publicBaseUrl}/`).pathname
  return pagePaths.map((path) => {
    const body = files[path].replaceAll('{base}', base).replaceAll('{url}', publicBaseUrl)
    const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`
    return { path, contentType: contentTypes[path], body, etag }
  })
}

/** Nothing runs or loads from elsewhere; only results are read, from the storage. */
export function describeSecurity({ storageOrigin }: PageFacts): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' ${storageOrigin}`,
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
}
