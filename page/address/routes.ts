import { useEffect, useState } from 'preact/hooks'
import { writtenJobId } from '../../contract/limits.ts'

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
  if (fragment === listLink) return { name: 'list' }
  const [, jobId = ''] = /^#\/searches\/([^?]*)/.exec(fragment) ?? []
  if (writtenJobId.test(jobId)) return { name: 'search', jobId }
  return { name: /^(#\/?)?$|^#\/\?/.test(fragment) ? 'new' : 'unknown' }
}

/** A fragment that the browser would not write into its address, as long as the address stays as it was. */
let unwritten: { readonly address: string; readonly fragment: string } | undefined

/** Returns the fragment of the address, from `#`. */
export const readFragment = (): string => (unwritten?.address === location.hash ? unwritten.fragment : location.hash)

/**
 * Changes the fragment without a new entry of the history, so that going back leaves the view.
 *
 * Browsers refuse it if the address becomes too long or is changed too often. The view then follows the fragment all
 * the same; only a reload does not bring it back.
 */
export function replaceFragment(fragment: string): void {
  unwritten = undefined
  try {
    history.replaceState(history.state, '', fragment || location.pathname + location.search)
  } catch {
    unwritten = { address: location.hash, fragment }
  }
}

/** The fragment of the address, kept current. */
export function useFragment(): string {
  const [fragment, setFragment] = useState(readFragment())
  useEffect(() => {
    const update = () => setFragment(readFragment())
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  return fragment
}
