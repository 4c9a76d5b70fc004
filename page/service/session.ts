import { replaceFragment } from '../address/routes.ts'
import { splitSignInToken } from '../address/sign-in-link.ts'

const storageName = 'rate-search-key'

/**
 * The storage of this tab, which is lost when the tab is closed; undefined in a browser that blocks site data, or has
 * no room for it.
 */
const storage = openStorage()

function openStorage(): Storage | undefined {
  try {
    sessionStorage.setItem(`${storageName}-try`, '')
    sessionStorage.removeItem(`${storageName}-try`)
    return sessionStorage
  } catch {
    return undefined
  }
}

/** True if the key outlives a reload of the page. */
export const hasStorage = storage !== undefined

/** Reads the API key of this tab, which is never part of a URL. */
export const readKey = () => storage?.getItem(storageName) ?? undefined

export function keepKey(key: string | undefined): void {
  if (key === undefined) storage?.removeItem(storageName)
  else storage?.setItem(storageName, key)
}

/**
 * Takes the one-time token of a link of `npm start` out of the address, so that neither a reload nor a copied link has
 * it.
 */
export function takeSignInToken(): string | undefined {
  const { fragment, token } = splitSignInToken(location.hash)
  if (token !== undefined) replaceFragment(fragment)
  return token
}

/** Loads the page again when such a link is opened in a tab that has the page already. @returns ends that */
export function reloadOnSignInLink(): () => void {
  const reload = () => {
    if (splitSignInToken(location.hash).token !== undefined) location.reload()
  }
  addEventListener('hashchange', reload)
  return () => removeEventListener('hashchange', reload)
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
