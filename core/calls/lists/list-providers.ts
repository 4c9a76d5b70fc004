import { filterOf, type ProviderList } from '../../../contract/filters.ts'
import { providerPages } from '../../../contract/limits.ts'
import { writtenNpi } from '../../../contract/provider-ids.ts'
import { effectOf } from '../../../contract/routes.ts'
import type { Fault, ProvidersBody } from '../../../contract/search-api.ts'
import { type Authorize, authorizeKey } from '../../access/access.ts'
import type { PresentedKey } from '../../access/api-key.ts'
import type { Contents } from '../../catalogue/ports.ts'
import { InvalidRequest } from '../../errors.ts'
import type { NppesMonth } from '../../nppes/nppes-months.ts'
import { findWordsFault, type Parameters, readLimit, readText } from '../../paging/page-query.ts'
import type { AreaQuery, FoundProviders, ProviderFiles, Specialties } from '../../vocabulary/ports.ts'
import { type CountReads, countRead } from '../count-read.ts'

export interface ListProviders extends Authorize, CountReads {
  readonly contents: Pick<Contents, 'readNppesMonths'>
  readonly providerFiles: ProviderFiles
  readonly specialties: Specialties
}

/**
 * Finds providers in the active month of NPPES, by NPI or by place.
 *
 * @param parameters the query string: `npi`, `q`, `state`, `zip`, `taxonomy`, `limit`
 * @throws Unauthorized, Forbidden, RateLimited, InvalidRequest naming every fault, also if the month is not loaded
 */
export async function listProviders(
  deps: ListProviders,
  key: PresentedKey,
  parameters: Parameters,
): Promise<ProvidersBody> {
  const caller = await authorizeKey(deps, key, effectOf('list-providers'))
  const query = parseQuery(parameters)
  const month = (await deps.contents.readNppesMonths())?.active
  if (month === undefined)
    throw new InvalidRequest([
      { path: query.path, message: `cannot be looked up before NPPES is loaded: ${loadAdvice}` },
    ])
  await countRead(deps, caller)
  const { providers, stoppedBy } = await find(deps.providerFiles, month, query)
  const specialties = providers.length === 0 ? [] : await deps.specialties.readSpecialties()
  const names = new Map(specialties.map(({ code, name }) => [code, name]))
  return {
    providers: providers.map(({ npi, name, taxonomy, ...area }) => {
      const specialty = (taxonomy !== null && names.get(taxonomy)) || null
      return { npi, name, taxonomy, specialty, ...area }
    }),
    nppes_month: month.month,
    complete: stoppedBy === undefined,
    stopped_by: stoppedBy ?? null,
  }
}

const loadAdvice = 'ask the operator to run `npm run nppes -- load`'

/** @throws InvalidRequest if an earlier version loaded the month */
async function find(files: ProviderFiles, month: NppesMonth, query: ProviderQuery): Promise<FoundProviders> {
  if ('npi' in query) return files.findByNpi(month, query.npi)
  const { directory } = month
  if (directory === undefined)
    throw new InvalidRequest([
      {
        path: query.path,
        message: `cannot be looked up, because an earlier version loaded NPPES ${month.month}: ${loadAdvice} again; npi works`,
      },
    ])
  const { path: _, ...area } = query
  return files.findByArea({ ...month, directory }, area)
}

/** A query, with the path of the parameter that it cannot do without. */
type ProviderQuery = { readonly path: string } & ({ readonly npi: number } | AreaQuery)

function parseQuery(parameters: Parameters): ProviderQuery {
  const faults: Fault[] = []
  const npi = readText(parameters, 'npi', { findFault: findNpiFault }, faults)
  const q = readText(parameters, 'q', { findFault: findWordsFault }, faults)
  const readListed = (name: 'state' | 'zip' | 'taxonomy', { written, rule }: ProviderList) => {
    const findFault = (text: string) => (written.test(text) ? undefined : `must be ${rule}`)
    return readText(parameters, name, { findFault, normalise: (text) => text.toUpperCase() }, faults)
  }
  const state = readListed('state', filterOf('states'))
  const zip = readListed('zip', filterOf('zips'))
  const taxonomy = readListed('taxonomy', filterOf('taxonomies'))
  const limit = readLimit(parameters, providerPages, faults)
  faults.push(...findScopeFaults(parameters))
  if (faults.length > 0) throw new InvalidRequest(faults)
  if (npi !== undefined) return { path: 'npi', npi: Number(npi) }
  return { path: zip === undefined ? 'state' : 'zip', q, state, zip, taxonomy, limit }
}

const findNpiFault = (text: string) =>
  writtenNpi.test(text) ? undefined : 'must be an NPI of ten digits, which does not begin with 0'

/** Finds why the parameters together are too wide, or contradict each other. */
function findScopeFaults({ npi, q, state, zip, taxonomy }: Parameters): readonly Fault[] {
  const isPlaced = zip !== undefined || state !== undefined
  if (npi !== undefined) {
    const otherFilters = Object.entries({ q, state, zip, taxonomy }).filter(([, value]) => value !== undefined)
    return otherFilters.map(([path]) => ({ path, message: 'must be left out: an npi names one provider' }))
  }
  if (!isPlaced && (q !== undefined || taxonomy !== undefined))
    return [{ path: 'zip', message: 'is required, or a state with q: the whole country has too many providers' }]
  if (!isPlaced) return [{ path: 'npi', message: 'is required, or a zip, or a state with q' }]
  if (zip === undefined && q === undefined)
    return [{ path: 'q', message: 'is required with a state alone: name words, or a zip' }]
  return []
}
