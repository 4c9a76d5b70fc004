import type { FoundProviders } from '../../api.ts'
import type { ProvidersQuery } from '../../list-calls.ts'
import { type Answer, fitTable, type Need } from '../answer.ts'
import { defineTool } from '../tool.ts'

/** Maximum number of providers in an answer. */
const maxProviders = 20

/** Characters of an answer besides its providers, at most. */
const charactersAround = 700

export const findProviders = defineTool('find_providers', {
  title: 'Find providers',
  description:
    'Finds the NPIs of providers by words of their name in a state or ZIP code, or says who an NPI is, from CMS’s list of providers (NPPES). A practice and each of its people have NPIs of their own, and rates may be agreed with any of them: if several fit, ask the user which. NPPES has no TINs.',
  async answer({ calls }, { npi, tin, ...filters }, signal) {
    if (tin !== undefined) return describeTin(tin)
    const query: ProvidersQuery = npi === undefined ? filters : { ...filters, npi: String(npi) }
    const needs = npi === undefined ? findNeeds(filters) : []
    if (needs.length > 0) return { providers: [], needs }
    return describeProviders(await calls.providers({ ...query, limit: maxProviders }, { signal }), npi)
  },
})

/** NPPES publishes no TINs, so a TIN is only brought into the form of searches. */
function describeTin(tin: string): Answer {
  const digits = tin.replaceAll('-', '')
  return {
    tin: digits,
    next: `NPPES has no TINs, so nobody was looked up. summarise_rates and start_search take it as tins: ["${digits}"]; rows of a result have the NPIs that bill under it.`,
  }
}

/** Finds what a question lacks: words without a place find too many, and so does a state without words. */
function findNeeds({ q, state, zip, taxonomy }: ProvidersQuery): readonly Need[] {
  if (zip !== undefined || (state !== undefined && q !== undefined)) return []
  if (state !== undefined) return [{ about: 'q', ask: 'What is the provider called, in a word or two?' }]
  if (q === undefined && taxonomy === undefined)
    return [{ about: 'q', ask: 'Which provider is meant: its name and state, or its NPI?' }]
  return [{ about: 'state', ask: 'In which state, or in which ZIP code, does the provider practise?' }]
}

function describeProviders({ providers, ...answer }: FoundProviders, npi: number | undefined): Answer {
  const { nppes_month, stopped_by: stoppedBy } = answer
  if (providers.length === 0) return describeNothing(answer, npi)
  const columns = ['npi', 'name', 'specialty', 'taxonomy', 'city', 'state', 'zip']
  const rows = providers.map((provider): Readonly<Record<string, unknown>> => ({ ...provider }))
  const { same_in_all_rows, unshown, ...table } = fitTable(rows, columns, charactersAround)
  const hasMore = unshown > 0 || stoppedBy === 'limit'
  return {
    nppes_month,
    same_in_all_rows,
    ...table,
    ...(hasMore && { left_out: 'More providers match. Add words of the name, a ZIP code or a taxonomy.' }),
    ...(!hasMore && stoppedBy !== null && { left_out: incomplete }),
    next: 'summarise_rates and start_search take NPIs as npis; many can be named at once.',
  }
}

const incomplete = 'Not every provider was looked at, so more may match. Give a ZIP code.'

function describeNothing(
  { nppes_month, stopped_by: stoppedBy }: Omit<FoundProviders, 'providers'>,
  npi: number | undefined,
): Answer {
  const nothing = { providers: [], nppes_month }
  if (npi !== undefined)
    return { ...nothing, next: `NPPES of that month has no active NPI ${npi}. Payers may still list rates for it.` }
  if (stoppedBy !== null) return { ...nothing, left_out: incomplete, next: 'Call find_providers with a zip.' }
  return {
    ...nothing,
    next: 'Call find_providers with fewer words, or only their first letters. A practice may be registered under another legal name or place.',
  }
}
