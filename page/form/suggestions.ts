import { useEffect, useState } from 'preact/hooks'
import type { CatalogueEntry } from '../../client/api.ts'
import { useSession } from '../service.ts'

export interface Suggestions {
  readonly entries: readonly CatalogueEntry[]
  /** Whether there are more. */
  readonly hasMore: boolean
  readonly state: 'loading' | 'found' | 'failed'
}

/** Maximum number of suggestions. */
const maxSuggested = 50

/** Pause in typing before the service is asked, in milliseconds. */
const pauseMs = 120

/** The fee schedules whose payer or plan begins with a text; those of all names for an empty one. */
export function useSuggestions(text: string, isOpen: boolean): Suggestions {
  const { transport } = useSession()
  const [found, setFound] = useState<Suggestions>({ entries: [], hasMore: false, state: 'loading' })
  const name = text.trim().replace(/\s+/g, ' ')
  useEffect(() => {
    if (!isOpen) return undefined
    const ended = new AbortController()
    const ask = async () => {
      setFound((before) => ({ ...before, state: 'loading' }))
      try {
        const query = { limit: maxSuggested, ...(name !== '' && { q: name }) }
        const { body } = await transport.call('list-fee-schedules', { query }, { signal: ended.signal })
        setFound({ entries: body.fee_schedules, hasMore: body.next_cursor !== null, state: 'found' })
      } catch {
        if (!ended.signal.aborted) setFound({ entries: [], hasMore: false, state: 'failed' })
      }
    }
    const timer = setTimeout(ask, pauseMs)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [name, isOpen, transport])
  return found
}
