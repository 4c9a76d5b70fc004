import { specialtyPages } from '../../../contract/limits.ts'
import { effectOf } from '../../../contract/routes.ts'
import type { Fault, SpecialtiesBody } from '../../../contract/search-api.ts'
import { type Authorize, authorizeKey } from '../../access/access.ts'
import type { PresentedKey } from '../../access/api-key.ts'
import { InvalidRequest } from '../../errors.ts'
import { writeCursor } from '../../paging/cursor.ts'
import { findWordsFault, type Parameters, readLimit, readPosition, readText } from '../../paging/page-query.ts'
import type { Specialties } from '../../vocabulary/ports.ts'
import { findSpecialties } from '../../vocabulary/specialties.ts'

export interface ListSpecialties extends Authorize {
  readonly specialties: Specialties
}

/**
 * Lists the loaded specialties, or those that words find, page by page.
 *
 * @param parameters the query string: `q`, `limit`, `cursor`
 * @throws Unauthorized, Forbidden, InvalidRequest naming every fault
 */
export async function listSpecialties(
  deps: ListSpecialties,
  key: PresentedKey,
  parameters: Parameters,
): Promise<SpecialtiesBody> {
  await authorizeKey(deps, key, effectOf('list-specialties'))
  const { q, limit, after, scope } = parseQuery(parameters)
  const specialties = await deps.specialties.readSpecialties()
  const matches = q === undefined ? specialties : findSpecialties(specialties, q)
  const matching = matches.filter(({ code }) => code > after)
  const page = matching.slice(0, limit)
  const last = page.at(-1)
  return {
    specialties: page.map(({ code, name, grouping }) => ({ code, name, grouping })),
    next_cursor: matching.length > limit && last ? writeCursor(scope, [last.code]) : null,
  }
}

function parseQuery(parameters: Parameters) {
  const faults: Fault[] = []
  const q = readText(parameters, 'q', { findFault: findWordsFault }, faults)
  const limit = readLimit(parameters, specialtyPages, faults)
  const scope = ['specialties', q ?? null]
  const after = readPosition(parameters, { scope, parse: parsePosition }, faults) ?? ''
  if (faults.length > 0) throw new InvalidRequest(faults)
  return { q, limit, after, scope }
}

const parsePosition = ([code, ...more]: readonly string[]) => (more.length > 0 ? undefined : code)
