import { useEffect, useState } from 'preact/hooks'

/** The views, by URL fragment. Everything after `#` stays in the browser. */
export type View =
  | { readonly name: 'new' }
  /** A link that names no view. */
  | { readonly name: 'unknown' }
  | { readonly name: 'list' }
  | { readonly name: 'search'; readonly jobId: string }

export const newSearchLink = '#/'
export const listLink = '#/searches'

export const searchLink = (jobId: string) => `#/searches/${jobId}`

/** Links to a search that leads to another one of the same request: rows and their summary. */
export const besideLink = (jobId: string, beside: string) => `${searchLink(jobId)}?beside=${beside}`

export function readView(fragment: string): View {
  const [, jobId] = /^#\/searches\/([0-9a-f-]{36})(?:\?.*)?$/.exec(fragment) ?? []
  if (fragment === listLink) return { name: 'list' }
  if (jobId !== undefined) return { name: 'search', jobId }
  return { name: /^(#\/?)?$|^#\/\?/.test(fragment) ? 'new' : 'unknown' }
}

/** The fragment of the address, kept current. */
export function useFragment(): string {
  const [fragment, setFragment] = useState(location.hash)
  useEffect(() => {
    const update = () => setFragment(location.hash)
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  return fragment
}
