import { type ComponentChildren, render } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { newSearchLink } from './address/routes.ts'
import { App } from './app.tsx'
import { undoForeignChanges } from './display/undo-foreign-changes.ts'

const root = document.getElementById('app')

/** Takes the place of what failed to render, until another view is opened. */
function Boundary({ children }: { readonly children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary()
  useEffect(() => {
    addEventListener('hashchange', reset)
    return () => removeEventListener('hashchange', reset)
  }, [])
  return error === undefined ? children : <Stopped error={error} />
}

const Stopped = ({ error }: { readonly error: unknown }) => (
  <main>
    <div class="problem" role="alert">
      <p>
        <strong>
          The page has stopped because of an error: {error instanceof Error ? error.message : String(error)}.
        </strong>{' '}
        Your searches go on without it. Load it again or begin a <a href={newSearchLink}>new search</a>. If it stops
        again, update the browser, or tell the operator of this service what it says here.
      </p>
      <button type="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </div>
  </main>
)

/** Shows an error that nobody caught before the page had anything to show. */
function showAtStart(error: unknown): void {
  if (root === null || root.querySelector('main') !== null) return
  root.replaceChildren()
  render(<Stopped error={error} />, root)
}

addEventListener('error', ({ error, message }) => showAtStart(error ?? message))
addEventListener('unhandledrejection', ({ reason }) => showAtStart(reason))

if (root !== null) {
  // In place of the text that says that the page did not start.
  root.replaceChildren()
  render(
    <Boundary>
      <App />
    </Boundary>,
    root,
  )
  undoForeignChanges(root)
}
