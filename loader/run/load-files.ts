import { nameSome } from '../../core/name-some.ts'
import { toOneLine } from '../fetch/load-refused.ts'
import { readGivenName } from '../plans/plan-names.ts'
import { readContents } from '../plans/read-contents.ts'
import type { LoadDeps, LoadRequest } from '../publish/load-request.ts'
import { readSources } from '../publish/sources/read-sources.ts'
import { conductLoad } from './conduct-load.ts'
import type { LoadReport } from './load-report.ts'

/**
 * Loads in-network files. A fee schedule is switched only if all its files are valid, so a search reads only the old
 * content or only the new one. A fault in a plan of a table of contents leaves out only that plan. Files that were read
 * are kept in the warehouse for a day, so that the next load need not read them again.
 *
 * @throws LoadRefused if nothing can be loaded; then nothing is switched
 * @example
 * const report = await loadFiles({ files: ['2026-11_in-network-rates.json.gz'], payer: 'Acme', plan: 'Gold PPO' }, deps)
 * console.log(report.switched.length, report.leftOut)
 */
export async function loadFiles(request: LoadRequest, deps: LoadDeps): Promise<LoadReport> {
  const startedAt = deps.now()
  const loadId = deps.newId()
  const given = normaliseNames(request)
  await deps.records.begin({ loadId, from: describeOrigin(request), startedAt })
  return conductLoad({ loadId, startedAt, request: given }, { contents: readContents, files: readSources }, deps)
}

/** @throws LoadRefused for a name that no fee schedule can have */
export function normaliseNames(request: LoadRequest): LoadRequest {
  return {
    ...request,
    payer: request.payer === undefined ? undefined : readGivenName(request.payer, '--payer'),
    plan: request.plan === undefined ? undefined : readGivenName(request.plan, '--plan'),
  }
}

/** What a load is started with, for operators. */
export const describeOrigin = ({ toc, files }: Pick<LoadRequest, 'toc' | 'files'>): string =>
  toOneLine(toc ?? nameSome(files))
