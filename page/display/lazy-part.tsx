import { useEffect, useState } from 'preact/hooks'

/** The build of this file; written by the build, the same into all files of the page. */
const build = '{build}'

/** Code that is loaded when it is needed. It names the build that it is of. */
interface LazyPart {
  readonly build: string
}

/**
 * Loads a part of the page's code.
 *
 * @param load imports it
 * @param isWanted loads nothing until it is true
 * @returns undefined until it is loaded
 */
export function useLazyPart<Part extends LazyPart>(
  load: () => Promise<Part>,
  isWanted = true,
): Part | 'failed' | undefined {
  const [part, setPart] = useState<Part | 'failed'>()
  useEffect(() => {
    if (!isWanted) return
    load().then(
      // A service that was updated meanwhile sends files that do not fit those that are loaded.
      (loaded) => setPart(loaded.build === build ? loaded : 'failed'),
      () => setPart('failed'),
    )
  }, [isWanted])
  return part
}

/** Says that a part of the page could not be loaded, and offers to load the page again. */
export const PartProblem = ({ comfort }: { readonly comfort: string }) => (
  <div class="problem" role="alert">
    <p>
      <strong>A part of the page could not be loaded.</strong> You may be offline, or the service was updated. {comfort}
    </p>
    <button type="button" onClick={() => location.reload()}>
      Load the page again
    </button>
  </div>
)
