import { createContext, Fragment } from 'preact'
import { useContext } from 'preact/hooks'
import { nameFiles } from '../client/search-title.ts'

/** The title of a search; each part keeps its own direction, because names may be written from right to left. */
export const Title = ({ parts }: { readonly parts: readonly string[] }) =>
  parts.map((part, index) => (
    // Two payers may have plans of the same name.
    <Fragment key={index}>
      {index > 0 && ' · '}
      <bdi>{part}</bdi>
    </Fragment>
  ))

/** The title of the search that is shown, by which its saved files are named; empty until it is known. */
export const TitleContext = createContext<readonly string[]>([])

/** Returns a function that names a file to be saved, such as `73721-open-access-hmo-rows.csv`. */
export function useFileName(): (content: string, extension: string) => string {
  const parts = useContext(TitleContext)
  return (content, extension) => `${[...(parts.length > 0 ? [nameFiles(parts)] : []), content].join('-')}.${extension}`
}
