import { splitSignInToken } from './sign-in-link.ts'

/** Stores the API key of this tab. It is lost when the tab is closed, and is never part of a URL. */

const storageName = 'rate-search-key'

export const readKey = () => sessionStorage.getItem(storageName) ?? undefined

export function keepKey(key: string | undefined): void {
  if (key === undefined) sessionStorage.removeItem(storageName)
  else sessionStorage.setItem(storageName, key)
}

/**
 * Takes the one-time token of a link of `npm start` out of the address, so that neither a reload nor a copied link has
 * it.
 */
export function takeSignInToken(): string | undefined {
  const { fragment, token } = splitSignInToken(location.hash)
  if (token !== undefined) history.replaceState(history.state, '', fragment)
  return token
}

/** Loads the page again when such a link is opened in a tab that has the page already. */
export function reloadOnSignInLink(): void {
  addEventListener('hashchange', () => {
    if (splitSignInToken(location.hash).token !== undefined) location.reload()
  })
}

/**
 * Exchanges a one-time token for a key. Only the local service has this call. The page takes a key from nothing else
 * than the service that serves it: a key in a link could be somebody else's, who would then see what is searched.
 *
 * @returns undefined if the token was used before, or is of another start of the service
 */
export async function redeemToken(token: string): Promise<string | undefined> {
  const url = new URL('local/sign-in', document.baseURI)
  const response = await fetch(url, { method: 'POST', body: token, cache: 'no-store' }).catch(() => undefined)
  return response?.ok ? await response.text() : undefined
}
