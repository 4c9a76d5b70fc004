import { Heading } from './heading.tsx'
import { PartProblem, useLazyPart } from './lazy-part.tsx'

/**
 * The view of a search. Its code, which reads and plots results, is half of the page, so it is loaded when the first
 * search is opened: the form need not wait for it.
 */
export function LazySearchView({ jobId }: { readonly jobId: string }) {
  const part = useLazyPart(() => import('./search/search-view.tsx'))
  if (part === 'failed')
    return (
      <>
        <Heading>Search</Heading>
        <PartProblem comfort="Your search goes on." />
      </>
    )
  return part === undefined ? <p role="status">Loading …</p> : <part.SearchView jobId={jobId} />
}
