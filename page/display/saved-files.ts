import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { nameFiles } from '../../client/search-title.ts'

/** The title of the search that is shown, by which its saved files are named; empty until it is known. */
export const TitleContext = createContext<readonly string[]>([])

/** Returns a function that names a file to be saved, such as `73721-open-access-hmo-rows.csv`. */
export function useFileName(): (content: string, extension: string) => string {
  const parts = useContext(TitleContext)
  return (content, extension) => `${[...(parts.length > 0 ? [nameFiles(parts)] : []), content].join('-')}.${extension}`
}

/** Saves bytes as a file in the reader's folder for downloads. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}
