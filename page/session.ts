/** The API key of this tab. It is gone when the tab is closed, and never part of an address. */

const storageName = 'rate-search-key'

export const readKey = () => sessionStorage.getItem(storageName) ?? undefined

export function keepKey(key: string | undefined): void {
  if (key === undefined) sessionStorage.removeItem(storageName)
  else sessionStorage.setItem(storageName, key)
}
