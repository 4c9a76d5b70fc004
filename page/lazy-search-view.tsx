import { useEffect, useState } from 'preact/hooks'
import { Heading } from './heading.tsx'

type Loaded = typeof import('./search/search-view.tsx')

/** The build of this file; written by the build, the same into all files of the page. */
const build = '{build}'

/**
 * The view of a search. Its code, which reads and plots results, is three quarters of the page, so it is loaded when
 * the first search is opened: the form need not wait for it.
 */
export function LazySearchView({ jobId }: { readonly jobId: string }) {
  const [loaded, setLoaded] = useState<Loaded>()
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    import('./search/search-view.tsx').then(
      // A service that was updated meanwhile sends files that do not fit those that are loaded.
      (module) => (module.searchViewBuild === build ? setLoaded(module) : setFailed(true)),
      () => setFailed(true),
    )
  }, [])
  if (hasFailed)
    return (
      <>
        <Heading>Search</Heading>
        <div class="problem" role="alert">
          <p>
            <strong>A part of the page could not be loaded.</strong> You may be offline, or the service was updated.
            Your search goes on.
          </p>
          <button type="button" onClick={() => location.reload()}>
            Load the page again
          </button>
        </div>
      </>
    )
  return loaded === undefined ? <p role="status">Loading …</p> : <loaded.SearchView jobId={jobId} />
}
