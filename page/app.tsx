import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { listLink, newSearchLink, readView, useFragment } from './address/routes.ts'
import { Heading } from './display/heading.tsx'
import { PartProblem, useLazyPart } from './display/lazy-part.tsx'
import { useDraft } from './form/use-draft.ts'
import { SearchList } from './search/search-list.tsx'
import { connect, SessionContext } from './service/service.ts'
import { keepKey, readKey, redeemToken, reloadOnSignInLink, takeSignInToken } from './service/session.ts'
import { SignIn } from './service/sign-in.tsx'

/** The page: asks for a key, then shows the view that the URL names. */
export function App() {
  // Before anything else reads the address.
  const [token] = useState(takeSignInToken)
  const [key, setKey] = useState(readKey)
  const [reason, setReason] = useState<string>()
  const [draft, setDraft] = useDraft()
  const fragment = useFragment()
  const view = readView(fragment)
  const isForm = view.name === 'new' || view.name === 'unknown'
  // Loaded while somebody enters a key.
  const form = useLazyPart(() => import('./form/new-search.tsx'), isForm)
  const [isRedeeming, setRedeeming] = useState(token !== undefined)
  useEffect(reloadOnSignInLink, [])
  useEffect(() => {
    if (token === undefined) return
    redeemToken(token).then((redeemed) => {
      setRedeeming(false)
      if (redeemed !== undefined) signIn(redeemed)
      else if (key === undefined) setReason('This link signs in only once. Enter the key.')
    })
  }, [])
  const signIn = (entered: string) => {
    keepKey(entered)
    setReason(undefined)
    setKey(entered)
  }
  const signOut = useCallback((why?: string) => {
    keepKey(undefined)
    setReason(why)
    setKey(undefined)
  }, [])
  const session = useMemo(() => (key === undefined ? undefined : { client: connect(key), signOut }), [key, signOut])
  if (isRedeeming) return <p role="status">Signing in …</p>
  if (session === undefined) return <SignIn reason={reason} onKey={signIn} />
  return (
    <SessionContext.Provider value={session}>
      <header class="bar">
        <div>
          <a class="name" href={newSearchLink}>
            Rate search
          </a>
          <nav aria-label="Main">
            <a href={newSearchLink}>New search</a>
            <a href={listLink}>Searches</a>
          </nav>
          <button type="button" class="quiet" onClick={() => signOut()}>
            Forget key
          </button>
        </div>
      </header>
      <main>
        {view.name === 'unknown' && (
          <p class="wrong" role="alert">
            There is no page {fragment}: the link may be cut. Begin a search below, or open Searches.
          </p>
        )}
        {isForm && form === undefined && <p role="status">Loading …</p>}
        {isForm && form === 'failed' && <PartProblem comfort="What you typed is in the address." />}
        {isForm && typeof form === 'object' && <form.NewSearch draft={draft} onDraft={setDraft} />}
        {view.name === 'list' && <SearchList />}
        {view.name === 'search' && <LazySearchView key={view.jobId} jobId={view.jobId} />}
      </main>
      <footer>
        <a href="docs">API reference</a>
        <a href="notices.txt">Third-party notices</a>
      </footer>
    </SessionContext.Provider>
  )
}

/**
 * The view of a search. Its code, which reads and plots results, is half of the page, so it is loaded when the first
 * search is opened: the form need not wait for it.
 */
function LazySearchView({ jobId }: { readonly jobId: string }) {
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
