import { useEffect, useState } from 'preact/hooks'
import type { CatalogueEntry, NamedBillingCode, NamedProvider, Specialty } from '../../client/api.ts'
import { ApiError } from '../../client/errors.ts'
import type { SearchCalls } from '../../client/search-calls.ts'
import { providerLists } from '../../contract/filters.ts'
import { feeSchedulePages } from '../../contract/limits.ts'
import { useSession } from '../service/service.ts'
import { readProviderWords } from '../values/provider-words.ts'
import type { Chosen } from './draft.ts'

/** The items of a list that a text finds. */
interface Suggestions<Item> {
  readonly items: readonly Item[]
  /** True if the service has more than were asked for. */
  readonly hasMore: boolean
  /** Says why there are none. @default - the text of the field */
  readonly reason?: string
  readonly state: 'loading' | 'found' | 'failed'
}

/** Maximum number of suggestions. */
const maxSuggested = 50

/** Pause in typing before the service is asked, in milliseconds. */
const pauseMs = 120

/** Asks the service for the items with the words of a text. */
export type AskItems<Item> = (
  client: SearchCalls,
  words: string,
  signal: AbortSignal,
) => Promise<Omit<Suggestions<Item>, 'state'>>

/**
 * Returns the items with the words of a text.
 *
 * @param ask of a module, because a function that is made anew would be asked at every change
 */
export function useSuggestions<Item>(text: string, isAsked: boolean, ask: AskItems<Item>): Suggestions<Item> {
  const { client } = useSession()
  const [suggestions, setSuggestions] = useState<Suggestions<Item>>({ items: [], hasMore: false, state: 'loading' })
  const words = text.trim().replace(/\s+/g, ' ')
  useEffect(() => {
    if (!isAsked) return undefined
    const ended = new AbortController()
    const load = async () => {
      setSuggestions((before) => ({ ...before, state: 'loading' }))
      try {
        setSuggestions({ ...(await ask(client, words, ended.signal)), state: 'found' })
      } catch {
        if (!ended.signal.aborted) setSuggestions({ items: [], hasMore: false, state: 'failed' })
      }
    }
    const timer = setTimeout(load, pauseMs)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [words, isAsked, client, ask])
  return suggestions
}

/** Asks for the fee schedules with the words of a text; for all with an empty one. */
export const askFeeSchedules: AskItems<CatalogueEntry> = async (client, words, signal) => {
  const query = { limit: maxSuggested, ...(words !== '' && { q: words }) }
  const { body } = await client.transport.call('list-fee-schedules', { query }, { signal })
  return { items: body.fee_schedules, hasMore: body.next_cursor !== null }
}

/**
 * Returns the names of the lists of providers that the service can search by; undefined until they are known. If the
 * service does not answer, all of them: a search that needs another is refused in words.
 */
export function useProviderLists(): readonly string[] | undefined {
  const { client } = useSession()
  const [names, setNames] = useState<readonly string[]>()
  useEffect(() => {
    const ended = new AbortController()
    client.transport.call('list-fee-schedules', { query: { limit: 1 } }, { signal: ended.signal }).then(
      ({ body }) => setNames(body.provider_lists),
      () => setNames(providerLists.map(({ name }) => name)),
    )
    return () => ended.abort()
  }, [client])
  return names
}

/** Asks for the billing codes with the words of a text in their names, or that begin with it. */
export const askBillingCodes: AskItems<NamedBillingCode> = async (client, words, signal) => {
  const query = { q: words, limit: maxSuggested }
  const { body } = await client.transport.call('list-billing-codes', { query }, { signal })
  return { items: body.billing_codes, hasMore: body.next_cursor !== null }
}

/** Asks for the specialties with the words of a text in their names. */
export const askSpecialties: AskItems<Specialty> = async (client, words, signal) => {
  const query = { q: words, limit: maxSuggested }
  const { body } = await client.transport.call('list-specialties', { query }, { signal })
  return { items: body.specialties, hasMore: body.next_cursor !== null }
}

/** Maximum number of providers that are suggested: more would take a read of several seconds. */
const maxProviders = 20

/** Asks for an NPI, or for the providers with words of a text in their names, in its state or ZIP code. */
export const askProviders: AskItems<NamedProvider> = async (client, words, signal) => {
  const query = readProviderWords(words)
  if ('missing' in query) return { items: [], hasMore: false, reason: query.missing }
  try {
    const { body } = await client.transport.call(
      'list-providers',
      { query: 'npi' in query ? query : { ...query, limit: maxProviders } },
      { signal },
    )
    const hasMore = !body.complete
    const isUnfinished = hasMore && body.providers.length === 0
    return {
      items: body.providers,
      hasMore,
      ...(isUnfinished && { reason: 'Too many providers to look through: add a ZIP code, or more of the name.' }),
    }
  } catch (error) {
    // The operator must load NPPES first, or again.
    if (error instanceof ApiError && error.status === 400)
      return { items: [], hasMore: false, reason: 'Providers cannot be looked up here: enter their NPIs.' }
    throw error
  }
}

/** Says how many items a text finds. */
export function describeSuggestions<Item>(
  { state, items, hasMore, reason }: Suggestions<Item>,
  offered: number,
  none: string,
): string {
  if (state === 'failed') return 'The service could not be asked. Add a word, or type again to retry.'
  if (state === 'loading') return 'Looking …'
  if (items.length === 0) return reason ?? none
  if (offered === 0) return 'You have chosen all that are found.'
  return hasMore ? `The first ${offered}; type more to narrow them.` : `${offered} found.`
}

/**
 * Returns the catalogue's entries of chosen fee schedules, in their order as far as they were read; links only name
 * them.
 */
export function useEntries(chosen: readonly Chosen[]): readonly (CatalogueEntry | undefined)[] {
  const { client } = useSession()
  const [entriesRead, setEntriesRead] = useState<readonly CatalogueEntry[]>([])
  const entries = chosen.map((one) =>
    'payer' in one ? entriesRead.find(({ payer, plan }) => payer === one.payer && plan === one.plan) : undefined,
  )
  const next = chosen.flatMap((one, index) => ('payer' in one && entries[index] === undefined ? one : []))[0]
  useEffect(() => {
    if (next === undefined) return undefined
    const ended = new AbortController()
    const { payer, plan } = next
    client.transport
      .call('list-fee-schedules', { query: { payer, q: plan, limit: feeSchedulePages.max } }, { signal: ended.signal })
      .then(
        ({ body }) => {
          const entry = body.fee_schedules.find((each) => each.plan === plan)
          setEntriesRead((before) => [...before, entry ?? { payer, plan, ...unknownFacts }])
        },
        // The estimate says what is wrong; this only adds to it.
        () => {},
      )
    return () => ended.abort()
  }, [client, next?.payer, next?.plan])
  return entries
}

const noNames = {
  plan_sponsor_names: [],
  plan_market_types: [],
  issuer_names: [],
  network_names: [],
  product_types: [],
}
const unknownFacts = {
  plan_ids: [],
  plan_id_count: 0,
  last_updated_on: null,
  partial: false,
  changed_on: [],
  ...noNames,
}
