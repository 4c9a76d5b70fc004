import { useEffect, useState } from 'preact/hooks'
import type { CatalogueEntry } from '../../client/api.ts'
import { useSession } from '../service.ts'
import type { Chosen } from './draft.ts'

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

/** The fee schedules with the words of a text; all for an empty one. */
export function useSuggestions(text: string, isOpen: boolean): Suggestions {
  const { client } = useSession()
  const [found, setFound] = useState<Suggestions>({ entries: [], hasMore: false, state: 'loading' })
  const name = text.trim().replace(/\s+/g, ' ')
  useEffect(() => {
    if (!isOpen) return undefined
    const ended = new AbortController()
    const ask = async () => {
      setFound((before) => ({ ...before, state: 'loading' }))
      try {
        const query = { limit: maxSuggested, ...(name !== '' && { q: name }) }
        const { body } = await client.transport.call('list-fee-schedules', { query }, { signal: ended.signal })
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
  }, [name, isOpen, client])
  return found
}

/** What the catalogue says of chosen fee schedules, in their order as far as it was read; links only name them. */
export function useEntries(chosen: readonly Chosen[]): readonly (CatalogueEntry | undefined)[] {
  const { client } = useSession()
  const [known, setKnown] = useState<readonly CatalogueEntry[]>([])
  const entries = chosen.map((one) =>
    'payer' in one ? known.find(({ payer, plan }) => payer === one.payer && plan === one.plan) : undefined,
  )
  const next = chosen.flatMap((one, index) => ('payer' in one && entries[index] === undefined ? one : []))[0]
  useEffect(() => {
    if (next === undefined) return undefined
    const ended = new AbortController()
    const { payer, plan } = next
    client.transport
      .call('list-fee-schedules', { query: { payer, q: plan, limit: 1000 } }, { signal: ended.signal })
      .then(
        ({ body }) => {
          const found = body.fee_schedules.find((entry) => entry.plan === plan)
          setKnown((before) => [...before, found ?? { payer, plan, ...unknown }])
        },
        // The estimate says what is wrong; this only adds to it.
        () => {},
      )
    return () => ended.abort()
  }, [client, next?.payer, next?.plan])
  return entries
}

const none = { plan_sponsor_names: [], plan_market_types: [], issuer_names: [], network_names: [], product_types: [] }
const unknown = { plan_ids: [], plan_id_count: 0, last_updated_on: null, partial: false, changed_on: [], ...none }
