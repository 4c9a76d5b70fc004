import { useEffect, useRef, useState } from 'preact/hooks'
import type { CompletedManifest, Manifest } from '../../client/api.ts'
import { useLinked } from '../address/view-link.ts'
import { writeDraftLink } from '../form/draft-link.ts'
import { ProblemBox } from '../service/problem.tsx'
import { useSession } from '../service/service.ts'
import { changesTitle } from './change-line.tsx'
import { ChangesView } from './changes.tsx'
import { describeResult, findEarlierResults, findOnlyEarlier, maxListed, nameMonths } from './earlier-results.ts'
import type { Changes } from './use-changes.ts'

interface Props {
  readonly manifest: CompletedManifest
  /** The changes since the result that the reader chose; undefined if none is chosen. */
  readonly changes: Changes | undefined
}

/** Offers earlier results of the same request, and shows what changed since the one that the address names. */
export function Comparison({ manifest, changes }: Props) {
  const { client } = useSession()
  const [chosen, setChosen] = useLinked('compare')
  const [earlier, setEarlier] = useState<readonly Manifest[]>()
  const [isSearching, setSearching] = useState(false)
  const [error, setError] = useState<unknown>()
  const find = () => {
    setError(undefined)
    setSearching(true)
    findEarlierResults(client, manifest)
      .then(setEarlier, setError)
      .finally(() => setSearching(false))
  }
  const { section, only } = useOnlyEarlier(manifest, chosen === undefined && earlier === undefined)
  return (
    <section aria-labelledby={changesTitle} ref={section}>
      <h2 id={changesTitle} tabIndex={-1}>
        What changed
      </h2>
      {earlier === undefined && (
        <p class="compare">
          {only !== undefined && chosen === undefined ? (
            <button type="button" onClick={() => setChosen(only.job_id)}>
              Compare with {nameMonths(only)}
            </button>
          ) : (
            <button type="button" disabled={isSearching} onClick={find}>
              {nameSearchButton(isSearching, Boolean(chosen))}
            </button>
          )}
        </p>
      )}
      {error !== undefined && <ProblemBox error={error} onRetry={find} isReading />}
      {earlier?.length === 0 && (
        <p role="status">
          None of the latest {maxListed} searches is of the same request with earlier rates.{' '}
          <a href={writeDraftLink(manifest.request)}>Make one: fill in a day under “As of”.</a>
        </p>
      )}
      {earlier !== undefined && earlier.length > 0 && (
        <div class="compare">
          <label for="compare">Compare with</label>
          <select
            id="compare"
            value={chosen ?? ''}
            onChange={({ currentTarget }) => setChosen(currentTarget.value || undefined)}
          >
            <option value="">no other result</option>
            {earlier.map((each) => (
              <option key={each.job_id} value={each.job_id}>
                {describeResult(each)}
              </option>
            ))}
          </select>
        </div>
      )}
      {changes && <ChangesView changes={changes} />}
    </section>
  )
}

function nameSearchButton(isSearching: boolean, isOther: boolean): string {
  if (isSearching) return 'Looking for earlier results …'
  return `Compare with ${isOther ? 'another' : 'an earlier'} result …`
}

/** Distance of the section from the window at which earlier results are looked for. */
const nearby = '400px'

/** Looks for the only earlier result when the reader comes near the section, unless a comparison is open. */
function useOnlyEarlier(manifest: CompletedManifest, isWanted: boolean) {
  const { client } = useSession()
  const section = useRef<HTMLElement>(null)
  const [only, setOnly] = useState<Manifest>()
  useEffect(() => {
    if (section.current === null || !isWanted || !('IntersectionObserver' in globalThis)) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        // The button remains, and says why earlier results cannot be listed.
        findOnlyEarlier(client, manifest).then(setOnly, () => {})
      },
      { rootMargin: nearby },
    )
    observer.observe(section.current)
    return () => observer.disconnect()
  }, [client, manifest, isWanted])
  return { section, only }
}
