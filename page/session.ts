/** Stores the API key of this tab. It is lost when the tab is closed, and is never part of a URL. */

const storageName = 'rate-search-key'

export const readKey = () => sessionStorage.getItem(storageName) ?? undefined

export function keepKey(key: string | undefined): void {
  if (key === undefined) sessionStorage.removeItem(storageName)
  else sessionStorage.setItem(storageName, key)
}
